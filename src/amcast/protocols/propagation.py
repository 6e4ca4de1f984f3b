"""Propagation: messages enter at a primary destination and flow down a forest.

Idea        The destination sets are known beforehand, and a forest is made in which the members
            of each set lie below one of them, its primary destination. A message is ordered
            there and passed from parent to child; each group keeps the order of its parent.
            When the sets change, the manager closes the old graph and opens the new one, in
            order with all messages: none belongs to two graphs.
Assumes     FIFO channels from parent to child. Destination sets that are registered.
Guarantees  Atomic multicast; genuine for sets whose paths need no extra groups, always for
            messages to one group. As many delays as the deepest destination is below the
            primary, and one message per group on the way but the first; one more of each if
            the client is outside the primary.
Reference   Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988).
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Final

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.overlays import PropagationGraph

MANAGER_CLIENT: Final = "graph"
"""The client whose messages to all groups, `graph:1` and so on, change the graph."""


class Request(Message, frozen=True):
    """A client's message on its way to its primary destination in `graph` or a later one."""

    multicast: Multicast
    graph: int
    # All of the client's numbers below are finished, so that nobody need remember them.
    settled: int


class Data(Message, frozen=True):
    """The next message of the parent's order that is for somebody below the parent."""

    multicast: Multicast
    graph: int
    settled: int


class Close(Message, frozen=True):
    """The last message of `graph`; `id` is the change that ends it."""

    id: MessageId
    graph: int


class Open(Message, frozen=True):
    """The first message of `graph`. It carries the change, and so the new graph itself."""

    multicast: Multicast
    graph: int


class Null(Message, frozen=True):
    """Nothing, sent so that silence means failure."""

    def about(self) -> tuple[MessageId, ...]:
        return ()


class Suspicion(Message, frozen=True):
    """To the manager: the sender has not heard from `group` for too long, or hears it again."""

    group: GroupId
    silent: bool

    def about(self) -> tuple[MessageId, ...]:
        return ()


class State(msgspec.Struct):
    # The newest graph that was opened here, numbered from 0, and whether it is closed again.
    graph: int = 0
    closed: bool = False
    # What a change said; nothing for the graph that the process was made with.
    definition: bytes = b""
    # Graph -> what the only group that feeds us in it sent, in order, before we were ready.
    early: dict[int, list[Open | Data | Close]] = {}
    # Requests that no open graph can take yet.
    waiting: list[Request] = []
    # At the manager: the newest graph that it told anybody of.
    announced: int = 0
    announced_definition: bytes = b""
    # Group -> those that wait for it in vain: all at the manager, elsewhere only this group.
    suspected: dict[GroupId, dict[GroupId, None]] = {}


Messages = Request | Data | Close | Open | Null | Suspicion


