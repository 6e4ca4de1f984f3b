"""Random runs in which groups crash in the very middle of telling the others something.

Conflicts are rare here: the end of a stage tells everybody everything anyhow. A group that is
to crash does so when it has just sent a broadcast, its own or that of a dead one; some of what
it sent is lost. The others notice at once, before the rest arrives, or long after all is quiet.
"""

from __future__ import annotations

from amcast.core import GroupId, MessageId, Multicast
from amcast.sim.packets import PacketName
from tests.protocols.adt.broadcast_runs import Broadcaster, BroadcastRun
from tests.protocols.adt.disaster_runs import DisasterRun, MakeProcess

NOTICED_AFTER = (0.0, 1.0, 30.0, 1000.0)
KEYS = 20


class TellingCrashes(DisasterRun):
    """Whoever crashes does so with a broadcast on its lips."""

    def __init__(self, seed: int, process: MakeProcess) -> None:
        super().__init__(seed, process)
        self._doomed = self.random.sample(self.groups, (len(self.groups) - 1) // 3)
        self._noticed_after = self.random.choice(NOTICED_AFTER)

    def violations(self) -> list[str]:
        return super().violations() or self._left_over()

    def _left_over(self) -> list[str]:
        """Who has heard of a broadcast and lives must see it delivered, in whatever order."""
        alive = [group for group in self.groups if group not in self.world.crashed]
        known = {group: self.world.processes[group].state.broadcast.known for group in alive}
        return [
            f"agreement: {group} is left with {', '.join(f'{n.origin}:{n.number}' for n in names)}"
            for group, names in known.items()
            if names
        ]

    def _crash(self, crashed: GroupId) -> None:
        """Not at any time."""

    def _arrive(self, name: PacketName) -> None:
        before = self.world.in_flight.copy()
        super()._arrive(name)
        self._crash_while_telling(before)

    def _notice(self, group: GroupId, crashed: GroupId) -> None:
        before = self.world.in_flight.copy()
        self.world.suspect(group, crashed)
        self._crash_while_telling(before)

    def _crash_while_telling(self, before: dict[PacketName, object]) -> None:
        now = [name for name in self.world.in_flight if name.kind == "tell" and name not in before]
        for group in dict.fromkeys(name.source for name in now):
            if group in self._doomed and self.random.random() < 0.5:
                self._doomed.remove(group)
                self._crash_now(group)

    def _crash_now(self, crashed: GroupId) -> None:
        lost = self.random.choice((0.2, 0.4, 0.8))
        self.world.crash_group(crashed, lambda: self.random.random() < lost)
        for group in self.groups:
            if group != crashed:
                delay = self.random.expovariate(1.0) * self._noticed_after
                self._after(delay, self._notice, group, crashed)


class TellingRun(TellingCrashes, BroadcastRun):
    """Generic broadcast alone."""

    def __init__(self, seed: int, process: MakeProcess = Broadcaster) -> None:
        super().__init__(seed, process)

    def _plan_message(self, id: MessageId) -> None:
        random = self.random
        keys = (f"k{random.randrange(KEYS)}",) if random.random() < 0.5 else ()
        multicast = Multicast(id, self.groups, b"", keys)
        at = random.uniform(0, self._spread)
        self._after(at, self._multicast, multicast, random.choice(self.groups))
