"""Every schedule of a small world of replicated groups, within a bound.

Packets arrive in a default order: that in which the exploration first saw them. Time passes
only when nothing is on its way; then leaders are elected where there is none, machines that are
down come up, and timers run out. A schedule may deviate from this so many times: a packet or a
write to a disk overtakes the first one, the first one waits until nothing else can happen, the
followers of a group lose patience with a leader that is well, or a machine comes up early.
Further, once in a schedule, a leader crashes between any two of its effects, and loses what its
disk has not written. All such schedules are followed, and those that meet in the same state
are followed together from there on.

No packet is lost but those to a machine that is down, and replies reach clients at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from amcast.check import History, violations
from amcast.core import GroupId, Multicast, Process
from amcast.sim.replica_host import Delivered
from amcast.sim.replica_moves import Move, ReplicaMoves, State
from amcast.sim.replica_steps import StepFailed

STATES_MAX = 10_000_000
STATES_PER_REPORT = 10_000
# Several times longer than any schedule: one that gets here will never end.
MOVES_MAX = 3_000


@dataclass
class Bounded:
    """What was seen. `complete` is False if it was cut short."""

    deviations: int
    crashes: int
    schedules: int = 0
    states: int = 0
    # Of single replicas, each worked out once.
    steps: int = 0
    endings: int = 0
    complete: bool = False
    violations: tuple[str, ...] = ()
    story: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.complete:
            whole = f"all {self.schedules:,} schedules"
        else:
            whole = "up to the first violation" if self.violations else "cut short"
        return (
            f"{whole}, deviations: at most {self.deviations}, crashes of a leader: at most "
            f"{self.crashes}, states: {self.states:,}, steps of single replicas: {self.steps:,}, "
            f"endings: {self.endings:,}"
        )


class _Broken(Exception):
    """The schedule that is being followed goes wrong."""

    def __init__(self, violations: tuple[str, ...], last: tuple[str, ...] = ()) -> None:
        super().__init__(violations)
        self.violations = violations
        self.last = last


@dataclass
class _Visit:
    """A state on the way, with the number of schedules found to lead on from it."""

    move: Move
    budget: int
    moves: Iterator[Move]
    moved: bool = False
    schedules: int = 0


class ReplicaExplorer:
    """Explores one scenario: some multicasts, each from a client of its own."""

    def __init__(
        self,
        factory: Callable[[GroupId], Process[Any, Any]],
        groups: Sequence[GroupId],
        multicasts: Sequence[Multicast],
        promises: Sequence[str],
        *,
        deviations: int,
        crash: bool = True,
        replicas: int = 3,
        states_max: int = STATES_MAX,
    ) -> None:
        self._world = ReplicaMoves(factory, groups, multicasts, replicas, crash)
        self._multicasts = tuple(multicasts)
        self._promises = promises
        self._bound = Bounded(deviations, int(crash))
        self._states_max = states_max
        # State and deviations left, as a plain tuple -> the schedules from there.
        self._known: dict[tuple[object, ...], int] = {}
        self._judged: dict[tuple[Delivered, ...], None] = {}

    def explore(self, progress: Callable[[int], None] | None = None) -> Bounded:
        """Depth first, up to the first schedule that breaks a promise."""
        seen, known = self._bound, self._known
        start = Move("", None, 0, self._world.start())
        path = [self._visit(start, seen.deviations)]
        try:
            while path and len(known) < self._states_max:
                self._go_on(path)
                if progress is not None and len(known) % STATES_PER_REPORT == 0:
                    progress(len(known))
        except _Broken as broken:
            seen.violations = broken.violations
            told = (self._world.tell(*visit.move[:2]) for visit in path[1:])
            seen.story = (*told, *broken.last)
        seen.complete = not path
        seen.schedules = known.get((*start.state, seen.deviations), 0)
        seen.states = len(known)
        seen.steps = self._world.steps.count
        seen.endings = len(self._judged)
        return seen

    def _go_on(self, path: list[_Visit]) -> None:
        """Make one move further, or one back."""
        visit = path[-1]
        try:
            move = next(visit.moves, None)
        except StepFailed as failure:
            last = self._world.tell("", failure.event)
            raise _Broken((f"crash: {failure}",), (last,)) from failure
        if move is None:
            self._go_back(path)
            return
        visit.moved = True
        budget = visit.budget - move.cost
        found = self._known.get((*move.state, budget))
        if found is not None:
            visit.schedules += found
            return
        if len(path) >= MOVES_MAX:
            raise _Broken(("packets cause packets for ever",))
        path.append(self._visit(move, budget))

    def _visit(self, move: Move, budget: int) -> _Visit:
        return _Visit(move, budget, self._world.moves(move.state, budget))

    def _go_back(self, path: list[_Visit]) -> None:
        visit = path[-1]
        if not visit.moved:
            self._judge(visit.move.state)
            visit.schedules = 1
        self._known[*visit.move.state, visit.budget] = visit.schedules
        path.pop()
        if path:
            path[-1].schedules += visit.schedules

    def _judge(self, state: State) -> None:
        """Check what was delivered in the end, unless that was seen before."""
        locals = self._world.locals_of(state)
        delivered = tuple(local.delivered for local in locals)
        if delivered in self._judged:
            return
        self._judged[delivered] = None
        history = History()
        for multicast in self._multicasts:
            history.add_multicast(multicast.id, multicast.id.client, multicast.dst)
        for local in locals:
            history.add_process(str(local.place), local.place.group)
            for seq, id in local.delivered:
                history.add_delivery(str(local.place), local.place.group, seq, id)
        broken = violations(history, required=self._promises)
        if broken:
            raise _Broken(tuple(broken))
