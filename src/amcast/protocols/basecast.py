"""BaseCast: Skeen's algorithm inside replicated groups, four stages, two consensus decisions.

Idea        A group sets a hard timestamp when its log orders the message (SET-HARD), sends it
            to the other destinations (SEND-HARD), and each of those orders what it got in its
            own log (SYNC-HARD). When all are there, the highest is final. A message waits
            under the highest timestamp known so far.
Assumes     Every event comes out of the group's log, so all replicas see the same ones in the
            same order; what this group tells itself is ordered with it. Reliable channels.
Guarantees  Atomic multicast, genuine. Two delays between groups; k*k - 1 messages for k
            destinations with the client inside, k*k outside; two consensus decisions one
            after the other, one for messages to one group.
Reference   Fritzke, Ingels, Mostefaoui and Raynal, "Fault-tolerant total order multicast to
            asynchronous groups" (1998); in this form Inzaghi, "BaseCast" (2019), Algorithm 1.
"""

from __future__ import annotations

import msgspec

from amcast.core import GroupId, Message, Multicast, Process
from amcast.protocols.timestamps import TimestampQueue


class SendHard(Message, frozen=True):
    """The sender's hard timestamp. It stands for the message itself, if that was lost."""

    multicast: Multicast
    timestamp: int


class State(msgspec.Struct):
    clock: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)


class BaseCast(Process[State, SendHard]):
    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.set_hard(multicast)

    def set_hard(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        state.queue.add(multicast, state.clock)
        self.send(multicast.dst, SendHard(multicast, state.clock))

    def on_message(self, source: GroupId, message: SendHard) -> None:
        """SYNC-HARD: the log has ordered a hard timestamp, of this group or of another."""
        multicast = message.multicast
        queue = self.state.queue
        if multicast.id not in queue.messages:
            self.submissions.admit(multicast.id)
            self.set_hard(multicast)
        self.update_clock(message.timestamp)
        waiting = queue.messages[multicast.id]
        waiting.final = queue.propose(waiting, message.timestamp)
        # Waiting under the highest of all known may already free what stands behind.
        queue.raise_to(waiting, max(waiting.timestamp, waiting.highest))
        for each in queue.release():
            self.deliver(each)

    def update_clock(self, timestamp: int) -> None:
        """Later messages must get higher timestamps; without this the order breaks."""
        self.state.clock = max(self.state.clock, timestamp)
