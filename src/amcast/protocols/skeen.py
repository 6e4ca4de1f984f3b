"""Skeen's algorithm, decentralised: every destination proposes, the highest proposal wins.

Idea        Each destination stamps a message with its logical clock and tells the others.
            The highest stamp becomes the message's timestamp, and messages are delivered
            in the order of timestamps, ties broken by message id.
Assumes     Reliable channels, in any order; the groups themselves do not fail.
Guarantees  Atomic multicast, genuine. Two delays; k*k - 1 messages for k destinations if the
            client belongs to one of them, k*k if it does not.
Reference   D. Skeen, as retold by Birman and Joseph, "Reliable communication in the presence
            of failures" (1987), and with one phase less by Ahmed-Nacer, Sutra and Conan,
            "The convoy effect in atomic multicast" (2016), section III.
"""

from __future__ import annotations

import msgspec

from amcast.core import GroupId, Message, Multicast, Process
from amcast.protocols.timestamps import TimestampQueue, Waiting


class Timestamp(Message, frozen=True):
    """The sender's proposal. It carries the message: the client may have died half-way."""

    multicast: Multicast
    proposal: int


class State(msgspec.Struct):
    clock: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)


class Skeen(Process[State, Timestamp]):
    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.propose_timestamp(multicast)

    def propose_timestamp(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        state.queue.add(multicast, state.clock)
        self.send(multicast.dst, Timestamp(multicast, state.clock))

    def on_message(self, source: GroupId, message: Timestamp) -> None:
        multicast = message.multicast
        messages = self.state.queue.messages
        if multicast.id not in messages:
            # It overtook the client's own message, for which it stands from now on.
            self.submissions.admit(multicast.id)
            self.propose_timestamp(multicast)
        waiting = messages[multicast.id]
        if self.state.queue.propose(waiting, message.proposal):
            self.on_final(waiting)

    def on_final(self, waiting: Waiting) -> None:
        # Not an optimisation: a clock that stays behind would let a later message overtake.
        self.state.clock = max(self.state.clock, waiting.highest)
        for multicast in self.state.queue.settle(waiting, waiting.highest):
            self.deliver(multicast)
