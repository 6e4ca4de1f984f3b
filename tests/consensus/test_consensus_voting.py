"""Ballots, votes, elections and the window of open slots, message by message."""

from __future__ import annotations

from amcast.consensus import (
    AcceptRecord,
    Apply,
    Ballot,
    Entry,
    Persist,
    PromiseRecord,
    Proposed,
    ReadReady,
    ReadRefused,
    ReadRequested,
    Received,
    Refused,
    Send,
    SteppedDown,
    StorageFailed,
    Sync,
)
from amcast.consensus.messages import (
    Accept,
    Accepted,
    Canvass,
    Heartbeat,
    HeartbeatAck,
    Learn,
    Nack,
    Prepare,
    Promise,
    Support,
)
from amcast.consensus.timers import ELECTION
from tests.consensus.trio import Trio, between, lagging, sent


def test_vote_and_promise_wait_for_the_disk() -> None:
    trio = Trio()
    ballot = Ballot(1, 1)
    effects = trio.step(0, Received(1, Prepare(ballot, 0)))
    assert effects == [
        Persist(PromiseRecord(ballot)),
        Sync(),
        Send(1, Promise(ballot, 0, ())),
    ]
    effects = trio.step(0, Received(1, Accept(ballot, 1, (b"a",), 0)))
    assert effects == [
        Persist(AcceptRecord(Entry(1, ballot, (b"a",)))),
        Sync(),
        Send(1, Accepted(ballot, 1)),
    ]


def test_own_vote_waits_for_the_disk_and_the_others_do_not() -> None:
    trio = Trio()
    trio.elect(0)
    effects = trio.step(0, Proposed((b"a",)))
    kinds = [type(effect) for effect in effects]
    assert kinds == [Send, Send, Persist, Sync, Send]
    assert effects[-1] == Send(0, Accepted(Ballot(1, 0), 1))
    trio.lost = lambda source, target, message: source == 0 == target
    trio.settle()
    # Two others are a quorum of three even while the leader's own disk is slow.
    assert trio.applied[0] == [b"a"]


def test_own_ballot_is_durable_before_it_is_used() -> None:
    trio = Trio()
    ballot = trio.campaign(1, supporters=(2,))
    kept = [effect for effect in trio.effects[1] if isinstance(effect, Persist | Sync)]
    assert kept[-2:] == [Persist(PromiseRecord(ballot)), Sync()]
    assert len(sent(trio.effects[1], Prepare)) == 3
    trio.restart(1)
    assert trio.campaign(1, supporters=(2,)) > ballot


def test_votes_of_an_older_ballot_do_not_count() -> None:
    trio = Trio()
    trio.elect(0)
    older = trio.replicas[0].memory.promised
    trio.step(0, Received(1, Nack(older, Ballot(4, 1))))
    trio.elect(0)
    trio.step(0, Proposed((b"a",)))
    trio.step(0, Received(1, Accepted(older, 1)))
    trio.step(0, Received(2, Accepted(older, 1)))
    assert trio.applied[0] == []


def test_who_learns_a_chosen_value_refuses_lower_ballots() -> None:
    trio = Trio()
    trio.step(0, Received(1, Learn((Entry(1, Ballot(5, 1), (b"chosen",)),), 1)))
    late = Accept(Ballot(3, 2), 1, (b"other",), 0)
    assert trio.step(0, Received(2, late)) == [Send(2, Nack(Ballot(3, 2), Ballot(5, 1)))]


def test_lower_ballots_are_refused_and_depose_whoever_used_them() -> None:
    trio = Trio()
    trio.elect(0)
    trio.lost = between(0, 1)
    trio.elect(1)
    trio.step(0, Proposed((b"late",)))
    trio.lost = lambda source, target, message: False
    trio.settle()
    assert trio.found(0, SteppedDown)
    assert trio.applied == [[], [], []]
    trio.beat(1)
    assert trio.replicas[0].memory.leader == 1


def test_new_leader_proposes_again_what_may_have_been_chosen() -> None:
    trio = Trio()
    trio.elect(0)
    trio.lost = lambda source, target, message: isinstance(message, Accepted)
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    assert trio.applied == [[], [], []]
    trio.lost = lambda source, target, message: 0 in (source, target)
    trio.elect(1)
    trio.beat(1)
    assert trio.applied[1:] == [[b"a"], [b"a"]]


def test_gap_before_a_value_is_filled_with_nothing() -> None:
    trio = Trio()
    trio.elect(0)
    trio.lost = lambda source, target, message: isinstance(message, Accept) and message.slot == 1
    trio.step(0, Proposed((b"a",)))
    trio.step(0, Proposed((b"b",)))
    trio.settle()
    trio.lost = lambda source, target, message: 0 in (source, target)
    trio.elect(1)
    trio.beat(1)
    assert [effect.batch for effect in trio.found(2, Apply)] == [(), (b"b",)]


