"""What can go wrong in a ring."""

from __future__ import annotations

from amcast.core import Effect, Event, GroupId, MessageId, Multicast
from amcast.protocols.ring import Ack, Ring
from tests.mutants.timestamps import unguarded


class RingHopsAtOnce(Ring):
    """A group hands on the next message without waiting for the acknowledgement."""

    def hand_on(self, multicast: Multicast) -> None:
        super().hand_on(multicast)
        self.unacknowledged()[multicast.id] = multicast
        self.state.current = None

    def on_ack(self, id: MessageId) -> None:
        self.state.current = self.unacknowledged().pop(id)
        super().on_ack(id)

    def unacknowledged(self) -> dict[MessageId, Multicast]:
        found: dict[MessageId, Multicast] = self.__dict__.setdefault("_unacknowledged", {})
        return found


class RingDeliversAndGoesOn(Ring):
    """A group delivers as it hands on, and waits for nothing."""

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups, deliver_on="hop")

    def hand_on(self, multicast: Multicast) -> None:
        super().hand_on(multicast)
        self.state.current = None

    def on_ack(self, id: MessageId) -> None:
        """It never waited."""


class RingReleasedByTheNext(Ring):
    """The next group acknowledges, not the last: those behind it are not locked yet."""

    def go_on(self) -> None:
        while self.state.queue and self.state.current is None:
            multicast = self.state.queue.pop(0)
            place = multicast.dst.index(self.group)
            if place > 0:
                self.send((multicast.dst[place - 1],), Ack(multicast.id))
            if self.group == multicast.dst[-1]:
                self.deliver(multicast)
            else:
                self.hand_on(multicast)


class RingReleasesOnlyTheFirst(Ring):
    """Only the first destination gets the acknowledgement: those in between wait for ever."""

    def go_on(self) -> None:
        while self.state.queue and self.state.current is None:
            multicast = self.state.queue.pop(0)
            if self.group == multicast.dst[-1]:
                self.deliver(multicast)
                self.send(multicast.dst[: min(1, len(multicast.dst) - 1)], Ack(multicast.id))
            else:
                self.hand_on(multicast)


class RingBothWays(Ring):
    """Messages of clients in the last destination go backwards: two of them block each other."""

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst[-1:] if home == dst[-1] else dst[:1]

    def on_submit(self, multicast: Multicast) -> None:
        if self.group != multicast.dst[0]:
            multicast = Multicast(multicast.id, multicast.dst[::-1], multicast.payload)
        super().on_submit(multicast)


class RingOvertakes(Ring):
    """What has its last destination here overtakes all that wait, also if it has others."""

    def take(self, multicast: Multicast) -> None:
        self.state.queue.insert(0, multicast)
        if multicast.dst[-1] == self.group:
            current, self.state.current = self.state.current, None
            self.deliver(self.state.queue.pop(0))
            self.send(multicast.dst[:-1], Ack(multicast.id))
            self.state.current = current
        self.go_on()


class RingNoGuard(Ring):
    """A message that the client sends again goes round again."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))
