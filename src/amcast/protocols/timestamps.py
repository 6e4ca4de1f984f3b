"""The queue that all timestamp protocols deliver from: smallest timestamp first, once it is final.

A message waits under a provisional timestamp, which can only grow, until its final one is
known. The message at the head may be delivered when it is final: no message that is still
provisional can end up before it. Equal timestamps are ordered by message id, everywhere alike.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import msgspec

from amcast.core import MessageId, Multicast


class Waiting(msgspec.Struct):
    """A message in the queue."""

    multicast: Multicast
    timestamp: int
    # What is known of the final timestamp: the highest proposal, and how many are missing.
    highest: int = 0
    missing: int = 0
    final: bool = False


class TimestampQueue(msgspec.Struct):
    """Messages that are not delivered yet, in the order of their present timestamps."""

    messages: dict[MessageId, Waiting] = {}
    # Kept sorted, not as a heap: equal contents then look equal, which the explorer relies on.
    order: list[tuple[int, MessageId]] = []

    def add(self, multicast: Multicast, timestamp: int) -> None:
        """Let `multicast` wait under its provisional timestamp for one proposal per group."""
        id = multicast.id
        self.messages[id] = Waiting(multicast, timestamp, missing=len(multicast.dst))
        insort(self.order, (timestamp, id))

    def propose(self, waiting: Waiting, timestamp: int) -> bool:
        """Count one group's proposal; whether it was the last."""
        if timestamp > waiting.highest:
            waiting.highest = timestamp
        waiting.missing -= 1
        return waiting.missing == 0

    def raise_to(self, waiting: Waiting, timestamp: int) -> None:
        """Let a message wait under a higher timestamp."""
        if timestamp != waiting.timestamp:
            id = waiting.multicast.id
            del self.order[bisect_left(self.order, (waiting.timestamp, id))]
            insort(self.order, (timestamp, id))
            waiting.timestamp = timestamp

    def finish(self, waiting: Waiting, timestamp: int) -> None:
        """Make `timestamp` final."""
        waiting.final = True
        self.raise_to(waiting, timestamp)

    def settle(self, waiting: Waiting, timestamp: int) -> list[Multicast]:
        """Make `timestamp` final; what may be delivered now, in order."""
        self.finish(waiting, timestamp)
        return self.release()

    def release(self, below: int | None = None) -> list[Multicast]:
        """Take the final messages off the head of the queue; only timestamps below the given."""
        order, messages = self.order, self.messages
        released: list[Multicast] = []
        while order and messages[order[0][1]].final and (below is None or order[0][0] < below):
            released.append(messages.pop(order.pop(0)[1]).multicast)
        return released
