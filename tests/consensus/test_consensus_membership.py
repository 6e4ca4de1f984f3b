"""Changes of the members, message by message."""

from __future__ import annotations

import pytest

from amcast.consensus import (
    Apply,
    Ballot,
    BecameLeader,
    ChangeMembers,
    ChangeRefused,
    ChosenRecord,
    Entry,
    InstallSnapshot,
    MembersChanged,
    Proposed,
    ReadReady,
    ReadRequested,
    Received,
    Refused,
    Send,
    SteppedDown,
    StorageFailed,
)
from amcast.consensus.messages import Accept, Accepted, Canvass, Heartbeat, Learn, Prepare, Promise
from amcast.consensus.timers import ELECTION
from tests.consensus.trio import Trio, sent


def changed(trio: Trio, **change: int) -> Trio:
    trio.step(0, ChangeMembers(**change))
    trio.settle()
    return trio


def led(size: int = 3, **settings: int) -> Trio:
    trio = Trio(size, **settings)
    trio.elect(0)
    return trio


def members(trio: Trio, *who: int) -> list[tuple[int, ...]]:
    return [trio.replicas[replica].memory.members for replica in who]


def test_added_replica_catches_up_votes_and_may_lead() -> None:
    trio = led()
    trio.step(0, Proposed((b"before",)))
    trio.settle()
    assert trio.join() == 3
    changed(trio, add=3)
    trio.beat(0)
    assert members(trio, 0, 1, 2, 3) == [(0, 1, 2, 3)] * 4
    assert trio.applied[3] == [b"before"]
    # A quorum of four is three: without the new vote nothing would be chosen.
    trio.lost = lambda source, target, message: 2 in (source, target)
    trio.step(0, Proposed((b"after",)))
    trio.settle()
    assert trio.applied[0] == [b"before", b"after"]
    trio.lost = lambda source, target, message: 0 in (source, target)
    trio.elect(3)


def test_leader_asks_the_new_members_before_it_goes_on() -> None:
    trio = changed(led(), remove=2)
    assert trio.found(0, SteppedDown) == [SteppedDown()]
    assert [effect.ballot.round for effect in trio.found(0, BecameLeader)] == [1, 2]
    assert trio.found(0, MembersChanged) == [MembersChanged((0, 1), 1)]
    assert [effect.batch for effect in trio.found(0, Apply)] == [()]


def test_removed_replica_hears_of_it_and_falls_silent() -> None:
    trio = changed(led(), remove=2)
    assert trio.found(2, MembersChanged) == [MembersChanged((0, 1), 1)]
    trio.effects[2].clear()
    trio.fire(2, ELECTION)
    trio.fire(2, ELECTION)
    ballot = trio.replicas[0].memory.promised
    trio.step(2, Received(0, Prepare(ballot, 0)))
    trio.step(2, Received(0, Accept(ballot, 5, (b"x",), 0)))
    assert trio.found(2, Send) == []
    # But it teaches one that still counts on it.
    effects = trio.step(2, Received(1, Canvass(9, 0)))
    assert [message.commit for message in sent(effects, Learn)] == [1]
    trio.restart(2)
    assert trio.replicas[2].memory.removed


def test_leader_that_is_removed_stops_and_the_others_go_on() -> None:
    trio = changed(led(), remove=0)
    assert trio.replicas[0].memory.leadership is None
    assert members(trio, 1, 2) == [(1, 2)] * 2
    trio.elect(1)
    trio.step(1, Proposed((b"a",)))
    trio.settle()
    trio.beat(1)
    assert (trio.applied[0], trio.applied[1], trio.applied[2]) == ([], [b"a"], [b"a"])


def test_change_waits_for_open_slots_and_holds_back_those_behind_it() -> None:
    trio = led()
    trio.step(0, Proposed((b"open",)))
    trio.step(0, ReadRequested(1))
    assert trio.step(0, ChangeMembers(remove=2)) == []
    assert trio.step(0, Proposed((b"behind",))) == []
    opened: list[int] = []
    trio.lost = lambda source, target, message: bool(
        isinstance(message, Accept) and target == 1 and opened.append(message.slot)
    )
    trio.settle()
    assert opened == [1, 2]
    assert trio.found(0, ReadReady) == [ReadReady(1)]
    # It was not proposed under the old members, so its proposer has to ask again.
    assert trio.found(0, Refused) == [Refused((b"behind",), None)]
    assert trio.applied[0] == [b"open"]


