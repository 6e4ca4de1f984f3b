"""What a trace says about a packet or an event: its kind, and which messages it is about."""

from __future__ import annotations

from functools import cache

from amcast.core import Decided, Event, Message, MessageId, Multicast, Received, Submitted


@cache
def kind_of(message_type: type[Message | Multicast]) -> str:
    """What a trace calls the messages of a class."""
    return "submit" if message_type is Multicast else message_type.__name__.lower()


@cache
def carries_payload(message_type: type[Message | Multicast]) -> bool:
    """Whether messages of a class hold what the application sent."""
    fields = message_type.__annotations__.values()
    return message_type is Multicast or any("Multicast" in str(field) for field in fields)


def messages_of(event: Event) -> tuple[MessageId, ...]:
    """The messages that an event helps to order."""
    match event:
        case Submitted(multicast):
            return (multicast.id,)
        case Received(_, _, message) | Decided(message):
            return message.about()
        case _:
            return ()
