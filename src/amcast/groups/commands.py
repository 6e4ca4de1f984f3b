"""What stands in a group's log, as bytes: events of its process, and how they are told apart."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from amcast.core import (
    ClientExpired,
    Decided,
    Event,
    LogEntry,
    Message,
    Process,
    Received,
    Submitted,
    Suspected,
    TimerFired,
    Trusted,
    to_entry,
    to_event,
)

M = TypeVar("M", bound=Message)

NULL = b""
"""A command that does nothing but let the log have one more slot."""

# So many commands are remembered with what they mean: replicas of a group decode the same ones.
REMEMBERED = 1024


class Command(msgspec.Struct, Generic[M], array_like=True, frozen=True, gc=False):
    """An event of the process. `bypass` numbers a message that took effect before its entry."""

    entry: LogEntry[M]
    bypass: int = 0


class Codec:
    """Between events and commands, for one class of processes."""

    def __init__(self, process: type[Process[Any, Any]]) -> None:
        messages = process.message_type
        self._decode = msgspec.msgpack.Decoder(Command[messages]).decode  # type: ignore[valid-type]
        self._encode = msgspec.msgpack.Encoder().encode
        self._known: dict[bytes, tuple[Event, int]] = {}

    def encode(self, event: Event, bypass: int = 0) -> bytes:
        command = self._encode(Command(to_entry(event), bypass))
        self._remember(command, (event, bypass))
        return command

    def decode(self, command: bytes) -> tuple[Event, int]:
        """The event, and its number if it bypassed the log."""
        found = self._known.get(command)
        if found is None:
            read = self._decode(command)
            found = self._remember(command, (to_event(read.entry), read.bypass))
        return found

    def _remember(self, command: bytes, meaning: tuple[Event, int]) -> tuple[Event, int]:
        known = self._known
        if len(known) >= REMEMBERED:
            del known[next(iter(known))]
        known[command] = meaning
        return meaning


def subject_of(event: Event, bypass: int) -> tuple[object, ...]:
    """Equal for two commands of which one would do."""
    match event:
        case Received(source, number, _):
            return (source, number, bypass)
        case Submitted(multicast, _):
            return multicast.id
        case Decided(item):
            return ("decided", item)
        case TimerFired(timer, generation):
            return ("timer", timer, generation)
        case Suspected(group) | Trusted(group):
            # One opinion at a time: the leader adds its own if the log has another.
            return ("opinion", group)
        case ClientExpired(client, _):
            return ("expired", client)
        case _:
            raise AssertionError(f"{event!r} is never proposed")
