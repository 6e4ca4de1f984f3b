"""What one message costs, as the 2009 paper says and as it is measured here.

From Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast protocols for wide
area networks" (2009), Figure 1. It counts delays between groups until the last destination
delivers, for a sender that is a process of one of them, and gives the number of messages as an
order of growth; groups have one process here, so that `d` is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from amcast.core import GroupId, MessageId, ProcessId
from amcast.protocols import protocol_named
from amcast.scenarios import numbered_groups
from amcast.sim import ClientPlan, HistoryRecorder, Simulation, SimulationPlan, uniform_network

DELAY_US: Final = 1000
GROUPS: Final = 4


class Analysis(NamedTuple):
    """One line of Figure 1; `n` is the number of processes, `k` of destination groups."""

    protocol: str
    genuine: bool
    tolerates_disasters: bool
    delays: str
    messages: str
    expected: Callable[[int], int]
    # Why a message that is alone may take longer than that.
    note: str = ""


FIGURE_1: Final = (
    Analysis("ring", True, False, "k + 1", "O(k d²)", lambda k: k + 1),
    Analysis("rodrigues", True, False, "4", "O(k² d²)", lambda k: 4),
    Analysis("age", True, False, "2", "O(k² d²)", lambda k: 2),
    Analysis("ang", False, False, "1", "O(n²)", lambda k: 1, "the others open the round later"),
    Analysis("genuine-dt", True, True, "6", "O(k³ d³)", lambda k: 6),
    Analysis("adt", False, True, "2", "O(n²)", lambda k: 2, "the others open the round later"),
)


class Cost(NamedTuple):
    """Messages between groups, and delays until the last destination delivers."""

    messages: int
    delays: float


class PacketCounter(HistoryRecorder):
    """Counts packets, and notes when the last delivery was."""

    def __init__(self) -> None:
        super().__init__()
        self.messages = 0
        self.last_us = 0

    def packet(self, *row: object) -> None:
        self.messages += 1

    def delivery(
        self, process: ProcessId, group: GroupId, seq: int, msg: MessageId, at_us: int
    ) -> None:
        self.last_us = at_us


def cost_of_one(protocol: str, destinations: int, groups: int = GROUPS) -> Cost:
    """One message, alone, from a process of that destination from where it costs most."""
    names = numbered_groups(groups)
    dst = names[:destinations]
    found = [_from(home, dst, names, protocol) for home in dst]
    return Cost(max(each.messages for each in found), max(each.delays for each in found))


def _from(
    home: GroupId, dst: tuple[GroupId, ...], names: tuple[GroupId, ...], protocol: str
) -> Cost:
    plan = SimulationPlan(
        groups=names,
        network=uniform_network(DELAY_US, names),
        placement={group: group for group in names},
        clients=[ClientPlan(home, home, inside=True)],
        draw=lambda near, random: (dst, 80, "one", None),
        messages=1,
    )
    counter = PacketCounter()
    Simulation(plan, protocol_named(protocol).factory(names), recorder=counter).run()
    return Cost(counter.messages, counter.last_us / DELAY_US)


def costs() -> list[dict[str, object]]:
    """The figure beside what is measured, for two and three destinations of four groups."""
    return [_row(line) for line in FIGURE_1]


def _row(line: Analysis) -> dict[str, object]:
    found: Mapping[int, Cost] = {k: cost_of_one(line.protocol, k) for k in (2, 3)}
    return {
        "protocol": line.protocol,
        "genuine": line.genuine,
        "tolerates_disasters": line.tolerates_disasters,
        "published_delays": line.delays,
        "published_messages": line.messages,
        "delays_2": found[2].delays,
        "delays_3": found[3].delays,
        "expected_2": line.expected(2),
        "expected_3": line.expected(3),
        "messages_2": found[2].messages,
        "messages_3": found[3].messages,
        "note": line.note,
    }
