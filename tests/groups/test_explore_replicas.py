"""Every schedule of small replicated groups within a bound; known bugs do not get through it.

`python -m tests.groups.test_explore_replicas` goes further, for some minutes.
"""

from __future__ import annotations

import sys
import time

import pytest

from amcast.core import MessageId, Multicast
from amcast.protocols import protocol_named
from amcast.sim.explore_replicas import ReplicaExplorer
from amcast.sim.replica_moves import State
from tests.consensus.mutants import mutated
from tests.groups.group_mutants import GROUP_MUTANTS

# Groups, messages, deviations, whether a leader crashes: minutes, and a gigabyte.
FURTHER = ((2, 2, 0, True), (2, 2, 2, False), (1, 1, 2, True), (2, 2, 1, True))

# Mutants of replicated groups, with the messages and the deviations that it takes to see them.
CAUGHT = (
    ("An outbox entry is dropped when its message is delivered here.", 2, 0),
    ("Repeats are dropped by the leader, not in the replicated state.", 1, 1),
    ("Messages are acknowledged when they arrive, not from the log.", 2, 0),
    ("A client that asks again is taken for a new one.", 2, 0),
    ("A new leader does not send again what the last one left.", 1, 1),
)


def exploring(
    groups: int, messages: int, deviations: int, crash: bool, protocol: str = "skeen"
) -> ReplicaExplorer:
    chosen = protocol_named(protocol)
    names = tuple(f"g{number}" for number in range(1, groups + 1))
    multicasts = [Multicast(MessageId(f"c{n}", 1), names) for n in range(1, messages + 1)]
    return ReplicaExplorer(
        chosen.factory(names, None),
        names,
        multicasts,
        chosen.promises,
        deviations=deviations,
        crash=crash,
    )


@pytest.mark.parametrize("protocol", ["skeen", "two-phase", "basecast", "age-star"])
def test_a_leader_may_crash_between_any_two_effects(protocol: str) -> None:
    found = exploring(2, 2, 0, True, protocol).explore()
    assert found.complete
    assert found.violations == ()
    # Three may stand after each crash, of which there are some dozens.
    assert found.schedules > 100
    assert found.states > found.schedules


@pytest.mark.parametrize(
    ("groups", "messages", "crash"), [(2, 2, False), (1, 2, False), (1, 1, True)]
)
def test_one_packet_may_be_early_or_late(groups: int, messages: int, crash: bool) -> None:
    found = exploring(groups, messages, 1, crash).explore()
    assert found.complete
    assert found.violations == ()
    assert found.schedules > 100


def test_deviations_let_either_message_come_first() -> None:
    assert exploring(1, 2, 0, False).explore().endings == 1
    assert exploring(1, 2, 1, False).explore().endings == 2


@pytest.mark.parametrize(("deviations", "crash"), [(0, True), (1, False)])
def test_counts_equal_those_of_listing_every_schedule(deviations: int, crash: bool) -> None:
    """The slow way: walk every schedule, whether it was seen before or not."""
    explorer = exploring(1, 1, deviations, crash)
    world = explorer._world

    def walk(state: State, budget: int) -> int:
        following = [walk(move.state, budget - move.cost) for move in world.moves(state, budget)]
        return sum(following) or 1

    assert explorer.explore().schedules == walk(world.start(), deviations)


def test_the_same_exploration_twice_is_the_same() -> None:
    one, two = exploring(1, 2, 0, True).explore(), exploring(1, 2, 0, True).explore()
    assert one == two
    assert "deviations: at most 0, crashes of a leader: at most 1" in str(one)


def test_an_exploration_that_is_cut_short_says_so() -> None:
    explorer = exploring(2, 2, 1, True)
    explorer._states_max = 100
    found = explorer.explore()
    assert not found.complete
    assert found.states == 100
    assert str(found).startswith("cut short")


@pytest.mark.parametrize(("what", "messages", "deviations"), CAUGHT)
def test_known_bug_is_caught(what: str, messages: int, deviations: int) -> None:
    mutant = next(mutant for mutant in GROUP_MUTANTS if mutant.what == what)
    with mutant.in_place():
        found = exploring(2, messages, deviations, True).explore()
        assert found.violations
        for fewer in range(deviations):
            assert not exploring(2, messages, fewer, True).explore().violations
    assert not found.complete
    assert any(line.startswith("crash after") for line in found.story)


@pytest.mark.parametrize("name", ["new leader ignores accepted values", "no catch-up"])
def test_known_bug_of_the_log_is_caught(name: str) -> None:
    with mutated(name):
        found = exploring(2, 2, 0, True).explore()
    assert found.violations
    assert any(line.startswith("crash after") for line in found.story)


def main() -> None:
    for groups, messages, deviations, crash in FURTHER:
        _report(f"groups of 3: {groups}, messages: {messages}", groups, messages, deviations, crash)
    with mutated("vote sent before sync"):
        _report("votes sent before they are on the disk", 1, 1, 2, True)


def _report(what: str, groups: int, messages: int, deviations: int, crash: bool) -> None:
    started = time.process_time()
    found = exploring(groups, messages, deviations, crash).explore(
        lambda states: print(f"\r{states:,} states", end="", file=sys.stderr)
    )
    verdict = "; ".join(found.violations) or "no violation"
    print(f"\r{what}, {found}, {verdict}, {time.process_time() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
