"""Log entries that wait while a process is stalled, in a form that a snapshot can hold."""

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


class Held(msgspec.Struct, Generic[M]):
    """One waiting entry: exactly one field is set. The protocol's own messages have type M."""

    submitted: Submitted | None = None
    received: tuple[GroupId, int, M] | None = None
    decided: M | None = None
    other: TimerFired | Suspected | Trusted | InstanceEnded | ClientExpired | None = None


def hold(event: Event) -> Held[Any]:
    match event:
        case Submitted():
            return Held(submitted=event)
        case Received(source, number, message):
            return Held(received=(source, number, message))
        case Decided(item):
            return Held(decided=item)
        case TimerFired() | Suspected() | Trusted() | InstanceEnded() | ClientExpired():
            return Held(other=event)
        case _:
            raise AssertionError(f"no such event {event!r}")


def release(held: Held[Any]) -> Event:
    """The event that was held."""
    if held.submitted is not None:
        return held.submitted
    if held.received is not None:
        return Received(*held.received)
    if held.decided is not None:
        return Decided(held.decided)
    assert held.other is not None
    return held.other
