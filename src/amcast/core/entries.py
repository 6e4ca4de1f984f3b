"""Events as entries of a log: in a form that a disk, a wire and a snapshot can hold."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from amcast.core.events import (
    ClientExpired,
    Decided,
    Event,
    InstanceEnded,
    Received,
    Submitted,
    Suspected,
    TimerFired,
    Trusted,
)
from amcast.core.ids import GroupId, Message

M = TypeVar("M", bound=Message)


class LogEntry(msgspec.Struct, Generic[M], frozen=True, omit_defaults=True, gc=False):
    """One event: exactly one field is set. The protocol's own messages have type M."""

    submitted: Submitted | None = None
    received: tuple[GroupId, int, M] | None = None
    decided: M | None = None
    other: TimerFired | Suspected | Trusted | InstanceEnded | ClientExpired | None = None


def to_entry(event: Event) -> LogEntry[Any]:
    match event:
        case Submitted():
            return LogEntry(submitted=event)
        case Received(source, number, message):
            return LogEntry(received=(source, number, message))
        case Decided(item):
            return LogEntry(decided=item)
        case TimerFired() | Suspected() | Trusted() | InstanceEnded() | ClientExpired():
            return LogEntry(other=event)
        case _:
            raise AssertionError(f"no such event {event!r}")


def to_event(entry: LogEntry[Any]) -> Event:
    """The event that became this entry."""
    if entry.submitted is not None:
        return entry.submitted
    if entry.received is not None:
        return Received(*entry.received)
    if entry.decided is not None:
        return Decided(entry.decided)
    assert entry.other is not None
    return entry.other
