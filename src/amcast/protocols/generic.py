"""Generic multicast: Skeen's algorithm, where only messages that conflict wait for each other.

Idea        Timestamps as in Skeen's algorithm. A message is delivered as soon as its timestamp
            is final and no message that conflicts with it waits with a smaller one; messages
            that commute pass each other. Which conflict is for the application to say: by
            default those that share a key.
Assumes     Reliable channels, in any order; the groups themselves do not fail. A conflict
            relation that is symmetric and decided by the two messages alone.
Guarantees  Conflict order: what conflicts is delivered in the order of timestamps everywhere.
            Commuting messages come in different orders, so there is no prefix order and no
            acyclic order. Genuine; delays and messages as Skeen, without the convoy.
Reference   Ahmed-Nacer, Sutra and Conan, "The convoy effect in atomic multicast" (2016),
            section IV.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import msgspec

from amcast.core import GroupId, MessageId, Multicast, Process
from amcast.protocols.skeen import Timestamp

Conflict = Callable[[Multicast, Multicast], bool]


def share_a_key(one: Multicast, other: Multicast) -> bool:
    """Without keys (None) a message conflicts with all others, but for those with no key at all."""
    if one.keys is None or other.keys is None:
        return one.keys != () and other.keys != ()
    return any(key in other.keys for key in one.keys)


class Waiting(msgspec.Struct):
    """A message that is not delivered yet."""

    multicast: Multicast
    timestamp: int
    # What is known of the final timestamp: the highest proposal, and how many are missing.
    highest: int = 0
    missing: int = 0
    final: bool = False
    # How many messages that conflict with this one wait with smaller timestamps.
    ahead: int = 0


class State(msgspec.Struct):
    clock: int = 0
    messages: dict[MessageId, Waiting] = {}
    # All of them, in the order of their present timestamps.
    order: list[tuple[int, MessageId]] = []


class GenericMulticast(Process[State, Timestamp]):
    def __init__(
        self, group: GroupId, groups: tuple[GroupId, ...], *, conflict: Conflict = share_a_key
    ) -> None:
        super().__init__(group, groups)
        self.conflict = conflict

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.propose_timestamp(multicast)

    def propose_timestamp(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        waiting = Waiting(multicast, state.clock, missing=len(multicast.dst))
        state.messages[multicast.id] = waiting
        self.line_up(waiting)
        self.send(multicast.dst, Timestamp(multicast, state.clock))

    def on_message(self, source: GroupId, message: Timestamp) -> None:
        multicast = message.multicast
        if multicast.id not in self.state.messages:
            # It overtook the client's own message, for which it stands from now on.
            self.submissions.admit(multicast.id)
            self.propose_timestamp(multicast)
        waiting = self.state.messages[multicast.id]
        waiting.highest = max(waiting.highest, message.proposal)
        waiting.missing -= 1
        if waiting.missing == 0:
            self.on_final(waiting)

    def on_final(self, waiting: Waiting) -> None:
        # Not an optimisation: a clock that stays behind would let a later message overtake.
        self.state.clock = max(self.state.clock, waiting.highest)
        self.step_out(waiting)
        waiting.timestamp = waiting.highest
        waiting.final = True
        self.line_up(waiting)
        self.deliver_ready()

    def deliver_ready(self) -> None:
        """Deliver all that are final with nothing that conflicts ahead, not only the first.

        One look at each, in order, is enough: a delivery makes way only for what is behind.
        """
        for _, id in tuple(self.state.order):
            waiting = self.state.messages[id]
            if waiting.final and waiting.ahead == 0:
                self.step_out(waiting)
                del self.state.messages[id]
                self.deliver(waiting.multicast)

    # The line of waiting messages. Only these two ask what conflicts.

    def line_up(self, waiting: Waiting) -> None:
        """Take the place that the timestamp gives: behind some messages, ahead of others."""
        order = self.state.order
        position = (waiting.timestamp, waiting.multicast.id)
        place = bisect_left(order, position)
        waiting.ahead = len(self.rivals(waiting, order[:place]))
        for behind in self.rivals(waiting, order[place:]):
            behind.ahead += 1
        order.insert(place, position)

    def step_out(self, waiting: Waiting) -> None:
        """Leave the line, to be delivered or to take another place."""
        order = self.state.order
        place = bisect_left(order, (waiting.timestamp, waiting.multicast.id))
        del order[place]
        for behind in self.rivals(waiting, order[place:]):
            behind.ahead -= 1

    def rivals(self, waiting: Waiting, among: list[tuple[int, MessageId]]) -> list[Waiting]:
        others = [self.state.messages[id] for _, id in among]
        return [each for each in others if self.conflict(waiting.multicast, each.multicast)]
