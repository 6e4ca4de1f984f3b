"""Ring: a message visits its destinations one after the other, and each waits for the last.

Idea        A message enters at its first destination, which hands it to the second, and so on.
            A group that has handed a message on takes up no other until the last destination
            acknowledges it: as if it had locked each destination in turn, always in the same
            order, so that there is no deadlock.
Assumes     Reliable channels, in any order; the groups themselves do not fail.
Guarantees  Atomic multicast, genuine, with 2(k - 1) messages for k destinations. k delays until
            all have delivered (one less if they deliver as they hand on); one more of each if
            the client is outside the first destination. One message at a time and group.
Reference   Delporte-Gallet and Fauconnier, "Fault-tolerant genuine atomic broadcast to multiple
            groups" (2000), as told by Schiper, Sutra and Pedone, "Genuine versus non-genuine
            atomic multicast" (2009), section 3.1, and by Ahmed-Nacer, Sutra and Conan, "The
            convoy effect in atomic multicast" (2016), section V.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from amcast.core import GroupId, InvalidInput, Message, MessageId, Multicast, Process


class Hop(Message, frozen=True):
    """The message itself, from one destination to the next."""

    multicast: Multicast


class Ack(Message, frozen=True):
    """The last destination has the message: all others may go on."""

    id: MessageId


class State(msgspec.Struct):
    # The message that was handed on and is not acknowledged yet.
    current: Multicast | None = None
    queue: list[Multicast] = []


class Ring(Process[State, Hop | Ack]):
    def __init__(
        self,
        group: GroupId,
        groups: tuple[GroupId, ...],
        *,
        deliver_on: Literal["hop", "ack"] = "ack",
        local_bypass: bool = False,
    ) -> None:
        """`local_bypass` delivers messages to this group alone at once, whatever is current."""
        super().__init__(group, groups)
        if deliver_on not in ("hop", "ack"):
            raise InvalidInput(f"ring cannot deliver on {deliver_on!r}: use hop or ack")
        self.deliver_on = deliver_on
        self.local_bypass = local_bypass

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst[:1]

    def on_submit(self, multicast: Multicast) -> None:
        self.take(multicast)

    def on_message(self, source: GroupId, message: Hop | Ack) -> None:
        match message:
            case Hop(multicast):
                self.take(multicast)
            case Ack(id):
                self.on_ack(id)

    def take(self, multicast: Multicast) -> None:
        if self.local_bypass and multicast.is_local:
            # No other group orders it, so any place in this group's order is right.
            self.deliver(multicast)
            return
        self.state.queue.append(multicast)
        self.go_on()

    def go_on(self) -> None:
        while self.state.queue and self.state.current is None:
            multicast = self.state.queue.pop(0)
            if self.group == multicast.dst[-1]:
                self.deliver(multicast)
                self.send(multicast.dst[:-1], Ack(multicast.id))
            else:
                self.hand_on(multicast)

    def hand_on(self, multicast: Multicast) -> None:
        self.state.current = multicast
        if self.deliver_on == "hop":
            self.deliver(multicast)
        following = multicast.dst[multicast.dst.index(self.group) + 1]
        self.send((following,), Hop(multicast))

    def on_ack(self, id: MessageId) -> None:
        current = self.state.current
        assert current is not None, f"{self.group}: {id} is acknowledged, but nothing was sent"
        assert current.id == id, f"{self.group}: {id} is acknowledged, not {current.id}"
        if self.deliver_on == "ack":
            self.deliver(current)
        self.state.current = None
        self.go_on()
