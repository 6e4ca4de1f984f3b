"""Every interleaving of a small world.

A state is what each group remembers and has delivered, and the packets on their way. States
that are equal are visited once, however many schedules lead to them. Two arrivals at
different groups commute, so schedules fall into classes that no process can tell apart; both
the schedules and the classes are counted, exactly, without listing them.

All multicasts are on their way from the start, since a client may send at any time. A channel
that the protocol declares FIFO hands over its packets in order. A timer fires only when no
packet is on its way: it stands for a time-out that is longer than any delay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from amcast.check import violations
from amcast.core import GroupId, Multicast
from amcast.sim.local import Local, LocalSteps, StepFailed
from amcast.sim.story import Story, multicast_line
from amcast.sim.world import ProcessFactory, World

STATES_MAX = 2_000_000
STATES_PER_REPORT = 10_000


class State(NamedTuple):
    """The numbers of the groups' local states, and a bit for each packet on its way."""

    locals: tuple[int, ...]
    in_flight: int


@dataclass
class Exploration:
    """What was seen. `complete` is False if the bound on states cut it short."""

    states: int = 0
    transitions: int = 0
    # All orders of events, and how many of them differ for some group.
    schedules: int = 0
    classes: int = 0
    endings: int = 0
    complete: bool = False
    violations: tuple[str, ...] = ()
    story: Story | None = None


class Explorer:
    """Explores one scenario: some multicasts, each with the home of its client, if any."""

    def __init__(
        self,
        factory: ProcessFactory,
        groups: Sequence[GroupId],
        multicasts: Sequence[tuple[Multicast, GroupId | None]],
        promises: Sequence[str],
        *,
        states_max: int = STATES_MAX,
    ) -> None:
        self._factory = factory
        self._groups = tuple(groups)
        self._multicasts = tuple(multicasts)
        self._promises = promises
        self._states_max = states_max
        self._steps = LocalSteps({group: factory(group) for group in groups})
        self._came_from: dict[State, tuple[State, int]] = {}

    def explore(self, progress: Callable[[int], None] | None = None) -> Exploration:
        """Breadth first. Every event takes one step, so no wave meets an earlier one again."""
        wave = {self._start(): 1}
        seen = Exploration()
        endings: dict[tuple[Local, ...], State] = {}
        while wave and seen.states + len(wave) <= self._states_max:
            following: dict[State, int] = {}
            for state, paths in wave.items():
                try:
                    moves = self._spread(state, paths, following)
                except StepFailed as failure:
                    story, _ = self._retell(state, failure.event)
                    return replace(seen, violations=(f"crash: {failure}",), story=story)
                seen.states += 1
                seen.transitions += moves
                if not moves:
                    seen.schedules += paths
                    endings.setdefault(self._steps.locals_of(state.locals), state)
                if progress is not None and seen.states % STATES_PER_REPORT == 0:
                    progress(seen.states)
            wave = following
        seen.complete = not wave
        seen.endings = len(endings)
        seen.violations, seen.story = self._judge(endings.values())
        if seen.complete:
            seen.classes = self._count_classes()
        return seen

    def _spread(self, state: State, paths: int, following: dict[State, int]) -> int:
        """Add what can follow on `state` to the next wave; how many events can happen."""
        moves = 0
        for event, next_state in self._moves(state):
            moves += 1
            if next_state not in following:
                following[next_state] = 0
                self._came_from[next_state] = (state, event)
            following[next_state] += paths
        return moves

    def _start(self) -> State:
        in_flight = 0
        entry = self._steps.any_process().entry
        for multicast, home in self._multicasts:
            for group in entry(multicast.dst, home):
                in_flight |= 1 << self._steps.submission(group, multicast)
        return State(self._steps.initial, in_flight)

    def _moves(self, state: State) -> Iterator[tuple[int, State]]:
        """Each event that can happen now, and the state after it."""
        for event in self._steps.enabled(state.locals, state.in_flight):
            yield event, self._after(state, event)

    def _after(self, state: State, event: int) -> State:
        place = self._steps.place_of(event)
        local, sent = self._steps.step(state.locals[place], event)
        lost = state.in_flight & sent & ~self._steps.requests
        assert not lost, "a packet equal to one on its way would be lost"
        locals = (*state.locals[:place], local, *state.locals[place + 1 :])
        return State(locals, state.in_flight & ~(1 << event) | sent)

    def _count_classes(self) -> int:
        """Sleep sets visit each class of commuting schedules exactly once.

        An event sleeps while an order that lets it happen first is counted elsewhere; it
        wakes up when its own group changes. Schedules that differ only in commuting events
        are thus counted in one order: that which lets lower numbers happen first.
        """
        wave = {(self._start(), 0): 1}
        classes = 0
        while wave:
            following: dict[tuple[State, int], int] = {}
            for (state, asleep), paths in wave.items():
                some = False
                for event, next_state in self._moves(state):
                    some = True
                    if asleep >> event & 1:
                        continue
                    key = (next_state, asleep & ~self._steps.clashing(event))
                    following[key] = following.get(key, 0) + paths
                    asleep |= 1 << event
                if not some:
                    classes += paths
            wave = following
        return classes

    def _judge(self, endings: Iterable[State]) -> tuple[tuple[str, ...], Story | None]:
        """Check every ending by playing the schedule that led to it."""
        for state in endings:
            story, world = self._retell(state)
            broken = violations(world.history, required=self._promises)
            if broken:
                return tuple(broken), story
        return (), None

    def _retell(self, state: State, *then: int) -> tuple[Story, World]:
        """The first schedule that was found to lead to `state`, as a story; `then` go on."""
        events = list(reversed(then))
        while state in self._came_from:
            state, event = self._came_from[state]
            events.append(event)
        world = World(self._factory, self._groups)
        lines: list[str] = []
        for multicast, home in self._multicasts:
            world.multicast(multicast, home)
            lines.append(multicast_line(multicast, home))
        for event in reversed(events):
            lines.append(self._steps.play(event, world))
        return Story(self._groups, tuple(lines)), world