# Elections.


def test_nobody_supports_a_rival_of_a_leader_it_hears() -> None:
    trio = Trio()
    trio.elect(0)
    trio.beat(0)
    trio.replicas[2].memory.leader_heard = False
    trio.fire(2, ELECTION)
    trio.settle()
    assert trio.replicas[0].memory.leadership is not None
    assert trio.replicas[2].memory.promised == Ballot(1, 0)


def test_one_too_far_behind_gets_no_support() -> None:
    trio = lagging(1, snapshot_every=1, entries_kept=0)
    trio.lost = lambda source, target, message: target == 2
    trio.beat(0)
    trio.replicas[1].memory.leader_heard = False
    assert trio.step(1, Received(2, Canvass(5, 0))) == []
    assert trio.step(1, Received(2, Canvass(5, 1))) == [Send(2, Support(5))]


def test_leader_without_a_quorum_steps_down() -> None:
    trio = Trio()
    trio.elect(0)
    trio.fire(0, ELECTION)
    trio.lost = lambda source, target, message: True
    trio.settle()
    trio.fire(0, ELECTION)
    assert trio.found(0, SteppedDown) == [SteppedDown()]
    assert trio.step(0, Proposed((b"x",))) == [Refused((b"x",), None)]


def test_leader_elected_just_before_its_election_timer_fires_goes_on() -> None:
    trio = Trio()
    trio.lost = lambda source, target, message: isinstance(message, Heartbeat | HeartbeatAck)
    trio.elect(0)
    trio.fire(0, ELECTION)
    assert trio.found(0, SteppedDown) == []
    trio.fire(0, ELECTION)
    assert trio.found(0, SteppedDown) == [SteppedDown()]


def test_group_of_one_leads_itself() -> None:
    trio = Trio(size=1)
    trio.elect(0)
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    trio.step(0, ReadRequested(1))
    assert trio.applied == [[b"a"]]
    assert trio.found(0, ReadReady) == [ReadReady(1)]


def test_failed_storage_silences_a_leader_until_it_is_recovered() -> None:
    trio = Trio(window=1)
    trio.elect(0)
    trio.step(0, Proposed((b"a",)))
    trio.step(0, Proposed((b"waits",)))
    trio.step(0, ReadRequested(7))
    assert trio.step(0, StorageFailed()) == [
        SteppedDown(),
        Refused((b"waits",), None),
        ReadRefused(7, None),
    ]
    assert trio.step(0, Received(1, Prepare(Ballot(9, 1), 0))) == []
    assert trio.step(0, Proposed((b"x",))) == [Refused((b"x",), None)]
    assert trio.step(0, ReadRequested(8)) == [ReadRefused(8, None)]
    trio.restart(0)
    trio.lost = lambda source, target, message: False
    assert sent(trio.step(0, Received(1, Prepare(Ballot(9, 1), 0))), Promise)


# Proposing.


def test_followers_refuse_and_name_the_leader() -> None:
    trio = Trio()
    trio.elect(0)
    assert trio.step(1, Proposed((b"x", b"y"))) == [Refused((b"x", b"y"), 0)]
    assert trio.step(1, ReadRequested(3)) == [ReadRefused(3, 0)]


def test_window_bounds_the_open_slots_and_the_rest_shares_the_next() -> None:
    trio = Trio(window=2, batch_max=3)
    trio.elect(0)
    trio.effects[0].clear()
    for number in range(7):
        trio.step(0, Proposed((b"%d" % number,)))
    opened = sent(trio.effects[0], Accept)[::2]
    assert [message.batch for message in opened] == [(b"0",), (b"1",)]
    trio.settle()
    assert [effect.batch for effect in trio.found(0, Apply)] == [
        (b"0",), (b"1",), (b"2", b"3", b"4"), (b"5", b"6"),
    ]  # fmt: skip


def test_lost_accepts_are_sent_again_at_the_second_heartbeat() -> None:
    trio = Trio()
    trio.elect(0)
    trio.lost = lambda source, target, message: isinstance(message, Accept)
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    trio.beat(0)
    trio.lost = lambda source, target, message: False
    trio.beat(0)
    assert trio.applied[0] == [b"a"]


def test_queue_and_reads_are_bounded() -> None:
    trio = Trio(window=1, queue_max=2)
    trio.elect(0)
    for command in (b"open", b"a", b"b"):
        trio.step(0, Proposed((command,)))
    assert trio.step(0, Proposed((b"c",))) == [Refused((b"c",), None)]
    trio.step(0, ReadRequested(1))
    trio.step(0, ReadRequested(2))
    assert trio.step(0, ReadRequested(3)) == [ReadRefused(3, None)]
    trio.settle()
    assert trio.applied[0] == [b"open", b"a", b"b"]
