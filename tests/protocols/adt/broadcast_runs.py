"""Generic broadcast on its own: a process that broadcasts what clients send, in disasters."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, MessageId, Multicast, Process
from amcast.protocols.generic_broadcast import GenericBroadcast
from amcast.protocols.generic_broadcast_state import BroadcastState, Cast, Content, Wire
from tests.protocols.adt.disaster_runs import DisasterRun


class Note(Content, frozen=True):
    """A client's message; two conflict if they share a key."""

    multicast: Multicast

    def conflicts_with(self, other: Content) -> bool:
        assert isinstance(other, Note)
        mine, theirs = self.multicast.keys or (), other.multicast.keys or ()
        return any(key in theirs for key in mine)


class State(msgspec.Struct):
    broadcast: BroadcastState[Note] = msgspec.field(default_factory=BroadcastState)


class Broadcaster(Process[State, Cast[Note] | Wire[Note]]):
    component: ClassVar[type[GenericBroadcast[Note]]] = GenericBroadcast

    @property
    def broadcast(self) -> GenericBroadcast[Note]:
        return self.component(self.group, self.groups, self.state.broadcast)

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return (home or dst[0],)

    def on_submit(self, multicast: Multicast) -> None:
        self.carry_out(self.broadcast.cast(Note(multicast)))

    def on_message(self, source: GroupId, message: Cast[Note] | Wire[Note]) -> None:
        if isinstance(message, Cast):
            self.deliver(message.content.multicast)
        else:
            self.carry_out(self.broadcast.receive(source, message))

    def on_suspect(self, group: GroupId) -> None:
        self.carry_out(self.broadcast.suspect(group))

    def on_trust(self, group: GroupId) -> None:
        self.broadcast.trust(group)

    def carry_out(self, outputs: list[Cast[Note] | Wire[Note]]) -> None:
        for output in outputs:
            mine = isinstance(output, Cast)
            self.send([g for g in self.groups if (g == self.group) == mine], output)


def broadcaster(wrong: type[GenericBroadcast[Note]]) -> type[Broadcaster]:
    """A process with a wrong generic broadcast."""
    return type("Wrong", (Broadcaster,), {"component": wrong})


class BroadcastRun(DisasterRun):
    """Some messages conflict with all others, as changes of a view do, and some with a few."""

    promises = ("integrity", "validity", "agreement", "conflict_order")

    def _plan_message(self, id: MessageId) -> None:
        random = self.random
        count = random.choice((0, 1, 1, 2, 3))
        keys = tuple(sorted(random.sample(("k1", "k2", "k3"), count)))
        home = random.choice(self.groups)
        at = random.uniform(0, random.choice((3.0, self._spread)))
        self._after(at, self._multicast, Multicast(id, self.groups, b"", keys), home)
