"""BaseCast with batched SYNC-HARD: hard timestamps bypass the log, one entry has the highest.

Idea        As BaseCast, but a hard timestamp from another group is kept outside the log. When
            those of all destinations are there, one entry of the log (SYNC-ALL) makes the
            highest of them final. So two entries of a group's log stand between a message to
            k groups and its delivery, not k.
Assumes     As BaseCast. Each replica gets the hard timestamps by itself.
Guarantees  As BaseCast: what is delivered, and in which order, follows from the log alone.
Reference   Inzaghi, "BaseCast" (2019), section 4.1.1.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.protocols.basecast import BaseCast, SendHard
from amcast.protocols.timestamps import TimestampQueue


class Start(Message, frozen=True):
    """For the log: a message that this group knows only from another one's timestamp."""

    multicast: Multicast


class SyncAll(Message, frozen=True):
    """For the log: the highest of the hard timestamps of all destinations."""

    id: MessageId
    timestamp: int


class State(msgspec.Struct):
    clock: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)
    # By message and group; this replica's own view, which delivers nothing by itself.
    hard: dict[MessageId, dict[GroupId, int]] = {}


Messages = SendHard | Start | SyncAll


class SyncAllBaseCast(Process[State, Messages]):
    unlogged: ClassVar[tuple[type[Message], ...]] = (SendHard,)

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    # In the log.

    def on_submit(self, multicast: Multicast) -> None:
        self.set_hard(multicast)

    def on_decide(self, item: Messages) -> None:
        match item:
            case Start(multicast):
                if self.submissions.admit(multicast.id):
                    self.set_hard(multicast)
            case SyncAll(id, timestamp):
                if id in self.state.queue.messages:
                    self.finish(id, timestamp)

    def set_hard(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        state.queue.add(multicast, state.clock)
        if multicast.is_local:
            self.finish(multicast.id, state.clock)
            return
        known = state.hard.setdefault(multicast.id, {})
        if known:
            # Others were faster than the client, but the log has it now.
            self.take_back(Start(multicast))
        known[self.group] = state.clock
        others = (group for group in multicast.dst if group != self.group)
        self.send(others, SendHard(multicast, state.clock))
        self.gather(multicast)

    def finish(self, id: MessageId, timestamp: int) -> None:
        state = self.state
        state.clock = max(state.clock, timestamp)
        state.hard.pop(id, None)
        state.queue.finish(state.queue.messages[id], timestamp)
        for each in state.queue.release():
            self.deliver(each)

    # Outside the log.

    def on_message(self, source: GroupId, message: Messages) -> None:
        assert isinstance(message, SendHard)
        multicast = message.multicast
        if self.submissions.seen(multicast.id) and multicast.id not in self.state.hard:
            return  # a repeat: its timestamp is final
        known = self.state.hard.setdefault(multicast.id, {})
        known[source] = message.timestamp
        if self.group in known:
            self.gather(multicast)
        elif len(known) == 1:
            self.propose(Start(multicast))

    def gather(self, multicast: Multicast) -> None:
        hard = self.state.hard[multicast.id]
        if len(hard) == len(multicast.dst):
            self.propose(SyncAll(multicast.id, max(hard.values())))


def make_basecast(
    group: GroupId, groups: tuple[GroupId, ...], *, sync: str = "each"
) -> BaseCast | SyncAllBaseCast:
    """SYNC-HARD one by one, or all of a message together."""
    return SyncAllBaseCast(group, groups) if sync == "all" else BaseCast(group, groups)
