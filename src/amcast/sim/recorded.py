"""What a trace says about a packet or an event: its kind, and which messages it is about."""

from __future__ import annotations

from functools import cache

from amcast.consensus import Event as LogEvent
from amcast.core import Decided, Event, Message, MessageId, Multicast, Received, Submitted
from amcast.groups import FromClient, FromGroup


@cache
def kind_of(message_type: type[Message | Multicast]) -> str:
    """What a trace calls the messages of a class."""
    return "submit" if message_type is Multicast else message_type.__name__.lower()


@cache
def carries_payload(message_type: type[Message | Multicast]) -> bool:
    """Whether messages of a class hold what the application sent."""
    fields = message_type.__annotations__.values()
    return message_type is Multicast or any("Multicast" in str(field) for field in fields)


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