class Propagation(Process[State, Messages]):
    fifo: ClassVar[bool] = True

    def __init__(
        self,
        group: GroupId,
        groups: tuple[GroupId, ...],
        graph: PropagationGraph | None = None,
        *,
        manager: GroupId | None = None,
    ) -> None:
        """Without a `manager`, the graph is for ever, and other sets are refused at once.

        With one, messages to a set that no graph serves yet wait for one that does.
        """
        super().__init__(group, groups)
        self.first_graph = PropagationGraph.for_any_set(groups) if graph is None else graph
        self.manager = manager

    @property
    def graph(self) -> PropagationGraph:
        """The newest graph that was opened here."""
        return self.graph_of(self.state.definition)

    def graph_of(self, definition: bytes) -> PropagationGraph:
        return read_graph(definition, self.groups) if definition else self.first_graph

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        if self.manager is not None and dst == self.groups and not self.graph.serves(dst):
            # Only a change is for everybody, whatever the sets are.
            return (self.manager,)
        return (self.graph.primary(dst),)

    def on_submit(self, multicast: Multicast) -> None:
        seen = self.submissions.clients[multicast.id.client]
        # Only a group that orders the message, or gets it from its parent, has really taken it.
        # One that sends it elsewhere must not mistake it for a repeat when it comes back.
        del seen.above[multicast.id.seq]
        self.on_request(Request(multicast, 0, seen.settled))

    def on_message(self, source: GroupId, message: Messages) -> None:
        match message:
            case Request():
                self.on_request(message)
            case Data() | Close() | Open():
                self.state.early.setdefault(message.graph, []).append(message)
                self.catch_up()
            case _:
                raise AssertionError(f"{self.group} watches nobody, yet got {message!r}")

    def on_request(self, request: Request) -> None:
        state, multicast = self.state, request.multicast
        if self.is_change(multicast):
            self.on_change(request)
        elif state.closed or state.graph < request.graph or not self.graph.serves(multicast.dst):
            state.waiting.append(request)
        elif (primary := self.graph.primary(multicast.dst)) == self.group:
            self.order(Data(multicast, state.graph, request.settled))
        else:
            # The client asked a group that is no longer primary. The one that is may not have
            # opened this graph yet: it must wait for that, and not send the message back.
            self.send((primary,), Request(multicast, state.graph, request.settled))

    def order(self, data: Data) -> None:
        """Give the message its place in our order, which is that of everybody below us."""
        multicast = data.multicast
        # A client that retries may have asked two primaries, each in a graph of its own.
        if not self.submissions.admit(multicast.id, data.settled):
            return
        self.send(self.graph.route(self.group, multicast.dst), data)
        if self.group in multicast.dst:
            self.deliver(multicast)

    # Changes of the graph.

    def is_change(self, multicast: Multicast) -> bool:
        by_manager = multicast.id.client == MANAGER_CLIENT and multicast.dst == self.groups
        return by_manager and self.manager is not None

    def on_change(self, request: Request) -> None:
        """At the manager: end the newest graph and begin the next, without waiting for either."""
        assert self.manager is not None
        state, change = self.state, request.multicast
        if self.group != self.manager:
            self.send((self.manager,), request)
            return
        ended = self.graph_of(state.announced_definition)
        if not change.payload:
            # Any other graph will do. So a driver can ask for changes and know nothing of graphs.
            change = change_to(ended.turned(state.announced + 1), change.id.seq)
        try:
            graph = read_graph(change.payload, self.groups)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            return
        if self.submissions.admit(change.id, request.settled):
            self.send(ended.roots, Close(change.id, state.announced))
            state.announced += 1
            state.announced_definition = change.payload
            # Every group is in every graph, if only as a root without children: also those
            # that lost their sets must learn where to send requests that still reach them.
            self.send(graph.roots, Open(change, state.announced))

    def catch_up(self) -> None:
        """Handle what the open graph has to say and, when it is closed, the one after it."""
        state = self.state
        while queue := state.early.get(now := state.graph + state.closed):
            message = queue.pop(0)
            if not queue:
                del state.early[now]
            match message:
                case Data():
                    self.order(message)
                case Close():
                    self.send(self.graph.children(self.group), message)
                    state.closed = True
                case Open():
                    self.on_open(message)

    def on_open(self, message: Open) -> None:
        state = self.state
        state.graph = message.graph
        state.closed = False
        state.definition = message.multicast.payload
        self.send(self.graph.children(self.group), message)
        self.deliver(message.multicast)
        waiting, state.waiting = state.waiting, []
        for request in waiting:
            self.on_request(request)


class Definition(msgspec.Struct, frozen=True):
    """A graph as the payload of a change."""

    parents: dict[GroupId, GroupId]
    sets: list[list[GroupId]] | None


def change_to(graph: PropagationGraph, number: int) -> Multicast:
    """The message that changes the graph; every group delivers it when it opens the new one."""
    parents = {group: parent for group, parent in graph.parents.items() if parent is not None}
    sets = None if graph.sets is None else [[*dst] for dst in graph.sets]
    payload = msgspec.msgpack.encode(Definition(parents, sets))
    return Multicast(MessageId(MANAGER_CLIENT, number), graph.groups, payload)


@lru_cache(maxsize=64)
def read_graph(payload: bytes, groups: tuple[GroupId, ...]) -> PropagationGraph:
    """The graph of a change; raises unless it is one over these groups."""
    definition = msgspec.msgpack.decode(payload, type=Definition)
    return PropagationGraph(groups, dict(definition.parents), definition.sets)
