"""Skeen's algorithm with a global order: one more exchange, and the order follows real time.

Idea        As decentralised Skeen, but a message whose turn it is, final and first in line, is
            not delivered yet. The group tells the other destinations that its turn has come,
            and delivers when it has come at all of them. By then everything before it is
            delivered wherever it matters, so that what is multicast from now on comes later.
Assumes     Reliable channels, in any order; the groups themselves do not fail.
Guarantees  Atomic multicast with global order, genuine. Three delays; 2k*k - k messages for k
            destinations, one less if the client belongs to one of them. Messages whose turn
            has come wait for each other, one round trip each.
Reference   Global order is what linearizable sharded state needs: Bezerra, Pedone and van
            Renesse, "Scalable state machine replication" (2014), whose shards tell each other
            likewise before they execute. Skeen's algorithm: see `skeen`.
"""

from __future__ import annotations

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.protocols.skeen import Skeen, Timestamp
from amcast.protocols.timestamps import TimestampQueue, Waiting


class Turn(Message, frozen=True):
    """All that comes before this message is delivered at the sender."""

    id: MessageId


class State(msgspec.Struct):
    clock: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)
    # Final and in order. The first of them has its turn.
    line: list[Multicast] = []
    # How many destinations have said so; others may be ahead of this group.
    turns: dict[MessageId, int] = {}


class SkeenGlobal(Process[State, Timestamp | Turn]):
    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.propose_timestamp(multicast)

    def propose_timestamp(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        state.queue.add(multicast, state.clock)
        state.turns[multicast.id] = 0
        self.send(multicast.dst, Timestamp(multicast, state.clock))

    def on_message(self, source: GroupId, message: Timestamp | Turn) -> None:
        match message:
            case Timestamp(multicast, proposal):
                self.on_timestamp(multicast, proposal)
            case Turn(id):
                self.state.turns[id] += 1
                self.deliver_in_turn()

    def on_timestamp(self, multicast: Multicast, proposal: int) -> None:
        messages = self.state.queue.messages
        if multicast.id not in messages:
            # It overtook the client's own message, for which it stands from now on.
            self.submissions.admit(multicast.id)
            self.propose_timestamp(multicast)
        waiting = messages[multicast.id]
        if self.state.queue.propose(waiting, proposal):
            self.on_final(waiting)

    def on_final(self, waiting: Waiting) -> None:
        state = self.state
        # Not an optimisation: a clock that stays behind would let a later message overtake.
        state.clock = max(state.clock, waiting.highest)
        idle = not state.line
        state.line += state.queue.settle(waiting, waiting.highest)
        if idle and state.line:
            self.announce_turn()

    def announce_turn(self) -> None:
        first = self.state.line[0]
        self.send(first.dst, Turn(first.id))

    def deliver_in_turn(self) -> None:
        state = self.state
        if not state.line or state.turns[state.line[0].id] < len(state.line[0].dst):
            return
        first = state.line.pop(0)
        del state.turns[first.id]
        self.deliver(first)
        if state.line:
            # Not earlier: its turn comes only when all before it are delivered here.
            self.announce_turn()


def make_skeen(
    group: GroupId, groups: tuple[GroupId, ...], *, global_order: bool = False
) -> Skeen | SkeenGlobal:
    """Skeen's algorithm, whose order follows real time if that is wanted."""
    return SkeenGlobal(group, groups) if global_order else Skeen(group, groups)
