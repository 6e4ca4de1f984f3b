"""What generic broadcast says and what it remembers.

Idea        One stage at a time is open; all that belongs to it is forgotten at its end. What
            arrives for a later stage waits for that, and what is of an earlier one is void.
Assumes     Each group numbers its broadcasts from 1, without gaps.
Guarantees  Memory: what is not delivered, and what was acknowledged in this stage until all
            groups said that they delivered it, but so much only that the stage goes on. For a
            group that is silent for long the channels keep what it lacks.
Reference   Pedone and Schiper, "Handling message semantics with generic broadcast protocols"
            (2002).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

import msgspec

from amcast.core import GroupId, Message, MessageId


class Content(Message, frozen=True):
    """What can be broadcast. A subclass says with what it must be ordered: here, everything."""

    def conflicts_with(self, other: Content) -> bool:
        """The relation must be symmetric."""
        return True


C = TypeVar("C", bound=Content)


class CastId(NamedTuple):
    """The name of a broadcast: the `number`-th of group `origin`."""

    origin: GroupId
    number: int


class Cast(Message, Generic[C], frozen=True):
    """A broadcast. As an output: it is delivered here."""

    origin: GroupId
    number: int
    content: C

    @property
    def name(self) -> CastId:
        return CastId(self.origin, self.number)

    def about(self) -> tuple[MessageId, ...]:
        return self.content.about()


class Tell(Message, Generic[C], frozen=True):
    """A broadcast, which the sender acknowledges at the same time."""

    stage: int
    cast: Cast[C]
    # By group, in the order of the configuration: below which number the sender delivered all.
    delivered: tuple[int, ...]

    def about(self) -> tuple[MessageId, ...]:
        return self.cast.about()


class Ack(Message, frozen=True):
    """The sender met no conflict with this broadcast in this stage."""

    stage: int
    name: CastId
    mentions: tuple[MessageId, ...]
    delivered: tuple[int, ...]

    def about(self) -> tuple[MessageId, ...]:
        return self.mentions


class Check(Message, Generic[C], frozen=True):
    """The sender met a conflict: it acknowledged these, will no others, and holds the rest."""

    stage: int
    acked: tuple[Cast[C], ...]
    held: tuple[Cast[C], ...]

    def about(self) -> tuple[MessageId, ...]:
        return _about((*self.acked, *self.held))


class Estimate(Message, Generic[C], frozen=True):
    """The order that the sender is for, in this attempt."""

    stage: int
    attempt: int
    order: tuple[Cast[C], ...]

    def about(self) -> tuple[MessageId, ...]:
        return _about(self.order)


class Decision(Message, Generic[C], frozen=True):
    """How the stage ends, everywhere."""

    stage: int
    order: tuple[Cast[C], ...]

    def about(self) -> tuple[MessageId, ...]:
        return _about(self.order)


def _about(casts: Iterable[Cast[C]]) -> tuple[MessageId, ...]:
    return tuple(dict.fromkeys(id for cast in casts for id in cast.about()))


# What groups send each other.
Wire = Tell[C] | Ack | Check[C] | Estimate[C] | Decision[C]


class Numbers(msgspec.Struct):
    """The casts of one group that are delivered: all below `next`, and those in `above`."""

    next: int = 1
    above: dict[int, None] = {}

    def has(self, number: int) -> bool:
        return number < self.next or number in self.above

    def add(self, number: int) -> None:
        self.above[number] = None
        while self.next in self.above:
            del self.above[self.next]
            self.next += 1


class Stage(msgspec.Struct, Generic[C]):
    """What belongs to one stage and is forgotten at its end."""

    number: int = 1
    # What this group acknowledged, and who acknowledged what is not yet delivered here, some of
    # it only known by name.
    acked: dict[CastId, Cast[C]] = {}
    acks: dict[CastId, dict[GroupId, None]] = {}
    # This group has stopped if its own report is among these.
    checks: dict[GroupId, Check[C]] = {}
    attempt: int = 0
    estimates: dict[int, dict[GroupId, tuple[Cast[C], ...]]] = {}


class BroadcastState(msgspec.Struct, Generic[C]):
    """All that a group must not forget of its generic broadcast."""

    stage: Stage[C] = msgspec.field(default_factory=Stage)
    casts: int = 0
    # Heard of, not delivered.
    known: dict[CastId, Cast[C]] = {}
    delivered: dict[GroupId, Numbers] = {}
    # What others said that they delivered.
    reported: dict[GroupId, tuple[int, ...]] = {}
    suspected: dict[GroupId, None] = {}
    # What came before its stage.
    early: dict[int, list[tuple[GroupId, Wire[C]]]] = {}
