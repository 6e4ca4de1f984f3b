"""Reads, catching up and snapshots, message by message."""

from __future__ import annotations

from amcast.consensus import (
    Ballot,
    BecameLeader,
    InstallSnapshot,
    Persist,
    Proposed,
    ReadReady,
    ReadRefused,
    ReadRequested,
    Received,
    Send,
    Snapshot,
    SteppedDown,
    Sync,
    Truncate,
)
from amcast.consensus.messages import (
    Accept,
    Accepted,
    CatchUp,
    Heartbeat,
    HeartbeatAck,
    Learn,
    Message,
    Nack,
    Promise,
    StateTransfer,
    Support,
)
from amcast.consensus.timers import ELECTION
from tests.consensus.trio import Trio, lagging


def test_read_waits_for_a_confirmation_that_is_newer_than_it() -> None:
    trio = Trio()
    trio.elect(0)
    trio.beat(0)
    trio.lost = lambda source, target, message: isinstance(message, HeartbeatAck)
    trio.step(0, ReadRequested(1))
    trio.settle()
    ballot = Ballot(1, 0)
    assert trio.step(0, Received(1, HeartbeatAck(ballot, 0))) == []
    assert trio.step(0, Received(1, HeartbeatAck(ballot, 1))) == [ReadReady(1)]


def test_read_waits_for_what_earlier_leaders_may_have_chosen() -> None:
    trio = Trio()
    trio.elect(0)
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    trio.lost = lambda source, target, message: isinstance(message, Accept | Accepted)
    trio.elect(1)
    trio.step(1, ReadRequested(1))
    trio.settle()
    assert trio.found(1, ReadReady) == []
    trio.lost = lambda source, target, message: False
    trio.beat(1)
    trio.beat(1)
    assert trio.found(1, ReadReady) == [ReadReady(1)]
    assert trio.applied[1] == [b"a"]


def test_deposed_leader_refuses_its_reads() -> None:
    trio = Trio()
    trio.elect(0)
    trio.lost = lambda source, target, message: isinstance(message, HeartbeatAck)
    trio.step(0, ReadRequested(1))
    trio.settle()
    assert trio.step(0, Received(2, Nack(Ballot(1, 0), Ballot(4, 2)))) == [
        SteppedDown(),
        ReadRefused(1, None),
    ]


def test_lagging_replica_learns_a_few_entries_at_a_time() -> None:
    trio = lagging(7, catch_up_max=3)
    heard: list[Message] = []
    trio.lost = lambda source, target, message: bool(heard.append(message))
    trio.beat(0)
    lessons = [len(message.entries) for message in heard if isinstance(message, Learn)]
    assert lessons == [3, 3, 1]
    assert trio.applied[2] == trio.applied[0]


def test_replica_behind_the_truncated_log_gets_the_snapshot() -> None:
    trio = lagging(5, snapshot_every=4, entries_kept=1)
    assert trio.found(0, Truncate) == [Truncate(3)]
    trio.beat(0)
    assert trio.found(2, InstallSnapshot) == [InstallSnapshot(4, b"state after 4")]
    assert trio.applied[2] == [b"4"]
    assert trio.replicas[2].memory.commit == 5


def test_entries_kept_save_a_transfer() -> None:
    trio = lagging(5, snapshot_every=4, entries_kept=4)
    trio.beat(0)
    assert trio.found(2, InstallSnapshot) == []
    assert trio.applied[2] == trio.applied[0]


def test_truncation_waits_for_the_snapshot_to_be_durable() -> None:
    trio = lagging(1, snapshot_every=1, entries_kept=0)
    kinds = [type(effect) for effect in trio.effects[0]]
    truncated = kinds.index(Truncate)
    assert kinds[truncated - 2 : truncated + 1] == [Persist, Sync, Truncate]


def test_candidate_that_lacks_truncated_slots_asks_instead_of_leading() -> None:
    trio = lagging(3, snapshot_every=1, entries_kept=0)
    trio.fire(2, ELECTION)
    trio.fire(2, ELECTION)
    candidate = trio.replicas[2].memory
    assert candidate.canvassing is not None
    trio.step(2, Received(1, Support(candidate.canvassing.round)))
    assert candidate.candidacy is not None
    effects = trio.step(2, Received(1, Promise(candidate.candidacy.ballot, 3, ())))
    assert effects == [Send(1, CatchUp(0))]
    assert candidate.candidacy is None
    assert trio.found(2, BecameLeader) == []


def test_commit_index_is_not_trusted_for_entries_of_older_ballots() -> None:
    trio = Trio()
    trio.step(2, Received(0, Accept(Ballot(1, 0), 1, (b"old",), 0)))
    effects = trio.step(2, Received(1, Heartbeat(Ballot(2, 1), 1, 0)))
    assert effects[-1] == Send(1, CatchUp(0))
    assert trio.applied[2] == []


def test_leader_does_not_jump_to_a_snapshot_that_it_asked_for_before() -> None:
    """It would pass over slots that it has open, and never have them applied."""
    trio = Trio(snapshot_every=2, entries_kept=0)
    trio.elect(0)
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    transfer = StateTransfer(Snapshot(9, Ballot(1, 0), b"state after 9", (0, 1, 2), 3))
    trio.elect(2)
    trio.step(2, Received(0, transfer))
    assert trio.found(2, InstallSnapshot) == []
    trio.step(2, Proposed((b"b",)))
    trio.settle()
    assert trio.applied[2] == [b"a", b"b"]
