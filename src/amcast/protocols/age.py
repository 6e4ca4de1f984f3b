"""A_ge: timestamps are consensus instances, and messages skip what they do not need.

Idea        A message goes through four stages. s0: the log is to order it. s1: it has a
            timestamp, the number of the group's instance, which goes to the other
            destinations. s2: all timestamps are there, and the log is to order the highest.
            s3: its timestamp is final. A group whose own timestamp is the highest skips s2,
            and messages to one group go from s0 to s3 at once.
Assumes     Messages and decisions come out of the group's log; timestamps of other groups need
            not, since delivery in the order of final timestamps does not depend on when they
            arrive. Replicas so deliver the same sequence, but at different positions of the
            log. Reliable channels, in any order.
Guarantees  Atomic multicast, genuine. Two delays; k*k - 1 messages for k destinations with the
            client inside, k*k outside; one consensus decision in the group with the highest
            timestamp, two elsewhere. Messages to one group wait for global ones before them.
Reference   Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast protocols"
            (2009), section 3.1; without skipping it is the algorithm of Fritzke et al. (1998).
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.protocols.timestamps import TimestampQueue


class Timestamp(Message, frozen=True):
    """The sender's instance number for a message. It bypasses the log."""

    multicast: Multicast
    timestamp: int


class Start(Message, frozen=True):
    """s0, for the log: another group has a message that the client did not send here."""

    multicast: Multicast


class Final(Message, frozen=True):
    """s2, for the log: the highest timestamp of a message."""

    id: MessageId
    timestamp: int


class State(msgspec.Struct):
    clock: int = 1
    # The highest timestamp that the present instance has touched.
    touched: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)
    # Timestamps by message and group, also of messages that the log has not ordered yet.
    timestamps: dict[MessageId, dict[GroupId, int]] = {}


class Age(Process[State, Timestamp | Start | Final]):
    instances: ClassVar[bool] = True
    unlogged: ClassVar[tuple[type[Message], ...]] = (Timestamp,)

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...], *, skip: bool = True) -> None:
        super().__init__(group, groups)
        self.skip = skip

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    # In the log.

    def on_submit(self, multicast: Multicast) -> None:
        self.stamp(multicast)

    def on_decide(self, item: Timestamp | Start | Final) -> None:
        match item:
            case Start(multicast):
                if self.submissions.admit(multicast.id):
                    self.stamp(multicast)
            case Final(id, timestamp):
                if id in self.state.queue.messages:
                    self.state.touched = max(self.state.touched, timestamp)
                    self.finish(id, timestamp)

    def stamp(self, multicast: Multicast) -> None:
        """s0 is over: the present instance is this group's timestamp."""
        clock = self.state.clock
        self.state.queue.add(multicast, clock)
        if multicast.is_local:
            self.finish(multicast.id, clock)
            return
        known = self.state.timestamps.setdefault(multicast.id, {})
        if known:
            # Others were faster than the client, but the log has it now.
            self.take_back(Start(multicast))
        known[self.group] = clock
        others = (group for group in multicast.dst if group != self.group)
        self.send(others, Timestamp(multicast, clock))
        self.gather(multicast)

    def on_instance_end(self, number: int) -> None:
        """The clock never goes back, not even if the instance had only low final timestamps."""
        self.state.clock = max(self.state.clock, self.state.touched) + 1
        self.state.touched = 0
        self.deliver_ready()

    # Outside the log.

    def on_message(self, source: GroupId, message: Timestamp | Start | Final) -> None:
        assert isinstance(message, Timestamp)
        multicast = message.multicast
        if self.submissions.seen(multicast.id) and multicast.id not in self.state.queue.messages:
            return  # a repeat: it was delivered
        waits = multicast.id in self.state.queue.messages
        if waits and multicast.id not in self.state.timestamps:
            return  # its timestamp is final already
        known = self.state.timestamps.setdefault(multicast.id, {})
        known[source] = message.timestamp
        if waits:
            self.gather(multicast)
        elif len(known) == 1:
            self.propose(Start(multicast))

    def gather(self, multicast: Multicast) -> None:
        """s1 is over when all destinations have sent their timestamps."""
        timestamps = self.state.timestamps[multicast.id]
        if len(timestamps) < len(multicast.dst):
            return
        highest = max(timestamps.values())
        if self.skip and timestamps[self.group] == highest:
            self.finish(multicast.id, highest)
        else:
            self.await_decision(multicast.id, highest)

    def await_decision(self, id: MessageId, timestamp: int) -> None:
        """s2: it will end at this timestamp, so it may stand there already."""
        self.propose(Final(id, timestamp))
        queue = self.state.queue
        queue.raise_to(queue.messages[id], timestamp)
        self.deliver_ready()

    def finish(self, id: MessageId, timestamp: int) -> None:
        """s3: the timestamp is final."""
        self.state.timestamps.pop(id, None)
        queue = self.state.queue
        queue.finish(queue.messages[id], timestamp)
        self.deliver_ready()

    def deliver_ready(self) -> None:
        # Until the instance ends, its number may be given to yet another message.
        for multicast in self.state.queue.release(below=self.state.clock):
            self.deliver(multicast)
