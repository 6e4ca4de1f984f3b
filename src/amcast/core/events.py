"""What can happen to a group. In a replicated group each of these is an entry of its log."""

from __future__ import annotations

import msgspec

from amcast.core.ids import ClientId, GroupId, Message, Multicast


class Event(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Base of all events."""


class Submitted(Event, frozen=True):
    """A client asks for `multicast`; all its numbers below `settled` are finished.

    `since` is how far the group's log was when the client first turned to that group.
    """

    multicast: Multicast
    settled: int = 0
    since: int = 0


class Received(Event, frozen=True):
    """`message` arrived from group `source`, as the `number`-th on that channel."""

    source: GroupId
    number: int
    message: Message


class TimerFired(Event, frozen=True):
    """A timer ran out. A generation that is not the timer's newest is stale and ignored."""

    timer: str
    generation: int


class Suspected(Event, frozen=True):
    """The failure detector believes that `group` is lost."""

    group: GroupId


class Trusted(Event, frozen=True):
    """The failure detector no longer suspects `group`."""

    group: GroupId


class Decided(Event, frozen=True):
    """An item that this group proposed to its own log was decided."""

    item: Message


class InstanceEnded(Event, frozen=True):
    """All entries of log instance `number` have been applied; it may have had none."""

    number: int


class ClientExpired(Event, frozen=True):
    """Nothing was heard of `client` since slot `heard` of the log: it can be forgotten."""

    client: ClientId
    heard: int = 0
