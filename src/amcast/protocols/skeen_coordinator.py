"""Skeen's algorithm with a coordinator: the first destination gathers the proposals.

Idea        Each destination stamps a message with its logical clock and tells the message's
            coordinator, which announces the highest stamp as the final one. Messages are
            delivered in the order of final stamps, ties broken by message id.
Assumes     Reliable channels, in any order; the groups themselves do not fail.
Guarantees  Atomic multicast, genuine. Three delays; 3(k - 1) messages for k destinations if
            the client belongs to one of them, 3k - 2 if it does not. A client that dies
            between two destinations costs a time-out, after which the coordinator passes
            the message on.
Reference   Ahmed-Nacer, Sutra and Conan, "The convoy effect in atomic multicast" (2016),
            Algorithm 1.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.protocols.timestamps import TimestampQueue


class Start(Message, frozen=True):
    """The coordinator passes on what a client may have failed to send."""

    multicast: Multicast


class Proposal(Message, frozen=True):
    """A destination's stamp, with the message: the coordinator may not have it yet."""

    multicast: Multicast
    number: int


class Final(Message, frozen=True):
    """The coordinator's decision."""

    id: MessageId
    number: int


class Gathering(msgspec.Struct):
    """The coordinator's view of an undecided message."""

    multicast: Multicast
    proposals: dict[GroupId, int] = {}


class State(msgspec.Struct):
    clock: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)
    gathering: dict[MessageId, Gathering] = {}


class SkeenCoordinator(Process[State, Start | Proposal | Final]):
    patience_us: ClassVar[int] = 10_000_000
    """How long the coordinator waits for proposals before it passes a message on."""

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        coordinator = multicast.dst[0]
        self.state.clock += 1
        self.state.queue.add(multicast, self.state.clock)
        if coordinator == self.group:
            self.state.gathering[multicast.id] = Gathering(multicast)
            self.set_timer(str(multicast.id), self.patience_us)
        self.send((coordinator,), Proposal(multicast, self.state.clock))

    def on_message(self, source: GroupId, message: Start | Proposal | Final) -> None:
        match message:
            case Start(multicast):
                if self.submissions.admit(multicast.id):
                    self.on_submit(multicast)
            case Proposal(multicast, number):
                if multicast.id not in self.state.gathering:
                    # It overtook the client's own message, for which it stands from now on.
                    self.submissions.admit(multicast.id)
                    self.on_submit(multicast)
                self.on_proposal(source, multicast.id, number)
            case Final(id, number):
                self.on_final(id, number)

    def on_proposal(self, source: GroupId, id: MessageId, number: int) -> None:
        gathering = self.state.gathering[id]
        gathering.proposals[source] = number
        if len(gathering.proposals) == len(gathering.multicast.dst):
            del self.state.gathering[id]
            self.cancel_timer(str(id))
            self.decide(gathering)

    def decide(self, gathering: Gathering) -> None:
        multicast = gathering.multicast
        self.send(multicast.dst, Final(multicast.id, max(gathering.proposals.values())))

    def on_final(self, id: MessageId, number: int) -> None:
        # Not an optimisation: a clock that stays behind would let a later message overtake.
        self.state.clock = max(self.state.clock, number)
        waiting = self.state.queue.messages[id]
        for multicast in self.state.queue.settle(waiting, number):
            self.deliver(multicast)

    def on_timer(self, timer: str) -> None:
        gathering = self.state.gathering[MessageId.parse(timer)]
        multicast, heard = gathering.multicast, gathering.proposals
        self.send((group for group in multicast.dst if group not in heard), Start(multicast))
