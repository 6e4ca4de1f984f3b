"""The steps that single groups can take, each worked out once.

The explorer sees the same group in the same state get the same packet in very many global
states. A group's step depends on nothing else, so its outcome is remembered: local states and
events are numbered, and a step is a look-up from two numbers to a number and a bit mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from amcast.core import (
    Decided,
    Deliver,
    Event,
    GroupId,
    InstanceEnded,
    MessageId,
    Multicast,
    Process,
    ProposeToLog,
    Received,
    RequestInstance,
    Send,
    Submitted,
    TimerFired,
)
from amcast.sim.world import World


class StepFailed(Exception):
    """A process fell over; `event` is what it was handling."""

    def __init__(self, event: int, reason: str) -> None:
        super().__init__(reason)
        self.event = event


class Local(NamedTuple):
    """What one group remembers and what it has delivered."""

    snapshot: bytes
    delivered: tuple[MessageId, ...]
    # How many instances its log has had.
    instances: int


class LocalSteps:
    """Numbers for local states and events, and a memory of steps."""

    def __init__(self, processes: dict[GroupId, Process[Any, Any]]) -> None:
        self._processes = processes
        self._places = {group: place for place, group in enumerate(processes)}
        self._groups = tuple(processes)
        self._fifo = self.any_process().fifo
        self._locals: list[Local] = []
        self._local_numbers: dict[tuple[int, Local], int] = {}
        self._timers: list[tuple[TimerFired, ...]] = []
        self._events: list[tuple[int, Event]] = []
        self._event_numbers: dict[tuple[int, Event], int] = {}
        # Place -> a bit for each event that can happen there.
        self._at_place = [0] * len(processes)
        self._steps: dict[tuple[int, int], tuple[int, int]] = {}
        # A bit for each request for an instance: asking twice is asking once.
        self.requests = 0
        # Now, while the processes are as they were made: every step changes them.
        self.initial = tuple(self._remember(place, (), 0) for place in range(len(processes)))

    def any_process(self) -> Process[Any, Any]:
        return next(iter(self._processes.values()))

    def submission(self, group: GroupId, multicast: Multicast) -> int:
        return self._number_event(self._places[group], Submitted(multicast))

    def locals_of(self, numbers: tuple[int, ...]) -> tuple[Local, ...]:
        return tuple(self._locals[number] for number in numbers)

    def place_of(self, event: int) -> int:
        return self._events[event][0]

    def clashing(self, event: int) -> int:
        """A mask of the events that do not commute with `event`: those at the same group.

        Timers clash with everything, as one that fires keeps others waiting.
        """
        place, happening = self._events[event]
        return -1 if isinstance(happening, TimerFired) else self._at_place[place]

    def enabled(self, locals: tuple[int, ...], in_flight: int) -> Iterator[int]:
        """Packets that may arrive now, lowest number first; timers if there are none."""
        if not in_flight:
            for place, local in enumerate(locals):
                for fired in self._timers[local]:
                    yield self._number_event(place, fired)
            return
        waiting = list(_bits(in_flight))
        for number in waiting:
            if not self._fifo or self._is_first(number, waiting):
                yield number

    def _is_first(self, number: int, waiting: list[int]) -> bool:
        """Whether no earlier packet of the same channel is on its way."""
        place, event = self._events[number]
        if not isinstance(event, Received):
            return True
        return not any(
            at == place
            and isinstance(other, Received)
            and other.source == event.source
            and other.number < event.number
            for at, other in (self._events[each] for each in waiting)
        )

    def step(self, local: int, event: int) -> tuple[int, int]:
        """The group's next local state, and the packets it sends as a mask."""
        known = self._steps.get((local, event))
        if known is None:
            known = self._steps[local, event] = self._take(local, event)
        return known

    def _take(self, local: int, number: int) -> tuple[int, int]:
        place, event = self._events[number]
        before = self._locals[local]
        process = self._processes[self._groups[place]]
        process.restore(before.snapshot)
        delivered = before.delivered
        instances, logged = self._logged(process, event, before.instances)
        sent = 0
        try:
            effects = [effect for each in logged for effect in process.step(each)]
        except (AssertionError, LookupError) as error:
            raise StepFailed(number, f"{type(error).__name__}: {error}") from error
        for effect in effects:
            match effect:
                case Send(target, count, message):
                    # Without FIFO the number serves only to drop repeats, and there are none.
                    shown = count if self._fifo or not count else 1
                    packet = Received(self._groups[place], shown, message)
                    sent |= 1 << self._number_event(self._places[target], packet)
                case Deliver(multicast):
                    delivered = (*delivered, multicast.id)
                case ProposeToLog(item):
                    sent |= 1 << self._number_event(place, Decided(item))
                case RequestInstance(wanted):
                    if wanted > instances:
                        requested = 1 << self._number_event(place, InstanceEnded(wanted))
                        self.requests |= requested
                        sent |= requested
                case _:
                    """Timers and stalls: the process remembers them itself."""
        return self._remember(place, delivered, instances), sent

    def _logged(
        self, process: Process[Any, Any], event: Event, instances: int
    ) -> tuple[int, list[Event]]:
        """The instances that the log has after `event`, and what it gives the process."""
        if isinstance(event, Received) and event.number == 0:
            return instances, [event]
        if isinstance(event, InstanceEnded):
            nulls = range(instances + 1, event.number + 1)
            return max(instances, event.number), [InstanceEnded(number) for number in nulls]
        ended = [InstanceEnded(instances + 1)] if process.instances else []
        return instances + 1 if process.instances else 0, [event, *ended]

    def play(self, number: int, world: World) -> str:
        """Let the same event happen in `world`, even if a process falls; its line of the story."""
        place, event = self._events[number]
        group = self._groups[place]
        if isinstance(event, TimerFired):
            world.fire(group, event.timer)
            return f"fire {group} {event.timer}"
        for name, waiting in world.in_flight.items():
            if name.target == group and self._is_same(waiting, event):
                with suppress(AssertionError, LookupError):
                    world.arrive(name)
                return str(name)
        raise AssertionError(f"{event!r} is not on its way to {group}")

    def _is_same(self, waiting: Event, event: Event) -> bool:
        if self._fifo or not isinstance(waiting, Received) or not isinstance(event, Received):
            return waiting == event
        return (waiting.source, waiting.message) == (event.source, event.message)

    def _remember(self, place: int, delivered: tuple[MessageId, ...], instances: int) -> int:
        """The number of the state that the process at `place` is in now."""
        process = self._processes[self._groups[place]]
        self._normalise(process)
        key = (place, Local(process.snapshot(), delivered, instances))
        number = self._local_numbers.get(key)
        if number is None:
            number = self._local_numbers[key] = len(self._locals)
            self._locals.append(key[1])
            running = process.timers.running.items()
            self._timers.append(tuple(TimerFired(name, armed[0]) for name, armed in running))
        return number

    def _normalise(self, process: Process[Any, Any]) -> None:
        """Forget what cannot make a difference, so that more states are equal."""
        if not self._fifo:
            process.channels.sent.clear()
            process.channels.received.clear()
        clients = process.submissions.clients
        for client in sorted(clients):
            clients[client] = clients.pop(client)

    def _number_event(self, place: int, event: Event) -> int:
        key = (place, event)
        number = self._event_numbers.get(key)
        if number is None:
            number = self._event_numbers[key] = len(self._events)
            self._events.append(key)
            self._at_place[place] |= 1 << number
        return number


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