def test_no_read_is_served_by_who_is_about_to_hand_over() -> None:
    trio = led()
    trio.lost = lambda source, target, message: isinstance(message, Accepted)
    changed(trio, remove=2)
    memory = trio.replicas[0].memory
    assert memory.leadership is not None
    memory.leadership.recovered = 1
    trio.step(0, ReadRequested(4))
    trio.settle()
    trio.lost = lambda source, target, message: False
    trio.beat(0)
    trio.beat(0)
    assert memory.members == (0, 1)
    assert trio.found(0, ReadReady) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "adds one replica or removes one"),
        ({"add": 3, "remove": 1}, "adds one replica or removes one"),
        ({"add": 2}, "ids are used once, the next is 3"),
        ({"remove": 7}, "cannot be removed: the members are"),
    ],
)
def test_impossible_changes_are_refused(change: dict[str, int], words: str) -> None:
    (refusal,) = led().step(0, ChangeMembers(**change))
    assert isinstance(refusal, ChangeRefused)
    assert words in refusal.reason


def test_last_member_stays() -> None:
    (refusal,) = led(1).step(0, ChangeMembers(remove=0))
    assert isinstance(refusal, ChangeRefused)
    assert "the last one" in refusal.reason


def test_id_of_a_removed_replica_is_not_used_again() -> None:
    trio = changed(led(), remove=2)
    (refusal,) = trio.step(0, ChangeMembers(add=2))
    assert isinstance(refusal, ChangeRefused)
    assert "the next is 3" in refusal.reason


def test_only_the_leader_changes_members_and_one_at_a_time() -> None:
    trio = led()
    assert trio.step(1, ChangeMembers(remove=2)) == [ChangeRefused("this replica does not lead", 0)]
    trio.step(0, ChangeMembers(remove=2))
    assert trio.step(0, ChangeMembers(remove=1)) == [
        ChangeRefused("another change of members is under way", 0)
    ]


def test_change_that_still_waits_is_refused_by_who_steps_down() -> None:
    trio = led()
    trio.step(0, Proposed((b"open",)))
    trio.step(0, ChangeMembers(remove=2))
    assert trio.step(0, StorageFailed()) == [
        SteppedDown(),
        ChangeRefused("this replica does not lead any more", None),
    ]
    assert isinstance(trio.step(0, ChangeMembers(remove=2))[0], ChangeRefused)


def test_newcomer_waits_to_be_let_in() -> None:
    trio = led()
    newcomer = trio.join()
    trio.fire(newcomer, ELECTION)
    trio.fire(newcomer, ELECTION)
    assert trio.found(newcomer, Send) == []
    assert not trio.replicas[newcomer].memory.removed


def test_change_is_known_again_after_a_restart() -> None:
    trio = changed(led(), remove=2)
    assert ChosenRecord(1) in trio.records[1]
    trio.restart(1)
    assert members(trio, 1) == [(0, 1)]
    assert trio.found(1, MembersChanged)[-1] == MembersChanged((0, 1), 1)


def test_snapshot_carries_the_members_of_its_slot() -> None:
    trio = led(snapshot_every=2, entries_kept=0)
    trio.lost = lambda source, target, message: target == 1
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    changed(trio, remove=2)
    trio.lost = lambda source, target, message: False
    assert trio.replicas[0].memory.snapshot.members == (0, 1)
    # Replica 1 has missed the change and gets the snapshot.
    trio.step(1, Received(0, Heartbeat(trio.replicas[0].memory.promised, 2, 0)))
    trio.settle()
    assert trio.found(1, InstallSnapshot) == [InstallSnapshot(2, b"state after 2")]
    assert trio.found(1, MembersChanged) == [MembersChanged((0, 1), 2)]


def test_new_leader_stops_at_a_change_that_it_finds() -> None:
    """What was accepted behind it was accepted by other members."""
    trio = Trio()
    ballot = trio.campaign(1, supporters=(2,))
    old = Ballot(1, 0)
    accepted = (Entry(1, old, (), (0, 1)), Entry(2, old, (b"behind",)))
    trio.step(1, Received(1, Promise(ballot, 0, ())))
    effects = trio.step(1, Received(2, Promise(ballot, 0, accepted)))
    assert sent(effects, Accept) == [Accept(ballot, 1, (), 0, (0, 1))] * 2


def test_promises_of_the_old_members_win_nothing_after_a_change() -> None:
    trio = Trio(size=5)
    ballot = trio.campaign(1, supporters=(3, 4))
    candidate = trio.replicas[1].memory
    trio.step(1, Received(1, Promise(ballot, 0, ())))
    trio.step(1, Received(4, Promise(ballot, 0, ())))
    change = Entry(1, Ballot(1, 0), (), (0, 1, 2, 3))
    trio.step(1, Received(0, Learn((change,), 1)))
    assert candidate.members == (0, 1, 2, 3)
    trio.step(1, Received(3, Promise(ballot, 0, ())))
    assert candidate.leadership is None
