"""A leader that learns its open slots from another replica goes on as if votes had closed them."""

from __future__ import annotations

from amcast.consensus import ChangeMembers, Event, Proposed, ReadReady, ReadRequested, Received
from amcast.consensus.messages import Accept, Accepted, Learn, Message
from amcast.consensus.timers import HEARTBEAT
from tests.consensus.trio import Trio


def taught_late(event: Event) -> Trio:
    """Replica 2 leads, with `event` waiting for a slot that only a late Learn closes."""
    late: list[tuple[int, int, Message]] = []

    def holds_back(source: int, target: int, message: Message) -> bool:
        if isinstance(message, Learn):
            late.append((source, target, message))
        return isinstance(message, Learn)

    trio = Trio(window=1)
    trio.elect(0)
    trio.lost = lambda source, target, message: target == 2
    trio.step(0, Proposed((b"a",)))
    trio.settle()
    trio.lost = holds_back
    trio.fire(0, HEARTBEAT)
    trio.settle()
    trio.lost = lambda source, target, message: isinstance(message, Accept | Accepted)
    trio.elect(2)
    trio.step(2, event)
    trio.settle()
    trio.lost = lambda source, target, message: False
    for source, target, message in late:
        trio.step(target, Received(source, message))
    trio.settle()
    assert trio.applied[2][:1] == [b"a"]
    return trio


def test_queue_goes_on() -> None:
    assert taught_late(Proposed((b"b",))).applied[2] == [b"a", b"b"]


def test_read_is_served() -> None:
    assert taught_late(ReadRequested(1)).found(2, ReadReady) == [ReadReady(1)]


def test_change_of_members_is_proposed() -> None:
    trio = taught_late(ChangeMembers(remove=0))
    assert trio.replicas[2].memory.members == (1, 2)


def test_votes_for_learnt_slots_are_forgotten() -> None:
    leadership = taught_late(ReadRequested(1)).replicas[2].memory.leadership
    assert leadership is not None
    assert leadership.votes == {}
