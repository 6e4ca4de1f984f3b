"""Random runs of `propagation`: registered sets, slow and fast channels, retries, changes.

A run is decided by its seed. Whoever runs it gets the violations, so that the tests can show
both that the protocol has none and that each known bug has some.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random
from typing import Any, cast

from amcast.check import violations
from amcast.core import GroupId, MessageId, Multicast, Submitted
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import MANAGER_CLIENT, Propagation, change_to
from amcast.protocols.registry import ATOMIC_MULTICAST, GENUINE_MULTICAST
from amcast.sim.world import PacketName, World

Destinations = tuple[GroupId, ...]
Action = PacketName | Multicast

SPEEDS = 1000.0
RETRIES = 0.25
REPEATED_PACKETS = 0.05
PATIENCE = 10_000.0


@dataclass(frozen=True)
class Options:
    """What happens in a run besides multicasts."""

    changes: int = 0
    # How often a group is replaced by what its snapshot restores.
    restores: float = 0.0
    # Graphs are trees over all groups, and serve every set, often with a primary outside it.
    trees: bool = False


class ManyViews(World):
    """Clients ask any process that serves the set, so that some of them follow an old graph."""

    def __init__(self, *args: Any, random: Random) -> None:
        super().__init__(*args)
        self.random = random

    def views(self, dst: Destinations) -> list[Propagation]:
        found = [cast("Propagation", process) for process in self.processes.values()]
        return [process for process in found if process.graph.serves(dst)]

    def multicast(
        self, multicast: Multicast, home: GroupId | None = None, *, settled: int = 0
    ) -> list[PacketName]:
        asked = self.random.choice(self.views(multicast.dst))
        processes = self.processes
        # The driver asks the first process there is.
        self.processes = {asked.group: asked}
        try:
            return super().multicast(multicast, home, settled=settled)
        finally:
            self.processes = processes


class RandomRun:
    """One seed's groups, graphs, messages and schedule."""

    def __init__(
        self, seed: int, process: type[Propagation] = Propagation, options: Options | None = None
    ) -> None:
        self.random = Random(f"propagation {seed}")
        self.options = Options() if options is None else options
        self.process = process
        self.groups = tuple(f"g{number}" for number in range(1, self.random.randint(2, 7) + 1))
        self.sets = self._draw_sets(self.random.randint(1, 10))
        self.graphs = [self._draw_graph(last=n == 0) for n in range(self.options.changes, -1, -1)]
        manager = self.random.choice(self.groups) if self.options.changes else None
        self.manager = manager
        self.world = ManyViews(self._make, self.groups, random=self.random)
        self._speeds: dict[tuple[str, str], float] = {}
        self._due: list[tuple[float, int, Action]] = []
        self._known: dict[PacketName, None] = {}
        self._tickets = 0

    def _make(self, group: GroupId) -> Propagation:
        return self.process(group, self.groups, self.graphs[0], manager=self.manager)

    def _draw_sets(self, count: int) -> list[Destinations]:
        sizes = [min(len(self.groups), self.random.choice((1, 2, 2, 3, 4))) for _ in range(count)]
        return [tuple(sorted(self.random.sample(self.groups, size))) for size in sizes]

    def _draw_graph(self, *, last: bool) -> PropagationGraph:
        """The last graph of a run serves all sets, so that no message waits for ever."""
        some = [dst for dst in self.sets if last or self.random.random() < 0.7]
        rank = self.random.sample(self.groups, len(self.groups))
        if self.options.trees:
            below = enumerate(rank[1:], start=1)
            parents = {group: rank[self.random.randrange(position)] for position, group in below}
            return PropagationGraph(self.groups, parents)
        return PropagationGraph.generate(self.groups, some, rank)

    def run(self) -> list[str]:
        """What it violates; a protocol that falls over violates something too."""
        try:
            self._run()
        except (AssertionError, LookupError, RuntimeError, ValueError) as error:
            return [f"crash: {type(error).__name__}: {error}"]
        return violations(self.world.history, self.promises())

    def promises(self) -> tuple[str, ...]:
        sets = self.sets if self.options.trees else None
        extra = any(graph.extra(dst) for graph in self.graphs for dst in sets or graph.sets or ())
        return ATOMIC_MULTICAST if extra else GENUINE_MULTICAST

    def _run(self) -> None:
        random = self.random
        for number in range(random.randint(3, 20)):
            # Clients have random names, so that ids do not follow the order of sending.
            id = MessageId(f"c{random.randrange(100)}", number)
            self._push(random.uniform(0, 20), Multicast(id, random.choice(self.sets)))
        at = 0.0
        for number, graph in enumerate(self.graphs[1:], start=1):
            # Close together, so that graphs overlap.
            at += random.uniform(0, 10)
            self._push(at, change_to(graph, number))
        while self._due:
            now, _, action = heappop(self._due)
            self._do(action, now)
            self._schedule_new(now)

    def _do(self, action: Action, now: float) -> None:
        world, random = self.world, self.random
        if isinstance(action, PacketName):
            if random.random() < REPEATED_PACKETS and action.kind != "submit":
                again = action._replace(occurrence=action.occurrence + 1000)
                world.in_flight[again] = world.in_flight[action]
            world.arrive(action)
            if random.random() < self.options.restores:
                self._restore(action.target)
        elif action.id.client == MANAGER_CLIENT:
            self._change(action)
        else:
            self._multicast(action, now)

    def _change(self, change: Multicast) -> None:
        """Straight to the manager: the order of changes matters, the last serves all sets."""
        assert self.manager is not None
        world = self.world
        world.history.add_multicast(change.id, MANAGER_CLIENT, change.dst, 0)
        name = PacketName(MANAGER_CLIENT, self.manager, "submit", str(change.id))
        self._known[name] = None
        world.in_flight[name] = Submitted(change)
        world.arrive(name)

    def _multicast(self, multicast: Multicast, now: float) -> None:
        if not self.world.views(multicast.dst):
            # Everybody would refuse these destinations now; the last graph serves them.
            if now < PATIENCE:
                self._push(now + 1, multicast)
            return
        home = self.random.choice(multicast.dst) if self.random.random() < 0.5 else None
        self.world.multicast(multicast, home)
        if self.random.random() < RETRIES:
            self._push(now + self.random.uniform(0, 20), multicast)

    def _restore(self, group: GroupId) -> None:
        fresh = self._make(group)
        fresh.restore(self.world.processes[group].snapshot())
        assert fresh.snapshot() == self.world.processes[group].snapshot()
        self.world.processes[group] = fresh

    def _schedule_new(self, now: float) -> None:
        for name in self.world.in_flight:
            if name not in self._known:
                ends = (name.source, name.target)
                speed = self._speeds.setdefault(ends, SPEEDS ** self.random.uniform(-0.5, 0.5))
                self._push(now + self.random.expovariate(1.0) * speed, name)

    def _push(self, at: float, action: Action) -> None:
        if isinstance(action, PacketName):
            self._known[action] = None
        self._tickets += 1
        heappush(self._due, (at, self._tickets, action))
