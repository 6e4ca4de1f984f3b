"""Every known way to get the log wrong is caught, by a random world or by the test of a rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.consensus import test_consensus_membership as membership
from tests.consensus import test_consensus_storage as storage
from tests.consensus import test_consensus_voting as voting
from tests.consensus.mutants import MUTANTS, complaint, mutated

# The first seed that catches each. After a change of the worlds it may be another.
CAUGHT_BY = {
    "vote not persisted": 0,
    "vote sent before sync": 4,
    "own vote counted before sync": 226,
    "quorum of f": 3,
    "commit index ahead of the log": 22,
    "slots applied out of order": 1,
    "accepts below its promise": 21,
    "new leader ignores accepted values": 1,
    "ignores values of lower ballots": 1,
    "picks the lowest ballot": 99,
    "leads from behind a snapshot": 108,
    "teaches what is not chosen": 3,
    "votes forgotten on restart": 0,
    "snapshot does not move commit": 3,
    "truncation before sync": 58,
    "read without confirmation": 4,
    "read before recovery": 4,
    "nothing re-sent": 1,
    "no catch-up": 1,
    "members count before they are chosen": 0,
    "leads on after a change": 1,
    "snapshot without the members": 7,
    "snapshot with later members": 38,
    "removed replica goes on": 1,
    "outsider campaigns": 7,
    "quorum of three members for ever": 1,
    "change forgotten on restart": 1,
}
SEARCH_TO = 400

# It takes a thousand random worlds or more to hit on these: four or five things have to go
# wrong in the right order. The rule that each breaks has a test of its own.
CAUGHT_BY_RULE: dict[str, Callable[[], None]] = {
    "own ballot not persisted": voting.test_own_ballot_is_durable_before_it_is_used,
    "promise not persisted": voting.test_vote_and_promise_wait_for_the_disk,
    "promise sent before sync": voting.test_vote_and_promise_wait_for_the_disk,
    "votes of other ballots counted": voting.test_votes_of_an_older_ballot_do_not_count,
    "learnt entry raises no promise": voting.test_who_learns_a_chosen_value_refuses_lower_ballots,
    "compaction loses the promise": (
        storage.test_compaction_keeps_the_highest_promise_and_the_newest_snapshot
    ),
    "change is not a barrier": (
        membership.test_change_waits_for_open_slots_and_holds_back_those_behind_it
    ),
    "old members are not taught": membership.test_removed_replica_hears_of_it_and_falls_silent,
    "proposes behind a change that it found": (
        membership.test_new_leader_stops_at_a_change_that_it_finds
    ),
    "candidacy survives a change": (
        membership.test_promises_of_the_old_members_win_nothing_after_a_change
    ),
}


@pytest.mark.parametrize("name", CAUGHT_BY)
def test_mutant_is_caught_by_a_world(name: str) -> None:
    with mutated(name):
        assert any(complaint(seed) for seed in (CAUGHT_BY[name], *range(SEARCH_TO)))
    assert complaint(CAUGHT_BY[name]) is None


@pytest.mark.parametrize("name", CAUGHT_BY_RULE)
def test_mutant_is_caught_by_a_rule(name: str) -> None:
    with mutated(name), pytest.raises(AssertionError):
        CAUGHT_BY_RULE[name]()


def test_every_mutant_is_caught() -> None:
    assert {*CAUGHT_BY, *CAUGHT_BY_RULE} == set(MUTANTS)


def test_mutants_put_back_what_they_replace() -> None:
    owner, attribute, replacement = MUTANTS["quorum of f"]
    original = owner.__dict__[attribute]
    with mutated("quorum of f"):
        assert owner.__dict__[attribute] is replacement
    assert owner.__dict__[attribute] is original
