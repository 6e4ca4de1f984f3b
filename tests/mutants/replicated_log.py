"""Bugs of the replicated log: its random worlds catch most, the test of a rule the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.consensus import test_consensus_membership as membership
from tests.consensus import test_consensus_storage as storage
from tests.consensus import test_consensus_voting as voting
from tests.consensus.mutants import MUTANTS, complaints, mutated
from tests.mutants.specimen import Specimen

# It takes thousands of random worlds to hit on these: four or five things have to go wrong in
# the right order. The rule that each breaks has a test of its own.
RULES: dict[str, Callable[[], None]] = {
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


def broken_rule(name: str) -> list[str]:
    """The rule that no longer holds with this bug."""
    test = RULES[name]
    try:
        with mutated(name):
            test()
    except AssertionError:
        return [f"rule: {test.__name__.removeprefix('test_').replace('_', ' ')}"]
    return []


LOG_SPECIMENS = tuple(
    Specimen(name, "the log", script=partial(broken_rule, name))
    if name in RULES
    else Specimen(name, "the log", world=partial(complaints, name))
    for name in MUTANTS
)
