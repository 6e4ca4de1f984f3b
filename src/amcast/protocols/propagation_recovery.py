"""Propagation that goes on without failed groups, at the price of taking deliveries back.

Idea        The manager leaves a suspected group out. It stops all others, collects the order in
            which each has handled messages, merges these into one order of which each is a
            beginning, and lets all catch up and go on in a graph without the failed group.
            A group that comes back is let in the same way: what only it has handled is put where
            nobody else must take anything back, and what it delivered in another order it takes
            back and delivers again.
Assumes     As propagation; a manager that does not fail; somebody who tells it, or any other
            group, of failures. A group that is suspected wrongly is left out like a failed one.
Guarantees  Atomic multicast without what was taken back, and only groups that were left out
            take anything back. Clients of messages that only a failed group has must send them
            again if they do not want to wait for it. Messages are remembered from one time
            that all groups take part in a change to the next.
Reference   Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988),
            section 5.2.1. There, survivors only report the last message for each destination
            set, from which the manager cannot tell in which order others must be delivered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

import msgspec

from amcast.core import GroupId, Message, MessageId
from amcast.core.process import Memory
from amcast.overlays import PropagationGraph
from amcast.overlays.remaining import without
from amcast.protocols.propagation import (
    Data,
    Messages,
    Propagation,
    State,
    Suspicion,
)
from amcast.protocols.propagation_history import (
    common_beginning,
    completed,
    ids_of,
    merged,
)


class Stop(Message, frozen=True):
    """Handle nothing more of the graphs before `graph`, and say what you have handled."""

    graph: int

    def about(self) -> tuple[MessageId, ...]:
        return ()


class Report(Message, frozen=True):
    """What the sender has handled since all groups were last the same, in its order."""

    graph: int
    history: tuple[Data, ...]

    def about(self) -> tuple[MessageId, ...]:
        return tuple(ids_of(self.history))


class Continue(Message, frozen=True):
    """Deliver `order` as far as it is for you, and go on in `graph`, without `absent`."""

    graph: int
    absent: tuple[GroupId, ...]
    # Those whose reports were merged: each of them has delivered a beginning of `order`.
    survivors: tuple[GroupId, ...]
    order: tuple[Data, ...]

    def about(self) -> tuple[MessageId, ...]:
        return tuple(ids_of(self.order))


class RecoveryState(State):
    # Messages of graphs before this one are too late.
    oldest: int = 0
    # Between a Stop and a Continue.
    stopped: bool = False
    absent: tuple[GroupId, ...] = ()
    # What was handled since all groups were last the same, and how many deliveries were before.
    history: list[Data] = msgspec.field(default_factory=list)
    settled_deliveries: int = 0
    # At the manager: the reports on the newest graph.
    reports: dict[GroupId, tuple[Data, ...]] = msgspec.field(default_factory=dict)


AllMessages = Messages | Stop | Report | Continue


class RecoveringPropagation(Propagation):
    """The sets stay those of its first graph: it takes no other changes."""

    state: RecoveryState
    _state_type: ClassVar[type[msgspec.Struct]] = RecoveryState
    _memory_type: ClassVar[Any] = Memory[RecoveryState, AllMessages]
    message_type: ClassVar[Any] = AllMessages
    entry_moves: ClassVar[bool] = True

    @property
    def graph(self) -> PropagationGraph:
        return without(self.first_graph, self.state.absent)

    def is_change(self, multicast: object) -> bool:
        return False

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        # A message to none but absent groups waits for the first of them to be back.
        present = [group for group in dst if group not in self.state.absent]
        return (self.graph.primary(dst),) if present else dst[:1]

    def on_message(self, source: GroupId, message: AllMessages) -> None:
        match message:
            case Stop():
                self.on_stop(message)
            case Report():
                self.on_report(source, message)
            case Continue():
                self.on_continue(message)
            case Suspicion():
                self.on_suspicion(message)
            case Data() if message.graph < self.state.oldest:
                """Whoever sent it has reported it, or was left out and will hand it in again."""
            case _:
                super().on_message(source, message)

    def order(self, data: Data) -> None:
        if not self.submissions.seen(data.multicast.id):
            self.state.history.append(data)
        super().order(data)

    def catch_up(self) -> None:
        if not self.state.stopped:
            super().catch_up()

    # At the manager.

    def on_suspect(self, group: GroupId) -> None:
        self.on_suspicion(Suspicion(group, silent=True))

    def on_trust(self, group: GroupId) -> None:
        self.on_suspicion(Suspicion(group, silent=False))

    def on_suspicion(self, suspicion: Suspicion) -> None:
        assert self.manager is not None
        state, group = self.state, suspicion.group
        known = group in state.suspected
        if self.group != self.manager:
            self.send((self.manager,), suspicion)
        elif group != self.manager and known != suspicion.silent:
            if suspicion.silent:
                state.suspected[group] = {}
            else:
                del state.suspected[group]
            # If a change is under way, this one replaces it: its reports may never be complete.
            state.announced += 1
            state.reports = {}
            self.tell(self.present(), Stop(state.announced))

    def present(self) -> tuple[GroupId, ...]:
        return tuple(group for group in self.groups if group not in self.state.suspected)

    def on_report(self, source: GroupId, report: Report) -> None:
        state = self.state
        if report.graph != state.announced:
            return
        state.reports[source] = report.history
        present = self.present()
        if len(state.reports) == len(present):
            # A group that comes back may have handled messages in an order of its own.
            survivors = tuple(group for group in present if group not in state.absent)
            order = self.merge({group: state.reports[group] for group in survivors})
            order = self.complete(order, survivors)
            state.reports = {}
            absent = tuple(state.suspected)
            self.tell(present, Continue(state.announced, absent, survivors, tuple(order)))

    def merge(self, histories: Mapping[GroupId, Sequence[Data]]) -> list[Data]:
        return merged(histories)

    def complete(self, order: Sequence[Data], survivors: Sequence[GroupId]) -> list[Data]:
        return completed(order, self.state.reports, survivors)

    # At every group that is told to.

    def on_stop(self, stop: Stop) -> None:
        assert self.manager is not None
        state = self.state
        state.oldest = stop.graph
        # Closed: requests wait for the next graph.
        state.stopped = state.closed = True
        state.early = {graph: early for graph, early in state.early.items() if graph >= stop.graph}
        self.tell((self.manager,), Report(stop.graph, tuple(state.history)))

    def on_continue(self, message: Continue) -> None:
        state = self.state
        self.adopt(message.order, survives=self.group in message.survivors)
        state.graph, state.absent = message.graph, message.absent
        state.stopped = state.closed = False
        if not message.absent:
            # All groups are the same now: nobody will ask for what was before.
            state.settled_deliveries += sum(map(self.is_ours, state.history))
            state.history = []
        waiting, state.waiting = state.waiting, []
        for request in waiting:
            self.on_request(request)
        self.catch_up()

    def is_ours(self, data: Data) -> bool:
        return self.group in data.multicast.dst

    def adopt(self, order: Sequence[Data], *, survives: bool) -> None:
        """Deliver in the common order."""
        state = self.state
        before = [data for data in state.history if self.is_ours(data)]
        ours = [data for data in order if self.is_ours(data)]
        kept = before if survives else ours[: common_beginning(before, ours)]
        if len(kept) < len(before):
            self.roll_back(state.settled_deliveries + len(kept))
        known = ids_of(kept)
        for data in ours:
            if data.multicast.id not in known:
                self.deliver(data.multicast)
        for data in order:
            self.submissions.admit(data.multicast.id, data.settled)
        state.history = list(order)

    def tell(self, targets: Iterable[GroupId], message: Stop | Report | Continue) -> None:
        # The messages of a process are its class's; this one has more than the class it extends.
        self.send(targets, cast("Messages", message))


def make_propagation(
    group: GroupId,
    groups: tuple[GroupId, ...],
    graph: PropagationGraph | None = None,
    *,
    changes: bool = False,
    failures: str = "wait",
) -> Propagation:
    """With `changes` the graph can be replaced, and the first group is the manager.

    So it is if `failures` is leave-out; otherwise all that a failed group takes part in waits.
    """
    if failures == "leave-out":
        return RecoveringPropagation(group, groups, graph, manager=groups[0])
    return Propagation(group, groups, graph, manager=groups[0] if changes else None)
