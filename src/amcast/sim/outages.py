"""Groups that are away for a while: the others notice that, go on, and notice their return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from amcast.core import GroupId, Suspected, Trusted

if TYPE_CHECKING:
    from amcast.sim.faults import Faults
    from amcast.sim.simulate_replicas import ReplicatedSimulation


@dataclass(frozen=True)
class OutagePlan:
    """How often groups are away. Which may be, and how many at once, is up to the protocol."""

    count: int
    groups: tuple[GroupId, ...]
    at_once: int
    # All begin within this time.
    within_us: int = 1
    # Until the others notice, from then until it is back, and until they notice that.
    mean_us: int = 1_000_000
    # Of the outages: nothing happens to the group, and the others are mistaken.
    mistaken: float = 0.0


NO_OUTAGES = OutagePlan(count=0, groups=(), at_once=0)


class Outages:
    """The outages of one run. Each ends by itself."""

    def __init__(self, plan: OutagePlan, faults: Faults, sim: ReplicatedSimulation) -> None:
        # All machines of these stay down.
        self.down: dict[GroupId, None] = {}
        self.left = plan.count
        self._plan = plan
        self._faults = faults
        self._sim = sim
        # From the failure until the others have noticed the return.
        self._away: dict[GroupId, None] = {}

    def start(self) -> None:
        plan = self._plan
        for _ in range(plan.count):
            self._sim.after(self._sim.fault_random.randrange(plan.within_us), self._fail, None)

    def _fail(self, _: None) -> None:
        plan, faults = self._plan, self._faults
        gone = self._away | faults.lost
        well = [group for group in plan.groups if group not in gone]
        if len(gone) < plan.at_once and well:
            self._leave(self._sim.fault_random.choice(well))
        elif self._away:
            self._soon(self._fail, None)
        else:
            # Those that are lost will not come back, and no more can be spared.
            self.left -= 1

    def _leave(self, group: GroupId) -> None:
        self._away[group] = None
        if self._sim.fault_random.random() >= self._plan.mistaken:
            self.down[group] = None
            self._faults.crash_all(group)
        self._soon(self._be_missed, group)

    def _be_missed(self, group: GroupId) -> None:
        self._faults.notice(Suspected(group))
        self._soon(self._return, group)

    def _return(self, group: GroupId) -> None:
        if group in self.down:
            del self.down[group]
            self._faults.restart_all(group)
        self._soon(self._be_welcome, group)

    def _be_welcome(self, group: GroupId) -> None:
        del self._away[group]
        self.left -= 1
        if group not in self._faults.lost:
            self._faults.notice(Trusted(group))

    def _soon(self, act: Callable[[Any], object], argument: GroupId | None) -> None:
        self._sim.after(self._faults.soon(self._plan.mean_us), act, argument)
