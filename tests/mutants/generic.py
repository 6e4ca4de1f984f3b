"""What can go wrong in generic multicast."""

from __future__ import annotations

from amcast.core import GroupId, Multicast
from amcast.protocols.generic import GenericMulticast, Waiting
from amcast.protocols.skeen import Timestamp


class GenericNoClockUpdate(GenericMulticast):
    """The clock does not follow final timestamps: a later message gets a smaller one."""

    def on_final(self, waiting: Waiting) -> None:
        clock = self.state.clock
        super().on_final(waiting)
        self.state.clock = clock


class GenericIgnoresOpenTimestamps(GenericMulticast):
    """Only final messages are waited for, not those whose timestamp is still open."""

    def deliver_ready(self) -> None:
        for waiting in tuple(self.state.messages.values()):
            if waiting.final:
                self.step_out(waiting)
                del self.state.messages[waiting.multicast.id]
                self.deliver(waiting.multicast)


class GenericKeepsItsPlace(GenericMulticast):
    """A message keeps the place of its proposal when its final timestamp is higher."""

    def on_final(self, waiting: Waiting) -> None:
        self.state.clock = max(self.state.clock, waiting.highest)
        waiting.final = True
        self.deliver_ready()


class GenericKeylessCommutes(GenericMulticast):
    """Messages without declared keys are taken to commute with everything."""

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups, conflict=share_a_declared_key)


class GenericForgetsWhoIsBehind(GenericMulticast):
    """A message that takes a higher place does not let those go that it has passed."""

    def step_out(self, waiting: Waiting) -> None:
        if waiting.final:
            super().step_out(waiting)
        else:
            self.state.order.remove((waiting.timestamp, waiting.multicast.id))


class GenericTimestampIsNoStart(GenericMulticast):
    """A timestamp does not stand for the message: a client that dies half-way blocks everyone."""

    def on_submit(self, multicast: Multicast) -> None:
        kept = self.early().pop(multicast.id, [])
        super().on_submit(multicast)
        for source, message in kept:
            self.on_message(source, message)

    def on_message(self, source: GroupId, message: Timestamp) -> None:
        if message.multicast.id in self.state.messages:
            super().on_message(source, message)
        else:
            self.early().setdefault(message.multicast.id, []).append((source, message))

    def early(self) -> dict[object, list[tuple[GroupId, Timestamp]]]:
        found: dict[object, list[tuple[GroupId, Timestamp]]]
        found = self.__dict__.setdefault("_early", {})
        return found


def share_a_declared_key(one: Multicast, other: Multicast) -> bool:
    return any(key in (other.keys or ()) for key in one.keys or ())
