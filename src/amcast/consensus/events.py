"""What can happen to one replica."""

from __future__ import annotations

import msgspec

from amcast.consensus.messages import Message
from amcast.consensus.values import Batch, ReplicaId, Slot


class Event(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Base of all events."""


class Started(Event, frozen=True):
    """The first event of every replica, new or recovered."""


class Received(Event, frozen=True):
    """`message` arrived from replica `source`, possibly this one."""

    source: ReplicaId
    message: Message


class Proposed(Event, frozen=True):
    """The application asks that `commands` be put into the log."""

    commands: Batch


class ReadRequested(Event, frozen=True):
    """The application wants to read its state; `read` names the request."""

    read: int


class ChangeMembers(Event, frozen=True):
    """The operator adds a replica, of an id never used before, or removes one.

    A new replica should run already: it counts as a member at once, though its log is empty.
    """

    add: ReplicaId | None = None
    remove: ReplicaId | None = None


class TimerFired(Event, frozen=True):
    """A timer ran out. A generation that is not the timer's newest is ignored."""

    timer: str
    generation: int


class SnapshotTaken(Event, frozen=True):
    """The answer to `TakeSnapshot`: the application's state after `slot`."""

    slot: Slot
    state: bytes


class StorageFailed(Event, frozen=True):
    """Something persisted may not be durable. The replica does nothing until it is recovered."""
