"""The explorer sees every interleaving, counts them exactly, and finds what is wrong."""

from __future__ import annotations

import pytest

from amcast.protocols import PROTOCOLS, protocol_named
from amcast.scenarios import explorer
from amcast.sim.explore import State
from tests.mutants.catalogue import PAIR

TRIANGLE = (("g1", "g2"), ("g2", "g3"), ("g1", "g3"))


# Those whose schedules, for two messages to two groups, are few enough to list.
UNLISTABLE = ("age", "age-star", "ang", "adt", "genuine-dt", "rodrigues")
LISTABLE = [name for name in PROTOCOLS if name not in UNLISTABLE]


@pytest.mark.parametrize("protocol", LISTABLE)
@pytest.mark.parametrize("inside", [False, True])
def test_counts_equal_those_of_listing_every_schedule(protocol: str, inside: bool) -> None:
    """The slow way: walk every schedule, and tell two apart by what some group sees."""
    exploring = explorer(protocol_named(protocol), 2, PAIR, inside=inside)
    seen: dict[tuple[tuple[int, ...], ...], int] = {}

    def walk(state: State, sequences: tuple[tuple[int, ...], ...]) -> None:
        moves = list(exploring._moves(state))
        if not moves:
            seen[sequences] = seen.get(sequences, 0) + 1
        for event, following in moves:
            place = exploring._steps.place_of(event)
            longer = list(sequences)
            longer[place] = (*longer[place], event)
            walk(following, tuple(longer))

    walk(exploring._start(), ((), ()))
    found = exploring.explore()
    assert (found.schedules, found.classes) == (sum(seen.values()), len(seen))
    assert found.complete
    assert found.violations == ()


@pytest.mark.parametrize(
    ("protocol", "schedules", "classes", "states"),
    [
        ("skeen", 17_740_800, 5_582, 9_066),
        ("skeen-coordinator", 2_217_600, 1_632, 2_731),
        ("two-phase", 34_650, 190, 600),
        ("sequencer", 178, 6, 95),
        ("tree", 178, 6, 95),
    ],
)
def test_three_messages_in_a_triangle(
    protocol: str, schedules: int, classes: int, states: int
) -> None:
    found = explorer(protocol_named(protocol), 3, TRIANGLE).explore()
    assert (found.schedules, found.classes, found.states) == (schedules, classes, states)
    assert found.complete
    assert found.violations == ()


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("protocol", "schedules", "classes", "states"),
    [
        ("ang", 8, 4, 23),
        ("adt", 154, 48, 93),
        ("rodrigues", 532_224, 16_232, 1_907),
        ("age", 155_116, 4_992, 3_119),
        ("genuine-dt", 185_545_740, 4_174, 7_385),
        ("age-star", 10_017_216, 61_680, 17_937),
    ],
)
def test_two_messages_where_schedules_are_not_listed(
    protocol: str, schedules: int, classes: int, states: int, inside: bool
) -> None:
    found = explorer(protocol_named(protocol), 2, PAIR, inside=inside).explore()
    assert (found.schedules, found.classes, found.states) == (schedules, classes, states)
    assert found.complete
    assert found.violations == ()


@pytest.mark.parametrize(
    ("protocol", "chosen", "states"),
    [
        ("skeen", "global_order=yes", 1_239),
        ("basecast", "sync=all", 11_587),
        ("age", "skip=no", 17_937),
        ("ang", "bundles=logged", 23),
        ("ang", "eta=2 kappa=1", 131),
        ("adt", "eta=1", 1_167),
        ("ring", "deliver_on=hop", 17),
        ("ring", "local_bypass=yes", 17),
        ("flexcast", "paper_rule=yes", 11),
    ],
)
def test_two_messages_with_other_options(protocol: str, chosen: str, states: int) -> None:
    options = dict(each.split("=") for each in chosen.split())
    found = explorer(protocol_named(protocol), 2, PAIR, options=options).explore()
    assert found.states == states
    assert found.complete
    assert found.violations == ()


def test_commuting_messages_end_in_more_ways() -> None:
    keys = (("a",), ("b",))
    endings = [
        explorer(protocol_named("generic"), 2, PAIR, keys=own).explore().endings
        for own in ((), keys)
    ]
    assert endings[0] < endings[1]


def test_a_bound_is_said_out_loud() -> None:
    found = explorer(protocol_named("skeen"), 3, TRIANGLE, states_max=1000).explore()
    assert not found.complete
    assert found.states <= 1000
    assert found.classes == 0
