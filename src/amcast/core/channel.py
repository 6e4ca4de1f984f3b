"""The channel between two groups: numbered, exactly once, FIFO where declared.

Each group keeps one `Channels`. The sender numbers what it sends to each peer
from 1; the receiver uses the numbers to drop repeats and, for a FIFO protocol,
to hold back what comes too early. No protocol keeps sequence numbers of its own.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from amcast.core.ids import GroupId, Message

M = TypeVar("M", bound=Message)


class Inbound(msgspec.Struct, Generic[M]):
    """One direction, at its receiver. Everything below `expected` has been accepted."""

    expected: int = 1
    # FIFO: messages that wait for an earlier one. Otherwise: numbers accepted early.
    early: dict[int, M | None] = {}


class Channels(msgspec.Struct, Generic[M]):
    """All channels of one group, both directions."""

    sent: dict[GroupId, int] = {}
    received: dict[GroupId, Inbound[M]] = {}

    def next_number(self, target: GroupId) -> int:
        number = self.sent.get(target, 0) + 1
        self.sent[target] = number
        return number

    def has(self, source: GroupId, number: int) -> bool:
        """Whether that message was accepted before."""
        inbound = self.received.get(source)
        return inbound is not None and (number < inbound.expected or number in inbound.early)

    def accept(self, source: GroupId, number: int, message: M, *, fifo: bool) -> list[M]:
        """What may now be handled: nothing, `message`, or also those it releases."""
        inbound = self.received.get(source)
        if inbound is None:
            inbound = self.received[source] = Inbound()
        if number < inbound.expected or number in inbound.early:
            return []
        if number > inbound.expected:
            inbound.early[number] = message if fifo else None
            return [] if fifo else [message]
        inbound.expected = number + 1
        if not inbound.early:
            return [message]
        return [message, *_release(inbound)]


def _release(inbound: Inbound[M]) -> list[M]:
    """Advance past everything that has become consecutive."""
    released: list[M] = []
    while inbound.expected in inbound.early:
        waiting = inbound.early.pop(inbound.expected)
        inbound.expected += 1
        if waiting is not None:
            released.append(waiting)
    return released
