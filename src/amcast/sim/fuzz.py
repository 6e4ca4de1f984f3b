"""Random schedules by seed, and the shortest story that still fails.

What finds ordering bugs: three groups or more, channels of very different speed, packets
that overtake each other, clients inside and outside the destinations, ids that do not follow
the order of sending, groups that are busier than others, clients that retry or die half-way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from amcast.core import GroupId, MessageId, Multicast
from amcast.sim.minimise import minimise
from amcast.sim.packets import Action
from amcast.sim.story import PROCESS_FAILURES, Story, broken_promises, multicast_line
from amcast.sim.world import ProcessFactory, World

GROUPS = (2, 3, 3, 3, 3, 4, 4, 4, 5, 6)
MESSAGES_MAX = 16
# Channels differ in speed by up to this factor.
SPEEDS = 1000.0
# How many replicas a group has, where that makes a difference.
REPLICAS = (1, 2, 2, 3)
RETRIES = 0.1
CRASHES = 0.05
FLUSHES = 0.1
# What messages conflict on, where that makes a difference: None with all, () with nothing.
KEYS = (None, (), ("a",), ("b",), ("a", "b"))


class Setup(NamedTuple):
    """A line that names it, how to make processes, and the only sets that they serve, if any."""

    name: str
    factory: ProcessFactory
    sets: Sequence[tuple[GroupId, ...]] | None = None


# Given the groups of a random world. A set-up that serves every set may be just a pair.
DrawSetup = Callable[[tuple[GroupId, ...], Random], Setup | tuple[str, ProcessFactory]]


class _Multicast(NamedTuple):
    """A client's turn to send."""

    multicast: Multicast
    home: GroupId | None


@dataclass(frozen=True)
class Failure:
    """A schedule that breaks a promise, as short as we could make it."""

    seed: int
    violations: tuple[str, ...]
    story: Story
    setup: str

    def __str__(self) -> str:
        """A file that can be kept as a golden story."""
        return f"# {self.setup}\n# violates {'; '.join(self.violations)}\n{self.story}"


def fuzz_one(
    seed: int,
    draw_setup: DrawSetup,
    promises: Sequence[str],
    *,
    flush_client: str | None = None,
) -> Failure | None:
    """Run the schedule of one seed; None if it keeps all promises.

    With `flush_client`, some messages are from that client, to all groups. Messages have keys
    if only those that conflict need to be in order.
    """
    random = Random(f"fuzz {seed}")
    groups = tuple(f"g{number}" for number in range(1, random.choice(GROUPS) + 1))
    setup = Setup(*draw_setup(groups, random))
    one = setup.factory(groups[0])
    replicas = random.choice(REPLICAS) if one.instances or one.unlogged else 1
    world = World(setup.factory, groups, replicas=replicas)
    # Keys are drawn apart, so that the schedules of other protocols do not depend on them.
    keys = None if "acyclic_order" in promises else Random(f"keys {seed}")
    schedule = _Schedule(world, random, flush_client, setup.sets, keys)
    try:
        schedule.run()
    except PROCESS_FAILURES as error:
        world.crash = f"{type(error).__name__}: {error}"
    broken = broken_promises(world, promises)
    if not broken:
        return None
    story = Story(groups, tuple(schedule.lines), replicas)
    violated, shortest = minimise(story, setup.factory, promises)
    return Failure(seed, violated, shortest, setup.name)


class _Schedule:
    """One random run, written down as the lines of a story.

    Multicasts and packets happen in the order of random times.
    """

    def __init__(
        self,
        world: World,
        random: Random,
        flush_client: str | None,
        sets: Sequence[tuple[GroupId, ...]] | None,
        keys: Random | None,
    ) -> None:
        self.world = world
        self._flush_client = flush_client
        self._sets = sets
        self._keys = keys
        self.lines: list[str] = []
        self._random = random
        self._speeds: dict[tuple[str, ...], float] = {}
        self._due: list[tuple[float, int, Action | _Multicast]] = []
        self._known: dict[Action, None] = {}
        self._tickets = 0
        self._busy = [random.random() ** 2 for _ in world.groups]

    def run(self) -> None:
        for number in range(self._random.randint(2, MESSAGES_MAX)):
            self._push(self._random.uniform(0, 20), self._draw(number))
        now = 0.0
        while self._due or self.world.timers:
            if not self._due:
                group, timer = next(iter(self.world.timers))
                self.lines.append(f"fire {group} {timer}")
                self.world.fire(group, timer)
            else:
                now, _, action = heappop(self._due)
                self._do(action)
            self._schedule_new(now)
        self.lines.append("settle")

    def _draw(self, number: int) -> _Multicast:
        random, groups = self._random, self.world.groups
        if self._flush_client is not None and random.random() < FLUSHES:
            return _Multicast(Multicast(MessageId(self._flush_client, number), groups), None)
        dst = self._draw_dst() if self._sets is None else random.choice(self._sets)
        home = random.choice(dst) if random.random() < 0.5 else None
        # Clients have random names, so that ids do not follow the order of sending.
        id = MessageId(f"c{random.randrange(100)}", number)
        keys = None if self._keys is None else self._keys.choice(KEYS)
        return _Multicast(Multicast(id, dst, keys=keys), home)

    def _draw_dst(self) -> tuple[GroupId, ...]:
        random, groups = self._random, self.world.groups
        size = min(len(groups), random.choice((1, 1, 2, 2, 2, 3, 4)))
        chosen: dict[GroupId, None] = {}
        while len(chosen) < size:
            chosen[random.choices(groups, [busy + 0.05 for busy in self._busy])[0]] = None
        return tuple(group for group in groups if group in chosen)

    def _do(self, action: Action | _Multicast) -> None:
        if not isinstance(action, _Multicast):
            del self._known[action]
            # A decision may have been overtaken by an instance that was asked for.
            if self.world.can(action):
                self.lines.append(str(action))
                self.world.do(action)
            return
        multicast, home = action
        for _ in range(2 if self._random.random() < RETRIES else 1):
            self.lines.append(multicast_line(multicast, home))
            packets = self.world.multicast(multicast, home)
        if self._random.random() < CRASHES:
            lost = self._random.choice(packets)
            self.lines.append(f"lose {lost}")
            self.world.lose(lost)

    def _schedule_new(self, now: float) -> None:
        """Give all that can happen, and has no time yet, a random one."""
        for action in self.world.actions():
            if action not in self._known:
                self._known[action] = None
                ends = tuple(action[:2])
                if ends not in self._speeds:
                    self._speeds[ends] = SPEEDS ** self._random.uniform(-0.5, 0.5)
                delay = self._random.expovariate(1.0) * self._speeds[ends]
                self._push(now + delay, action)

    def _push(self, at: float, action: Action | _Multicast) -> None:
        self._tickets += 1
        heappush(self._due, (at, self._tickets, action))
