"""What a trace says about a packet or an event: its kind, and which messages it is about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from amcast.consensus import Event as LogEvent
from amcast.core import Decided, Event, Message, MessageId, Multicast, Received, Submitted
from amcast.groups import FromClient, FromGroup


@cache
def kind_of(message_type: type[Message | Multicast]) -> str:
    """What a trace calls the messages of a class."""
    return "submit" if message_type is Multicast else message_type.__name__.lower()


@cache
def carries_payload(message_type: type[msgspec.Struct]) -> bool:
    """Whether messages of a class hold what the application sent, however deep inside."""
    fields = get_type_hints(message_type).values()
    return message_type is Multicast or any(
        carries_payload(part) for field in fields for part in _structs_in(field)
    )


def _structs_in(annotation: Any) -> Iterator[type[msgspec.Struct]]:
    """The structs that values of this type are made of, such as `A` of `tuple[A, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        yield annotation
    if isinstance(annotation, TypeVar) and annotation.__bound__ is not None:
        yield from annotation.__bound__.__subclasses__()
    for part in get_args(annotation):
        yield from _structs_in(part)


def messages_of(event: Event | LogEvent) -> tuple[MessageId, ...]:
    """The messages that an event helps to order."""
    match event:
        case Submitted(multicast) | FromClient(Submitted(multicast)):
            return (multicast.id,)
        case Received(_, _, message) | Decided(message):
            return message.about()
        case FromGroup(packet=packet):
            return packet.message.about()
        case _:
            return ()


def content_of(event: LogEvent) -> object:
    """What of an event at a replica came over the network."""
    match event:
        case FromClient(submitted):
            return submitted.multicast
        case FromGroup(packet=packet):
            return packet
        case _:
            return getattr(event, "message", event)
