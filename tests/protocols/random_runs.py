"""Random schedules that tests can add to: keys, crashes of groups, whatever a world allows."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random

from amcast.core import GroupId, MessageId, Multicast
from amcast.sim.packets import PacketName
from amcast.sim.story import PROCESS_FAILURES
from amcast.sim.world import World

SPEEDS = 1000.0
MESSAGES_MAX = 12
# The first group is busier than the others, and its clock is ahead.
BUSY = 0.3
RETRIES = 0.1
DYING_CLIENTS = 0.1


class RandomRun:
    """One seed's groups, messages and schedule. Packets overtake each other a lot."""

    def __init__(
        self, seed: str, make_world: Callable[[tuple[GroupId, ...]], World], groups_max: int
    ) -> None:
        self.random = Random(seed)
        count = self.random.randint(2, groups_max)
        self.world = make_world(tuple(f"g{number}" for number in range(1, count + 1)))
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._known: dict[PacketName, None] = {}
        self._speeds: dict[tuple[str, str], float] = {}
        self._now = 0.0
        self._tickets = 0
        for number in range(self.random.randint(2, MESSAGES_MAX)):
            self._plan_multicast(number)

    def run(self) -> World:
        """The world when nothing is left to do, or when a process has fallen over."""
        try:
            while self._due:
                self._now, _, act = heappop(self._due)
                act()
                self.after_each_step()
                self._plan_packets()
        except PROCESS_FAILURES as error:
            self.world.crash = f"{type(error).__name__}: {error}"
        return self.world

    def after_each_step(self) -> None:
        """For what should happen at once."""

    def after(self, delay: float, act: Callable[[], object]) -> None:
        self._tickets += 1
        heappush(self._due, (self._now + delay, self._tickets, act))

    def _plan_multicast(self, number: int) -> None:
        random, groups = self.random, self.world.groups
        chosen = random.sample(groups, min(len(groups), random.choice((1, 2, 2, 3, 4, 5))))
        if random.random() < BUSY:
            chosen = list(groups[:1])
        dst = tuple(group for group in groups if group in chosen)
        # Clients have random names, so that ids do not follow the order of sending.
        multicast = Multicast(MessageId(f"c{random.randrange(100)}", number), dst)
        for _ in range(2 if random.random() < RETRIES else 1):
            self.after(random.uniform(0, 20), lambda: self._multicast(multicast))

    def _multicast(self, multicast: Multicast) -> None:
        packets = self.world.multicast(multicast)
        if self.random.random() < DYING_CLIENTS:
            self.world.lose(self.random.choice(packets))

    def _plan_packets(self) -> None:
        for name in self.world.in_flight:
            if name not in self._known:
                self._known[name] = None
                ends = (name.source, name.target)
                speed = self._speeds.setdefault(ends, SPEEDS ** self.random.uniform(-0.5, 0.5))
                delay = self.random.expovariate(1.0) * speed
                self.after(delay, lambda name=name: self.world.arrive(name))
