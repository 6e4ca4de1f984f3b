"""Replicas cost what theory says: rounds of consensus in a row, and entries in the logs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from amcast.core import GroupId
from amcast.groups.clients import OPEN_MAX
from amcast.overlays import PropagationGraph, Tree
from amcast.protocols import PROTOCOLS, Overlay, ProcessFactory, protocol_named
from amcast.sim import ReplicaPlan
from tests.groups.one_message import GROUPS, cost
from tests.protocols.one_message import cost_of_one

PAGE = Path(__file__).parents[2] / "docs" / "replication.md"
BINARY = Tree.binary(GROUPS)
# The first group is no destination, so that the sequencer and the root of the tree are extra.
SETS = (("g2",), ("g2", "g3"), ("g2", "g3", "g4"))
ALL_THREE = SETS[-1]
GRAPH = PropagationGraph.generate(GROUPS, SETS)


@dataclass(frozen=True)
class Expected:
    """For a message to k > 1 of m groups: formulas, as people write them."""

    protocol: str
    # Until the last destination delivers, with the client in the first destination or outside.
    inside: str
    outside: str
    rounds: str
    entries: str
    options: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        chosen = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"{self.protocol}{chosen}"

    @property
    def factory(self) -> ProcessFactory:
        protocol = protocol_named(self.protocol)
        overlays: dict[str | None, Overlay] = {"tree": BINARY, "sets": GRAPH}
        overlay = overlays.get(protocol.overlay)
        return protocol.factory(GROUPS, overlay, options=self.options)


# Where every message goes through the log, a round follows each delay from an outside client on:
# rounds equal delays, and entries equal messages. What differs says why.
TABLE = (
    Expected("skeen", "2", "2", "2", "k²"),
    Expected("skeen", "3", "3", "3", "2k² - k", {"global_order": "yes"}),
    # With k = 2 and the client in g3 it would be one delay less.
    Expected("skeen-coordinator", "3", "3", "3", "3k - 2"),
    Expected("two-phase", "3", "4", "4", "3k - 2"),
    # The sequencer is no destination: one entry more than there are destinations.
    Expected("sequencer", "2", "2", "2", "k + 1"),
    Expected("generic", "2", "2", "2", "k²"),
    Expected("basecast", "2", "2", "2", "k²"),
    # Timestamps take effect before the log has them, but each still gets its entry afterwards.
    Expected("basecast", "2", "2", "2", "k²", {"sync": "all"}),
    # Timestamps do not wait for the log, whose entries follow later. All groups propose the same
    # here, so that all skip the second decision; see below for one that is ahead.
    Expected("age", "2", "2", "1", "k²"),
    Expected("age", "2", "2", "2", "k²", {"skip": "no"}),
    # The second decision shares its slot with the last timestamp.
    Expected("age-star", "2", "2", "2", "k²"),
    # The message, and the empty instance for which its bundle asks in the other groups; the
    # entry of the bundle shares that instance's slot.
    Expected("ang", "2", "3", "2", "1 + m(m - 1)"),
    # The message, the first bundle in the others' logs, and their bundles in the log here.
    Expected("ang", "2", "3", "3", "1 + m(m - 1)", {"bundles": "logged"}),
    # A bundle is broadcast: m groups tell m - 1 others about each of m bundles.
    Expected("adt", "3", "4", "4", "1 + m²(m - 1)"),
    Expected("ring", "k", "k + 1", "k + 1", "2k - 1"),
    Expected("ring", "k - 1", "k", "k", "2k - 1", {"deliver_on": "hop"}),
    Expected("rodrigues", "4", "4", "4", "2k² - k"),
    Expected("genuine-dt", "6", "6", "6", "k + 5k(k - 1)"),
    # The client's own group is no ancestor of the others.
    Expected("tree", "levels", "levels", "levels", "1 + edges"),
    Expected("propagation", "depth", "1 + depth", "1 + depth", "k"),
    Expected("flexcast", "k - 1", "k", "k", "1 + k(k - 1)/2"),
)


def value(formula: str, dst: tuple[GroupId, ...]) -> int:
    """Of a formula as people write it."""
    python = re.sub(r"(?<=[\dkm²)])(?=[km(])", "*", formula)
    python = python.replace("²", "**2").replace("/", "//")
    names = {"k": len(dst), "m": len(GROUPS), "levels": BINARY.height(dst)}
    names |= {"edges": BINARY.edges_of(dst), "depth": GRAPH.depth(dst)}
    return int(eval(python, {"__builtins__": {}}, names))


TITLES = [expected.title for expected in TABLE]


@pytest.mark.parametrize("expected", TABLE, ids=TITLES)
class TestOneMessage:
    """Alone in the system, to two or three groups."""

    @pytest.mark.parametrize("dst", SETS[1:], ids="-".join)
    def test_rounds_and_entries(self, expected: Expected, dst: tuple[GroupId, ...]) -> None:
        found = cost(expected.factory, dst)
        assert found.delays == value(expected.outside, dst)
        assert found.rounds == value(expected.rounds, dst)
        assert found.entries == value(expected.entries, dst)

    def test_rounds_do_not_depend_on_where_the_client_is(self, expected: Expected) -> None:
        found = cost(expected.factory, ALL_THREE, ALL_THREE[0])
        assert found.delays == value(expected.inside, ALL_THREE)
        assert found.rounds == value(expected.rounds, ALL_THREE)

    def test_a_disk_adds_its_time_to_each_round(self, expected: Expected) -> None:
        """The leader writes while the followers do, so one of the writes is for free."""
        found = cost(expected.factory, ALL_THREE, replicas=5, sync_us=30)
        assert found.rounds == value(expected.rounds, ALL_THREE)

    def test_a_message_to_one_group_takes_one_round(self, expected: Expected) -> None:
        outside, inside = cost(expected.factory, SETS[0]), cost(expected.factory, SETS[0], "g2")
        # The sequencer is another group, through which local messages pass, too.
        hops = 1 if expected.protocol == "sequencer" else 0
        assert outside.at == {"g2": (1 + hops, 1 + hops)}
        assert inside.at == {"g2": (2 * hops, 1 + hops)}
        # An instance of one group, with eta = 1, makes all groups take part in a round.
        everybody = expected.title == "ang"
        m = len(GROUPS)
        assert outside.entries == (1 + m * (m - 1) if everybody else 1 + hops)

    def test_replicas_add_no_delay_between_groups(self, expected: Expected) -> None:
        messages, delays = cost_of_one(expected.factory, GROUPS, ALL_THREE, [None])
        found = cost(expected.factory, ALL_THREE)
        assert {group: at[0] for group, at in found.at.items()} == delays
        assert found.entries == messages


def test_every_protocol_is_in_the_table() -> None:
    assert list(dict.fromkeys(expected.protocol for expected in TABLE)) == list(PROTOCOLS)


@pytest.mark.parametrize("title", TITLES)
def test_rounds_follow_delays_unless_messages_bypass_the_log(title: str) -> None:
    expected = TABLE[TITLES.index(title)]
    found = cost(expected.factory, ALL_THREE)
    bypassing = {"age": 1, "ang": 2}
    assert all(rounds == bypassing.get(title, delays) for delays, rounds in found.at.values())


@pytest.mark.parametrize("title", ["age", "age-star", "basecast"])
def test_a_group_that_is_ahead_may_skip_a_round(title: str) -> None:
    """Messages to g3 alone let it propose the highest timestamp for the one to all."""
    found = cost(TABLE[TITLES.index(title)].factory, ALL_THREE, before=[("g3",)] * 4)
    own_rounds = 1 if title == "age" else 2
    assert found.at == {"g2": (2, 2), "g3": (2, own_rounds), "g4": (2, 2)}


@pytest.mark.parametrize("replicas", [3, 5])
@pytest.mark.parametrize("title", ["skeen", "age"])
def test_packets_of_one_message(title: str, replicas: int) -> None:
    """Each entry goes to all followers and back; each message is acknowledged to all replicas."""
    kinds = cost(TABLE[TITLES.index(title)].factory, ALL_THREE, replicas=replicas).kinds
    entries, messages = 9, 6
    assert kinds["accept"] == kinds["accepted"] == entries * (replicas - 1)
    # What bypasses the log must reach every replica by itself.
    assert kinds["timestamp"] == messages * (replicas if title == "age" else 1)
    assert kinds["ack"] == messages * replicas


def row_of(expected: Expected) -> str:
    """As it stands in the page: what a message to three of four groups takes, and the formulas."""
    inside = cost(expected.factory, ALL_THREE, ALL_THREE[0])
    found = cost(expected.factory, ALL_THREE)
    cells = (inside.delays, found.delays, f"{found.rounds:g}", found.entries)
    numbers = " | ".join(str(cell) for cell in cells)
    return f"| {expected.title} | {numbers} | {expected.rounds} | {expected.entries} |"


def test_the_page_tells_the_costs_as_measured() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    known = [row for row in rows if row.split(" | ")[0].removeprefix("| ") in TITLES]
    assert known == [row_of(expected) for expected in TABLE]


def test_the_page_tells_the_limits_as_they_are() -> None:
    text, plan = PAGE.read_text(), ReplicaPlan()
    latest_us = plan.election_us + plan.election_spread_us
    assert f"between {plan.election_us // 1000} and {latest_us // 1000} ms" in text
    assert f"period of a timer, here {plan.resend_us // 1000} ms" in text
    assert f"more than {OPEN_MAX:,} open messages" in text
    assert f"the last {plan.expire_after:,} slots" in text
