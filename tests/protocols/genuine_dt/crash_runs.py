"""Random runs in which whole groups crash, for a protocol with a perfect failure detector."""

from __future__ import annotations

from collections.abc import Callable

from amcast.core import GroupId, Suspected, process_of
from amcast.protocols.genuine_dt import GenuineDisasterTolerant
from amcast.protocols.registry import GENUINE_MULTICAST
from amcast.sim.packets import PacketName
from amcast.sim.story import broken_promises
from amcast.sim.world import World
from tests.protocols.random_runs import RandomRun

# Fewer than five crashes are tolerated.
GROUPS_MAX = 5


class CrashWorld(World):
    """Groups can crash: what is on its way to them is lost, and so is some of what they sent."""

    def __init__(self, process: type[GenuineDisasterTolerant], groups: tuple[GroupId, ...]) -> None:
        super().__init__(lambda group: process(group, groups), groups)
        self.crashed: dict[GroupId, None] = {}

    def crash_group(self, group: GroupId, is_lost: Callable[[], bool]) -> None:
        self.crashed[group] = None
        self.history.add_fault(process_of(group), "crash")
        for name in tuple(self.in_flight):
            if name.target == group or (name.source == group and is_lost()):
                del self.in_flight[name]

    def arrive(self, name: PacketName) -> None:
        if name.target in self.crashed:
            self.in_flight.pop(name, None)
        elif name in self.in_flight:
            super().arrive(name)

    def suspect(self, group: GroupId, crashed: GroupId) -> None:
        assert crashed in self.crashed, "the detector is perfect"
        if group not in self.crashed:
            self._step(group, Suspected(crashed))


class CrashRun(RandomRun):
    """Groups crash at some time, or as soon as they have delivered so much."""

    world: CrashWorld

    def __init__(
        self, seed: int, process: type[GenuineDisasterTolerant] = GenuineDisasterTolerant
    ) -> None:
        super().__init__(f"crashes {seed}", lambda groups: CrashWorld(process, groups), GROUPS_MAX)
        self._last_words: dict[GroupId, int] = {}
        random, groups = self.random, self.world.groups
        for group in random.sample(groups, random.randint(0, len(groups) - 1)):
            if random.random() < 0.3:
                self.after(random.uniform(0, 40), lambda group=group: self._crash(group))
            else:
                self._last_words[group] = random.randint(1, 4)

    def violations(self) -> tuple[str, ...]:
        return broken_promises(self.run(), GENUINE_MULTICAST)

    def after_each_step(self) -> None:
        for group, count in tuple(self._last_words.items()):
            if len(self.world.delivered[group]) >= count:
                del self._last_words[group]
                self._crash(group)

    def _crash(self, crashed: GroupId) -> None:
        # Often all that it has just sent.
        lost = self.random.choice((0.2, 0.5, 1, 1))
        self.world.crash_group(crashed, lambda: self.random.random() < lost)
        for group in self.world.groups:
            delay = self.random.expovariate(1.0) * 5
            self.after(delay, lambda group=group: self.world.suspect(group, crashed))
