"""Null messages, time-outs, and a failed group that goes on from its snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

from amcast.check import History, violations
from amcast.core import (
    CancelTimer,
    Deliver,
    Event,
    GroupId,
    MessageId,
    Multicast,
    Received,
    Send,
    SetTimer,
    Submitted,
    TimerFired,
    process_of,
)
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import Data, Null, change_to
from amcast.protocols.propagation_watch import WatchingPropagation
from amcast.protocols.registry import GENUINE_MULTICAST

SECOND_US = 1_000_000
DELAY_US = 10_000
GROUPS = tuple("abcdefghj")
FIGURE_3 = ("cd", "abc", "bcde", "def", "ef", "bg", "ch", "dj")
# d > c, e, j; c > a, b, h; e > f; b > g.
GRAPH = PropagationGraph.generate(GROUPS, FIGURE_3, "dce")


class Clockwork:
    """Groups with clocks. What is sent to a failed group reaches it when it is back."""

    def __init__(self, process: type[WatchingPropagation], manager: GroupId = "d") -> None:
        self.make = lambda group: process(group, GROUPS, GRAPH, manager=manager)
        self.processes = {group: self.make(group) for group in GROUPS}
        self.failed: dict[GroupId, tuple[bytes, list[Event]]] = {}
        self.sent: list[tuple[GroupId, Send]] = []
        self.delivered: dict[GroupId, list[MessageId]] = {group: [] for group in GROUPS}
        self.history = History()
        self.history.has_times = False
        self.now_us = 0
        self._heap: list[tuple[int, int, GroupId, Event]] = []
        self._tickets = 0

    def multicast(self, text: str, dst: str) -> None:
        self.submit(Multicast(MessageId.parse(text), tuple(dst)))

    def submit(self, multicast: Multicast) -> None:
        self.history.add_multicast(multicast.id, multicast.id.client, multicast.dst)
        (target,) = self.processes["a"].entry(multicast.dst, None)
        self._later(DELAY_US, target, Submitted(multicast))

    def run(self, duration_us: int) -> None:
        end_us = self.now_us + duration_us
        while self._heap and self._heap[0][0] <= end_us:
            self.now_us, _, group, event = heappop(self._heap)
            if group not in self.failed:
                self._step(group, event)
            elif not isinstance(event, TimerFired):
                self.failed[group][1].append(event)
        self.now_us = end_us

    def fail(self, group: GroupId) -> None:
        self.failed[group] = (self.processes[group].snapshot(), [])

    def restart(self, group: GroupId) -> None:
        snapshot, missed = self.failed.pop(group)
        process = self.processes[group] = self.make(group)
        process.restore(snapshot)
        for timer, (generation, delay_us) in process.timers.running.items():
            self._later(delay_us, group, TimerFired(timer, generation))
        for event in missed:
            self._later(0, group, event)

    def sent_by(self, kind: type, source: str, target: str) -> int:
        return sum(
            isinstance(send.message, kind) and (group, send.target) == (source, target)
            for group, send in self.sent
        )

    def suspicions(self) -> dict[str, str]:
        """As the manager knows them: who is suspected, by whom."""
        manager = self.processes["d"]
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
                    self.history.add_delivery(process_of(group), group, position, multicast.id)
                case SetTimer(timer, generation, delay_us):
                    self._later(delay_us, group, TimerFired(timer, generation))
                case CancelTimer():
                    pass
                case _:
                    raise AssertionError(effect)

    def _later(self, delay_us: int, group: GroupId, event: Event) -> None:
        self._tickets += 1
        heappush(self._heap, (self.now_us + delay_us, self._tickets, group, event))


def started(
    process: type[WatchingPropagation] = WatchingPropagation, manager: GroupId = "d"
) -> Clockwork:
    """All groups have been heard of, and then nothing happens for a while."""
    clockwork = Clockwork(process, manager)
    clockwork.multicast("s:1", "dj")
    clockwork.run(20 * SECOND_US)
    return clockwork


def is_alive_but_idle_suspected(process: type[WatchingPropagation]) -> bool:
    clockwork = started(process)
    return any(one.state.suspected for one in clockwork.processes.values())


def nulls_while_busy(process: type[WatchingPropagation]) -> int:
    clockwork = started(process)
    before = 0
    for number in range(40):
        clockwork.multicast(f"x:{number}", "cd")
        clockwork.run(SECOND_US // 4)
        before = before or clockwork.sent_by(Null, "d", "c")
    return clockwork.sent_by(Null, "d", "c") - before


def is_a_failed_manager_noticed(process: type[WatchingPropagation]) -> bool:
    """The manager a is below the root d, which hears only from it."""
    clockwork = started(process, manager="a")
    clockwork.fail("a")
    clockwork.run(10 * SECOND_US)
    return "a" in clockwork.processes["d"].state.suspected


def test_nobody_is_suspected_for_having_nothing_to_send() -> None:
    assert not is_alive_but_idle_suspected(WatchingPropagation)


def test_null_messages_reach_the_last_leaf() -> None:
    clockwork = started()
    assert clockwork.sent_by(Null, "b", "g") > 10
    assert clockwork.sent_by(Null, "g", "b") == 0


def test_a_busy_group_sends_no_null_messages() -> None:
    assert nulls_while_busy(WatchingPropagation) == 0


def test_roots_notice_that_the_manager_failed() -> None:
    assert is_a_failed_manager_noticed(WatchingPropagation)


class NullsHaveNoNumber(WatchingPropagation):
    """Bug 5: null messages take the test of sequence numbers without having one."""

    def send(self, targets: Iterable[GroupId], message: Any) -> None:
        chosen = tuple(targets)
        super().send(chosen, message)
        if isinstance(message, Null):
            for target in chosen:
                self.channels.sent[target] -= 1

    def _receive(self, event: Received) -> None:
        number = 0 if isinstance(event.message, Null) else event.number
        for message in self.channels.accept(event.source, number, event.message, fifo=True):  # type: ignore[arg-type]
            self.on_message(event.source, message)


class NeverNotesTheTimeOfSending(WatchingPropagation):
    """Bug 6."""

    def send(self, targets: Iterable[GroupId], message: Any) -> None:
        super(WatchingPropagation, self).send(targets, message)


class WatchesOnlyParents(WatchingPropagation):
    """Bug 8."""

    def feeder(self) -> GroupId | None:
        return self.graph.parents[self.group]


def test_the_bugs_of_the_papers_time_outs_are_found() -> None:
    assert is_alive_but_idle_suspected(NullsHaveNoNumber)
    assert nulls_while_busy(NeverNotesTheTimeOfSending) > 0
    assert not is_a_failed_manager_noticed(WatchesOnlyParents)


def test_only_those_below_a_failed_group_wait_for_it() -> None:
    """Atomic delivery: c fails. What is ordered elsewhere and does not pass c goes on."""
    clockwork = started()
    clockwork.fail("c")
    clockwork.multicast("x:1", "def")
    clockwork.multicast("x:2", "bcde")
    clockwork.multicast("x:3", "bg")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {"c": "abh"}
    ids = {group: [str(id) for id in found] for group, found in clockwork.delivered.items()}
    assert ids["e"] == ["x:1", "x:2"]
    assert ids["f"] == ["x:1"]
    assert ids["g"] == ["x:3"]
    assert ids["b"] == ["x:3"], "x:2 comes by way of c"
    clockwork.restart("c")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    assert violations(clockwork.history, GENUINE_MULTICAST) == []


def test_a_failed_leaf_blocks_nobody_and_catches_up() -> None:
    clockwork = started()
    clockwork.fail("g")
    clockwork.multicast("x:1", "bg")
    clockwork.multicast("x:2", "abc")
    clockwork.run(10 * SECOND_US)
    assert sorted(clockwork.delivered["b"]) == [("x", 1), ("x", 2)]
    clockwork.restart("g")
    clockwork.run(10 * SECOND_US)
    assert violations(clockwork.history, GENUINE_MULTICAST) == []


def test_after_a_change_the_new_neighbours_are_watched() -> None:
    clockwork = started()
    # A star: c is a leaf now, and feeds nobody.
    clockwork.submit(change_to(PropagationGraph(GROUPS, dict.fromkeys("abcefghj", "d")), 1))
    clockwork.run(5 * SECOND_US)
    clockwork.fail("c")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    clockwork.restart("c")
    clockwork.fail("d")
    clockwork.run(10 * SECOND_US)
    assert all("d" in clockwork.processes[group].state.suspected for group in "abcefghj")
    clockwork.restart("d")
    clockwork.multicast("x:1", "ag")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    assert clockwork.sent_by(Data, "d", "g") == 1
    assert violations(clockwork.history, GENUINE_MULTICAST[:-1]) == []
