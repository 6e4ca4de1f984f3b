"""A driver with clocks for processes whose timers never stop: it runs for as long as it is told."""

from __future__ import annotations

from heapq import heappop, heappush

from amcast.check import History
from amcast.core import (
    CancelTimer,
    Deliver,
    Event,
    GroupId,
    MessageId,
    Multicast,
    Received,
    Rollback,
    Send,
    SetTimer,
    Submitted,
    TimerFired,
    process_of,
)
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation_watch import WatchingPropagation

SECOND_US = 1_000_000
DELAY_US = 10_000


class Clockwork:
    """Groups with clocks. What is on its way to or from a failed group waits until it is back."""

    def __init__(
        self, process: type[WatchingPropagation], graph: PropagationGraph, manager: GroupId
    ) -> None:
        groups = graph.groups
        self.manager = manager
        self.make = lambda group: process(group, groups, graph, manager=manager)
        self.processes = {group: self.make(group) for group in groups}
        self.failed: dict[GroupId, tuple[bytes, list[tuple[GroupId, Event]]]] = {}
        self.sent: list[tuple[GroupId, Send]] = []
        self.delivered: dict[GroupId, list[MessageId]] = {group: [] for group in groups}
        self.history = History()
        self.history.has_times = False
        self.now_us = 0
        self._heap: list[tuple[int, int, GroupId, Event]] = []
        self._tickets = 0

    def multicast(self, text: str, dst: str) -> None:
        self.submit(Multicast(MessageId.parse(text), tuple(dst)))

    def submit(self, multicast: Multicast) -> None:
        self.history.add_multicast(multicast.id, multicast.id.client, multicast.dst)
        (target,) = self.processes[self.manager].entry(multicast.dst, None)
        self._later(DELAY_US, target, Submitted(multicast))

    def run(self, duration_us: int) -> None:
        end_us = self.now_us + duration_us
        while self._heap and self._heap[0][0] <= end_us:
            self.now_us, _, group, event = heappop(self._heap)
            source = event.source if isinstance(event, Received) else group
            away = group if group in self.failed else source
            if away not in self.failed:
                self._step(group, event)
            elif not isinstance(event, TimerFired):
                self.failed[away][1].append((group, event))
        self.now_us = end_us

    def fail(self, group: GroupId) -> None:
        self.failed[group] = (self.processes[group].snapshot(), [])

    def restart(self, group: GroupId) -> None:
        snapshot, missed = self.failed.pop(group)
        process = self.processes[group] = self.make(group)
        process.restore(snapshot)
        for timer, (generation, delay_us) in process.timers.running.items():
            self._later(delay_us, group, TimerFired(timer, generation))
        for target, event in missed:
            self._later(0, target, event)

    def sent_by(self, kind: type, source: str, target: str) -> int:
        return sum(
            isinstance(send.message, kind) and (group, send.target) == (source, target)
            for group, send in self.sent
        )

    def suspicions(self) -> dict[str, str]:
        """As the manager knows them: who is suspected, by whom."""
        manager = self.processes[self.manager]
        return {group: "".join(by) for group, by in manager.state.suspected.items()}

    def _step(self, group: GroupId, event: Event) -> None:
        for effect in self.processes[group].step(event):
            match effect:
                case Send(target, number, message):
                    self.sent.append((group, effect))
                    self._later(DELAY_US, target, Received(group, number, message))
                case Deliver(multicast):
                    position = len(self.delivered[group])
                    self.delivered[group].append(multicast.id)
                    self._tickets += 1
                    self.history.add_delivery(
                        process_of(group), group, position, multicast.id, self._tickets
                    )
                case Rollback(seq):
                    self.delivered[group] = self.delivered[group][:seq]
                    self.history.add_fault(process_of(group), "rollback", self._tickets + 1, seq)
                case SetTimer(timer, generation, delay_us):
                    self._later(delay_us, group, TimerFired(timer, generation))
                case CancelTimer():
                    pass
                case _:
                    raise AssertionError(effect)

    def _later(self, delay_us: int, group: GroupId, event: Event) -> None:
        self._tickets += 1
        heappush(self._heap, (self.now_us + delay_us, self._tickets, group, event))
