"""Random runs of `adt` in which groups crash, pause, and are suspected, rightly or not.

A run is decided by its seed. Fewer than a third of the groups crash, for ever; what they sent
last is lost in part. Others pause: all suspect them until they come back. Suspicions of groups
that are alive are taken back in the end, as the protocol assumes. Clients may try several
groups; a client counts as crashed if all the groups that it tried have.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import Any, ClassVar

from amcast.check import violations
from amcast.core import (
    Event,
    GroupId,
    MessageId,
    Multicast,
    Process,
    Submitted,
    Suspected,
    Trusted,
    process_of,
)
from amcast.protocols.adt import Adt
from amcast.sim.packets import PacketName
from amcast.sim.world import World

PROMISES = ("integrity", "validity", "agreement", "prefix_order", "acyclic_order")
GROUPS = (4, 4, 4, 5, 6, 7)
MESSAGES_MAX = 10
SPEEDS = 300.0
STEPS_MAX = 60_000
RESTORES = 0.002

MakeProcess = Callable[[GroupId, tuple[GroupId, ...]], Process[Any, Any]]


class DisasterWorld(World):
    """Groups can crash: what is on its way to them is lost, and so is some of what they sent."""

    def __init__(self, process: MakeProcess, groups: tuple[GroupId, ...]) -> None:
        super().__init__(lambda group: process(group, groups), groups)
        self.crashed: dict[GroupId, None] = {}
        self.events = 0

    def crash_group(self, group: GroupId, is_lost: Callable[[], bool]) -> None:
        self.narrative.append(f"{group} crashes")
        self.crashed[group] = None
        self.history.add_fault(process_of(group), "crash")
        for name in tuple(self.in_flight):
            if name.source == group and is_lost():
                del self.in_flight[name]

    def arrive(self, name: PacketName) -> None:
        if name.target in self.crashed:
            self.in_flight.pop(name, None)
        elif name in self.in_flight:
            super().arrive(name)

    def suspect(self, group: GroupId, other: GroupId) -> None:
        self._tell(group, Suspected(other), f"{group} suspects {other}")

    def trust(self, group: GroupId, other: GroupId) -> None:
        if other not in self.crashed:
            self._tell(group, Trusted(other), f"{group} trusts {other}")

    def try_group(self, multicast: Multicast, group: GroupId) -> None:
        """A client sends its message to one more group."""
        name = PacketName(multicast.id.client, group, "submit", str(multicast.id))
        self._launch(name, Submitted(multicast))

    def _tell(self, group: GroupId, event: Event, sentence: str) -> None:
        if group not in self.crashed:
            self.narrative.append(sentence)
            self._log(group, event)

    def _step(self, member: str, event: Event) -> None:
        self.events += 1
        if self.events > STEPS_MAX:
            raise RuntimeError(f"still busy after {STEPS_MAX} events")
        self.steps = 0  # Views change often here: more happens than in the stories people read.
        super()._step(member, event)


class DisasterRun:
    """One seed's groups, messages, disasters and schedule."""

    promises: ClassVar[tuple[str, ...]] = PROMISES

    def __init__(self, seed: int, process: MakeProcess = Adt) -> None:
        self.random = random = Random(f"disasters {seed}")
        self.process = process
        self.groups = tuple(f"g{number}" for number in range(1, random.choice(GROUPS) + 1))
        self.world = DisasterWorld(process, self.groups)
        self.tried: dict[MessageId, list[GroupId]] = {}
        self._back: dict[GroupId, float] = {}
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._known: dict[PacketName, None] = {}
        self._speeds: dict[tuple[str, str], float] = {}
        self._tickets = 0
        self._now = 0.0
        self._spread = random.choice((10.0, 30.0, 100.0))
        for name in random.sample(range(100), random.randint(2, MESSAGES_MAX)):
            self._plan_message(MessageId(f"c{name}", 1))
        for _ in range(random.choice((0, 1, 2, 4))):
            self._plan_false_suspicion()
        for group in random.sample(self.groups, random.randint(0, len(self.groups) // 2)):
            if random.random() < 0.5:
                self._after(random.uniform(0, self._spread), self._pause, group)
        crashes = random.randint(0, (len(self.groups) - 1) // 3)
        for group in random.sample(self.groups, crashes):
            self._after(random.uniform(0, self._spread), self._crash, group)

    def violations(self) -> list[str]:
        """What it comes to; a process that falls over is a violation, too."""
        try:
            while self._due:
                self._now, _, act = heappop(self._due)
                act()
                self._plan_packets()
        except (AssertionError, LookupError, RuntimeError) as error:
            return [f"crash: {type(error).__name__}: {error}"]
        self._crash_clients()
        return violations(self.world.history, self.promises)

    # What is planned.

    def _plan_message(self, id: MessageId) -> None:
        random = self.random
        chosen = random.sample(self.groups, random.choice((1, 2, 2, 3, 4)))
        multicast = Multicast(id, tuple(group for group in self.groups if group in chosen))
        home = random.choice((None, *self.groups))
        at = random.uniform(0, self._spread)
        self._after(at, self._multicast, multicast, home)
        while random.random() < 0.3:
            group = random.choice(self.groups)
            self._after(at + random.uniform(0, 20), self._try_group, multicast, group)

    def _plan_false_suspicion(self) -> None:
        target = self.random.choice(self.groups)
        begin, end = sorted(self.random.uniform(0, self._spread) for _ in range(2))
        # A long one would be a long exchange of removals and additions.
        end = min(end, begin + 10)
        for group in self.random.sample(self.groups, self.random.randint(1, 3)):
            self._after(begin, self.world.suspect, group, target)
            self._after(end, self.world.trust, group, target)

    def _plan_packets(self) -> None:
        for name in self.world.in_flight:
            if name not in self._known:
                self._known[name] = None
                ends = (name.source, name.target)
                if ends not in self._speeds:
                    self._speeds[ends] = SPEEDS ** self.random.uniform(-0.5, 0.5)
                delay = self.random.expovariate(1.0) * self._speeds[ends]
                self._after(delay, self._arrive, name)

    # What happens.

    def _multicast(self, multicast: Multicast, home: GroupId | None) -> None:
        for name in self.world.multicast(multicast, home):
            self.tried.setdefault(multicast.id, []).append(name.target)

    def _try_group(self, multicast: Multicast, group: GroupId) -> None:
        self.tried[multicast.id].append(group)
        self.world.try_group(multicast, group)

    def _arrive(self, name: PacketName) -> None:
        back = max(self._back.get(end, 0.0) for end in name[:2])
        if back > self._now:
            self._after(back - self._now + self.random.random(), self._arrive, name)
            return
        self.world.arrive(name)
        if self.random.random() < RESTORES and name.target not in self.world.crashed:
            self._restore(name.target)

    def _pause(self, paused: GroupId) -> None:
        length = self.random.uniform(5, 60)
        self._back[paused] = self._now + length
        for group in self.groups:
            if group != paused:
                noticed = self.random.uniform(0, length)
                self._after(noticed, self.world.suspect, group, paused)
                self._after(length + self.random.random(), self.world.trust, group, paused)

    def _crash(self, crashed: GroupId) -> None:
        lost = self.random.random()
        self.world.crash_group(crashed, lambda: self.random.random() < lost)
        for group in self.groups:
            if group != crashed:
                # Later than any mistaken trust.
                delay = 10 + self.random.expovariate(1.0) * 5
                self._after(delay, self.world.suspect, group, crashed)

    def _crash_clients(self) -> None:
        for id, tried in self.tried.items():
            if all(group in self.world.crashed for group in tried):
                self.world.history.add_fault(id.client, "crash")

    def _restore(self, group: GroupId) -> None:
        fresh = self.process(group, self.groups)
        fresh.restore(self.world.processes[group].snapshot())
        assert fresh.snapshot() == self.world.processes[group].snapshot()
        self.world.processes[group] = fresh

    def _after(self, delay: float, act: Callable[..., object], *arguments: object) -> None:
        self._tickets += 1
        heappush(self._due, (self._now + delay, self._tickets, lambda: act(*arguments)))
