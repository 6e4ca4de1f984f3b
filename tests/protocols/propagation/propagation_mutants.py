"""`propagation` with the bugs of the paper's pseudo-code, and others that come to mind.

The numbers are those of the eight bugs in the message passing protocol of the paper's
Appendix I: (1) an originator never increases its sequence number; (2) passing a message on
overwrites the record that says which counter to advance; (3) repeated messages get stuck at
the head of the wait queue; (4) the head of an empty wait queue is read; (5) null messages have
no sequence number, yet pass the test of sequence numbers; (6) the time of sending is never
noted; (7) a child that is itself a destination is no ancestor of one; (8) only parents are
watched, not other senders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from amcast.core import GroupId, Message, Multicast, Received
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import Close, Data, Open, Propagation, Request, read_graph


class NumbersStayTheSame(Propagation):
    """Bug 1: every message of an originator has the same sequence number."""

    def send(self, targets: Iterable[GroupId], message: Any) -> None:
        chosen = tuple(targets)
        super().send(chosen, message)
        self.channels.sent.update({target: 0 for target in chosen if target != self.group})


class AdvancesAnotherCounter(Propagation):
    """Bug 2: after passing a message on, its sender is this group itself."""

    def _receive(self, event: Received) -> None:
        before = sum(self.channels.sent.values())
        super()._receive(event)
        if sum(self.channels.sent.values()) > before:
            self.channels.received[event.source].expected -= 1


class KeepsRepeatedMessages(Propagation):
    """Bug 3: what is older than expected blocks everything behind it."""

    def _receive(self, event: Received) -> None:
        inbound = self.channels.received.get(event.source)
        if inbound is not None and (
            event.number < inbound.expected or any(n < inbound.expected for n in inbound.early)
        ):
            inbound.early[event.number] = None
            return
        super()._receive(event)


class ReadsAnEmptyQueue(Propagation):
    """Bug 4: the head of the wait queue is read when the queue is empty."""

    def _receive(self, event: Received) -> None:
        super()._receive(event)
        inbound = self.channels.received[event.source]
        assert min(inbound.early) >= inbound.expected


class StrictlyAbove(PropagationGraph):
    def route(self, group: GroupId, dst: tuple[GroupId, ...]) -> tuple[GroupId, ...]:
        below = self.route_of(dst).children
        return tuple(child for child in below[group] if below[child])


class SkipsLastDestinations(Propagation):
    """Bug 7: passes messages only to children that are above a destination."""

    def graph_of(self, definition: bytes) -> PropagationGraph:
        graph = super().graph_of(definition)
        return StrictlyAbove(graph.groups, graph.parents, graph.sets)


class NoFifo(Propagation):
    """Groups take messages in the order of arrival, not in the order of their parent."""

    fifo = False


STATIC_MUTANTS = (
    NumbersStayTheSame,
    AdvancesAnotherCounter,
    KeepsRepeatedMessages,
    ReadsAnEmptyQueue,
    SkipsLastDestinations,
    NoFifo,
)


class ForgetsRemovedGroups(Propagation):
    """As in the paper: a new graph is opened only where it has somebody to serve."""

    def send(self, targets: Iterable[GroupId], message: Any) -> None:
        if isinstance(message, Open):
            graph = read_graph(message.multicast.payload, self.groups)
            served = {group for dst in graph.sets or () for group in dst}
            targets = [group for group in targets if group in served]
        super().send(targets, message)


class OrdersWhileClosed(Propagation):
    """A request is ordered by the old graph though that is closed."""

    def on_request(self, request: Request) -> None:
        closed, self.state.closed = self.state.closed, False
        super().on_request(request)
        self.state.closed = closed


class IgnoresGraphNumbers(Propagation):
    """Takes each message as it comes, whatever graph it belongs to."""

    def on_message(self, source: GroupId, message: Message) -> None:
        match message:
            case Data():
                self.order(message)
            case Close():
                self.send(self.graph.children(self.group), message)
                self.state.closed = True
            case Open():
                self.on_open(message)
            case Request():
                self.on_request(message)


class OpensBeforeItIsClosed(Propagation):
    """A new graph is taken before the old one is closed."""

    def on_message(self, source: GroupId, message: Message) -> None:
        if isinstance(message, Open) and message.graph == self.state.graph + 1:
            self.on_open(message)
            self.catch_up()
        else:
            super().on_message(source, message)  # type: ignore[arg-type]


class TakesRetriesTwice(Propagation):
    """Each primary takes a message that it has not seen, though another one ordered it."""

    def order(self, data: Data) -> None:
        if self.graph.primary(data.multicast.dst) != self.group:
            self.submissions.forget(data.multicast.id.client)
        super().order(data)
        if self.graph.primary(data.multicast.dst) != self.group:
            self.submissions.forget(data.multicast.id.client)


class TakesRequestsForSeen(Propagation):
    """What it sent elsewhere, it takes for a repeat when it comes back."""

    def on_submit(self, multicast: Multicast) -> None:
        super().on_submit(multicast)
        self.submissions.admit(multicast.id)


class ThrowsWaitingRequestsAway(Propagation):
    """As in the paper, but without the source that sends them again."""

    def on_open(self, message: Open) -> None:
        self.state.waiting = []
        super().on_open(message)


DYNAMIC_MUTANTS = (
    ForgetsRemovedGroups,
    OrdersWhileClosed,
    IgnoresGraphNumbers,
    OpensBeforeItIsClosed,
    TakesRetriesTwice,
    TakesRequestsForSeen,
    ThrowsWaitingRequestsAway,
)
