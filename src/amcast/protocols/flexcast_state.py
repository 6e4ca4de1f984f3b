"""What FlexCast's groups send and keep, and the tokens that tell what a message waits for.

Idea        A destination must know when it has heard of everything that precedes a message.
            Each group that has a say in it answers once for each time it is asked; each
            question has a token, which the answer repeats.
Assumes     Whoever asks lists the tokens in its own packet about the message. So the list is
            complete when the last awaited packet is here, and not before.
Guarantees  No answer is taken for another: a group that is asked twice about a message, by
            two groups or by one, may know more the second time. To count groups instead, or
            pairs of them, leads to cycles.
Reference   Batista, Coelho, Alchieri, Dotti and Pedone, "FlexCast: genuine overlay-based
            atomic multicast" (2023), section 4.1, strategies (b) and (c); the tokens are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from amcast.core import Message, MessageId, Multicast
from amcast.protocols.flexcast_history import Entry, History, Log


class Token(NamedTuple):
    """What a destination waits for: the answer of group `asked` to one question of group `by`.

    A destination answers without being asked, when it delivers; its token names it twice.
    """

    by: int
    asked: int
    number: int = 0


class Telling(Message, frozen=True):
    """Base of all that FlexCast's groups send: each packet brings news for the history."""

    def about_others(self) -> object:
        return self.news  # type: ignore[attr-defined]


class Msg(Telling, frozen=True):
    """The lowest destination passes the message on. `tokens` are those it has created."""

    multicast: Multicast
    tokens: tuple[Token, ...]
    news: tuple[Entry, ...]


class Ack(Telling, frozen=True):
    """All that the sender delivers before this message is in the history that it has now sent."""

    id: MessageId
    token: Token
    tokens: tuple[Token, ...]
    news: tuple[Entry, ...]


class Notif(Telling, frozen=True):
    """Please send an Ack with this token to the destinations above you."""

    id: MessageId
    token: Token
    news: tuple[Entry, ...]


class Waiting(msgspec.Struct):
    """A message that is not delivered yet. Either Msg or Ack may be the first to name it."""

    multicast: Multicast | None = None
    awaited: dict[Token, None] = {}
    # An answer may come before the packet that lists its token.
    arrived: dict[Token, None] = {}

    @property
    def complete(self) -> bool:
        return self.multicast is not None and self.awaited.keys() <= self.arrived.keys()


class State(msgspec.Struct):
    history: History = msgspec.field(default_factory=History)
    log: Log = msgspec.field(default_factory=Log)
    last: MessageId | None = None
    # Higher rank -> the last message to it that this group delivered.
    last_to: dict[int, MessageId] = {}
    waiting: dict[MessageId, Waiting] = {}
    # By the message that must be delivered first: messages, and questions with their tokens.
    blocked: dict[MessageId, list[MessageId]] = {}
    parked: dict[MessageId, list[tuple[MessageId, Token]]] = {}
    tokens_made: int = 0
    flushes: int = 0
