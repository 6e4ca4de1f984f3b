"""Rodrigues, Guerraoui and Schiper: Skeen's algorithm, and then agreement on the timestamp.

Idea        Each destination stamps a message with its logical clock and tells the others. The
            first destination proposes the highest stamp, all accept it, and with everybody's
            acceptance it is final. Messages are delivered in the order of final timestamps,
            ties broken by message id.
Assumes     Reliable channels, in any order; the groups themselves do not fail. Then agreement
            needs no more than a coordinator and one round trip, and is for show: it stands for
            the consensus among all processes of all destinations that the paper runs.
Guarantees  Atomic multicast, genuine. Four delays; 2k*k - k messages for k destinations, one
            less if the client belongs to one of them.
Reference   Rodrigues, Guerraoui and Schiper, "Scalable atomic multicast" (1998), as told by
            Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast" (2009),
            section 3.1.
"""

from __future__ import annotations

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.protocols.timestamps import TimestampQueue, Waiting


class Stamp(Message, frozen=True):
    """The sender's stamp. It carries the message: the client may have died half-way."""

    multicast: Multicast
    number: int


class Propose(Message, frozen=True):
    """The coordinator knows all stamps; this is the highest."""

    id: MessageId
    number: int


class Accept(Message, frozen=True):
    """The sender has taken the coordinator's proposal."""

    id: MessageId


class State(msgspec.Struct):
    clock: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)
    # How many destinations have accepted, where not all have.
    accepted: dict[MessageId, int] = {}


class Rodrigues(Process[State, Stamp | Propose | Accept]):
    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.stamp(multicast)

    def stamp(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        state.queue.add(multicast, state.clock)
        state.accepted[multicast.id] = 0
        self.send(multicast.dst, Stamp(multicast, state.clock))

    def on_message(self, source: GroupId, message: Stamp | Propose | Accept) -> None:
        match message:
            case Stamp(multicast, number):
                self.on_stamp(multicast, number)
            case Propose(id, number):
                self.on_propose(source, id, number)
            case Accept(id):
                self.on_accept(id)

    def on_stamp(self, multicast: Multicast, number: int) -> None:
        messages = self.state.queue.messages
        if multicast.id not in messages:
            # It overtook the client's own message, for which it stands from now on.
            self.submissions.admit(multicast.id)
            self.stamp(multicast)
        waiting = messages[multicast.id]
        if self.state.queue.propose(waiting, number):
            if multicast.dst[0] == self.group:
                self.send(multicast.dst, Propose(multicast.id, waiting.highest))
            self.settle_if_agreed(waiting)

    def on_propose(self, coordinator: GroupId, id: MessageId, number: int) -> None:
        # Not an optimisation: a clock that stays behind would let a later message overtake.
        self.state.clock = max(self.state.clock, number)
        self.on_accept(id)
        if coordinator != self.group:
            # The proposal was the coordinator's own acceptance; this is ours.
            self.send(self.state.queue.messages[id].multicast.dst, Accept(id))

    def on_accept(self, id: MessageId) -> None:
        self.state.accepted[id] += 1
        self.settle_if_agreed(self.state.queue.messages[id])

    def settle_if_agreed(self, waiting: Waiting) -> None:
        """All stamps as well as all acceptances: a stamp may be the last of them to arrive."""
        multicast = waiting.multicast
        if waiting.missing or self.state.accepted[multicast.id] < len(multicast.dst):
            return
        del self.state.accepted[multicast.id]
        for delivered in self.state.queue.settle(waiting, waiting.highest):
            self.deliver(delivered)
