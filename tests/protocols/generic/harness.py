"""What the tests of several protocols share: one message's cost, random schedules, stories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from amcast.core import GroupId, MessageId, Multicast, Process, destinations
from amcast.sim import ClientPlan, Explorer, Network, Simulation, SimulationPlan
from amcast.sim.explore import Exploration
from amcast.sim.fuzz import fuzz_one
from amcast.sim.recorder import HistoryRecorder
from amcast.sim.story import Story, tell

# Given a group and all groups: its process.
Make = Callable[[GroupId, tuple[GroupId, ...]], Process[Any, Any]]

GENUINE_MULTICAST = (
    "integrity",
    "validity",
    "agreement",
    "prefix_order",
    "acyclic_order",
    "conflict_order",
    "genuineness",
)
DELAY_US = 1000
GROUPS = tuple(f"g{number}" for number in range(1, 8))
SEEDS = range(1, 401)


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


def cost(
    make: Make, dst: tuple[GroupId, ...], home: GroupId | None
) -> tuple[int, dict[GroupId, float]]:
    """Messages that one multicast takes, and the delays until each group delivers it."""
    sites = (*GROUPS, "client")
    plan = SimulationPlan(
        groups=GROUPS,
        network=Network({a: {b: 0 if a == b else DELAY_US for b in sites} for a in sites}),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(home or GROUPS[0], home or "client", inside=home is not None)],
        draw=lambda near, random: (dst, 80, "multicast", None),
        messages=1,
    )
    counter = Counter()
    Simulation(plan, lambda group: make(group, GROUPS), recorder=counter).run()
    assert sorted(counter.delays) == sorted(dst)
    return counter.messages, counter.delays


def destination_sets() -> list[tuple[GroupId, ...]]:
    """Three sets of each size from 1 to 5."""
    random = Random(7)
    return [tuple(sorted(random.sample(GROUPS, size))) for size in range(1, 6) for _ in range(3)]


def failures(make: Make, promises: Sequence[str], seeds: Sequence[int] = SEEDS) -> list[str]:
    """What goes wrong in random schedules, each as the shortest story of it."""

    def draw_setup(groups: tuple[GroupId, ...], random: Random) -> Any:
        return "setup", lambda group: make(group, groups)

    found = (fuzz_one(seed, draw_setup, promises) for seed in seeds)
    return [str(failure) for failure in found if failure is not None]


def explore(
    make: Make,
    promises: Sequence[str],
    sets: Sequence[str],
    *,
    inside: bool = False,
    keys: Sequence[tuple[str, ...] | None] = (),
) -> Exploration:
    """Every interleaving of one message to each of `sets`, such as "g1,g2"."""
    groups = tuple(sorted({group for each in sets for group in each.split(",")}))
    multicasts: list[tuple[Multicast, GroupId | None]] = []
    for number, wanted in enumerate(sets):
        dst = destinations(wanted.split(","), groups)
        own_keys = keys[number] if keys else None
        multicast = Multicast(MessageId(f"c{number + 1}", 1), dst, keys=own_keys)
        multicasts.append((multicast, dst[0] if inside else None))
    return Explorer(lambda group: make(group, groups), groups, multicasts, promises).explore()


def told_again(path: Path, make: Make) -> tuple[str, Story]:
    """What a golden story comes out as now, with the comments at its top, and the story."""
    text = path.read_text()
    story = Story.parse(text)
    comments = [line for line in text.splitlines(keepends=True) if line[0] == "#"]
    return "".join(comments) + tell(story, lambda group: make(group, story.groups)), story
