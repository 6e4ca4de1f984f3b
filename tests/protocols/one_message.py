"""What one message costs: messages between groups, and delays until each destination delivers."""

from __future__ import annotations

from collections.abc import Sequence

from amcast.core import GroupId
from amcast.protocols import ProcessFactory
from amcast.sim import ClientPlan, HistoryRecorder, Network, Simulation, SimulationPlan

DELAY_US = 1000


class Counter(HistoryRecorder):
    """Counts packets, submissions of outside clients included, and notes who delivers when."""

    def __init__(self) -> None:
        super().__init__()
        self.messages = 0
        self.delays: dict[GroupId, float] = {}

    def packet(self, *row: object) -> None:  # type: ignore[override]
        self.messages += 1

    def delivery(self, process: str, group: GroupId, seq: int, msg: object, at_us: int) -> None:  # type: ignore[override]
        self.delays[group] = at_us / DELAY_US


def cost_of_one(
    factory: ProcessFactory,
    groups: tuple[GroupId, ...],
    dst: tuple[GroupId, ...],
    homes: Sequence[GroupId | None],
) -> tuple[int, dict[GroupId, float]]:
    """Every packet takes one delay; a client for each of `homes` (None: outside) sends one."""
    sites = (*groups, "client")
    plan = SimulationPlan(
        groups=groups,
        network=Network({a: {b: 0 if a == b else DELAY_US for b in sites} for a in sites}),
        placement={group: group for group in groups},
        clients=[
            ClientPlan(home or groups[0], home or "client", inside=home is not None)
            for home in homes
        ],
        draw=lambda near, random: (dst, 80, "multicast", None),
        messages=len(homes),
    )
    counter = Counter()
    Simulation(plan, factory, recorder=counter).run()
    assert sorted(counter.delays) == sorted(dst)
    return counter.messages, counter.delays
