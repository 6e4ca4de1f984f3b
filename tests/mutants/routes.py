"""What can go wrong in protocols that pass messages along a route."""

from __future__ import annotations

from typing import ClassVar

from amcast.core import Effect, Event, GroupId, MessageId, Multicast, Submitted
from amcast.protocols.sequencer import Ordered, Sequencer
from amcast.protocols.tree import Down, TreeCast
from tests.mutants.timestamps import unguarded


class TreeNoFifo(TreeCast):
    """Children take messages in the order of arrival, not in the order of their parent."""

    fifo: ClassVar[bool] = False


class TreeForwardsTwice(TreeCast):
    """A message is passed on before the test whether it was seen already."""

    def step(self, event: Event) -> list[Effect]:
        if isinstance(event, Submitted):
            children = self.tree.route(self.group, event.multicast.dst)
            self.send(children, Down(event.multicast))
        return super().step(event)

    def order(self, multicast: Multicast) -> None:
        if self.tree.lca(multicast.dst) != self.group:
            super().order(multicast)
        elif self.group in multicast.dst:
            self.deliver(multicast)


class TreeSkipsInnerGroups(TreeCast):
    """A group with children below it in the destinations does not count as reached itself."""

    def order(self, multicast: Multicast) -> None:
        children = self.tree.route(self.group, multicast.dst)
        self.send(children, Down(multicast))
        if self.group in multicast.dst and not children:
            self.deliver(multicast)


class TreeEntersAnywhere(TreeCast):
    """Messages enter at each destination instead of at the common ancestor."""

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def order(self, multicast: Multicast) -> None:
        self.deliver(multicast)


class SequencerNoFifo(Sequencer):
    """Receivers take messages in the order of arrival."""

    fifo: ClassVar[bool] = False


class SequencerNoGuard(Sequencer):
    """A message that the client sends again is ordered again."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))


class SequencerCountsForAll(Sequencer):
    """One numbering for all receivers, who wait for numbers that others got."""

    fifo: ClassVar[bool] = False

    def on_submit(self, multicast: Multicast) -> None:
        self.count = self.__dict__.get("count", 0) + 1
        # The number travels in the id, to keep the message as it is.
        numbered = Multicast(
            MessageId(f"{self.count}_{multicast.id.client}", multicast.id.seq), multicast.dst
        )
        self.send(multicast.dst, Ordered(numbered))

    def on_message(self, source: GroupId, message: Ordered) -> None:
        waiting = self.__dict__.setdefault("waiting", {})
        number, client = message.multicast.id.client.split("_")
        waiting[int(number)] = Multicast(
            MessageId(client, message.multicast.id.seq), message.multicast.dst
        )
        while self.__dict__.setdefault("next", 1) in waiting:
            self.deliver(waiting.pop(self.__dict__["next"]))
            self.__dict__["next"] += 1
