"""The steps that single replicas can take, each worked out once.

A replica's step depends on nothing but its own past. States and events are numbered, and what
a step leads to is remembered. A state is not kept but found again: from the last restart, by
the events that led to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from amcast.consensus import Event, Settings
from amcast.consensus import Replica as LogReplica
from amcast.core import GroupId
from amcast.groups import Member, Reply
from amcast.sim.replica_host import Delivered, Host, Place, Restarted
from amcast.sim.story import PROCESS_FAILURES

MakeMember = Callable[[GroupId, LogReplica], Member]

# So many machines are kept running, to save going through their past again.
HOSTS_MAX = 5_000


class Local(NamedTuple):
    """One replica: what an explorer asks about it."""

    place: Place
    up: bool
    leading: bool
    # Whether it heard its leader since it last lost patience.
    content: bool
    timers: tuple[str, ...]
    delivered: Delivered
    # While it is up, all that it remembers; while it is down, its disk.
    memory: bytes
    records: tuple[object, ...] = ()


class Step(NamedTuple):
    """The next state of a replica, the events it causes, and what a crash midway does."""

    local: int
    sent: tuple[int, ...]
    crashes: tuple[tuple[int, tuple[int, ...]], ...]


class StepFailed(Exception):
    """A replica fell over; `event` is what it was handling."""

    def __init__(self, event: int, reason: str) -> None:
        super().__init__(reason)
        self.event = event


class ReplicaSteps:
    """Numbers for states and events, and a memory of steps."""

    def __init__(
        self,
        make_member: MakeMember,
        settings: Callable[[int], Settings],
        places: Sequence[Place],
    ) -> None:
        self._make_member = make_member
        self._settings = settings
        self.locals: list[Local] = []
        self._numbers: dict[Local, int] = {}
        self._came_from: dict[int, tuple[int, int]] = {}
        self.events: list[tuple[Place, Event | Reply]] = []
        self._event_numbers: dict[tuple[Place, Event | Reply], int] = {}
        self._steps: dict[tuple[int, int], Step] = {}
        self._hosts: dict[int, Host] = {}
        self.initial = tuple(self._number(_down(place, (), ())) for place in places)

    @property
    def count(self) -> int:
        """How many different steps there were."""
        return len(self._steps)

    def event(self, place: Place, event: Event | Reply) -> int:
        key = (place, event)
        number = self._event_numbers.get(key)
        if number is None:
            number = self._event_numbers[key] = len(self.events)
            self.events.append(key)
        return number

    def step(self, local: int, event: int) -> Step:
        known = self._steps.get((local, event))
        if known is None:
            known = self._steps[local, event] = self._take(local, event)
        return known

    def _take(self, local: int, event: int) -> Step:
        before = self.locals[local]
        happening = self._event_at(event)
        if before.up == isinstance(happening, Restarted):
            # What comes to a machine that is down is lost; one that is up does not start.
            return Step(local, (), ())
        host = self._hosts.pop(local, None) or self._rebuild(local)
        try:
            sent, remains = host.handle(happening)
        except PROCESS_FAILURES as error:
            raise StepFailed(event, f"{type(error).__name__}: {error}") from error
        numbers = tuple(self.event(*each) for each in sent)
        crashes = tuple(
            (self._number(_down(before.place, left.records, left.delivered)), numbers[: left.sent])
            for left in remains
        )
        after = self._number(_up(host))
        if after not in self._came_from and after != local:
            self._came_from[after] = (local, event)
        self._keep(after, host)
        return Step(after, numbers, crashes)

    def _event_at(self, event: int) -> Event:
        happening = self.events[event][1]
        assert isinstance(happening, Event), "replies go to clients"
        return happening

    def _rebuild(self, local: int) -> Host:
        """The machine in this state, by going through its past since it came up."""
        past: list[int] = []
        while self.locals[local].up:
            local, event = self._came_from[local]
            past.append(event)
        down = self.locals[local]
        host = Host(
            down.place,
            self._settings(down.place.replica),
            lambda replica: self._make_member(down.place.group, replica),
            down.records,  # type: ignore[arg-type]
            down.delivered,
        )
        for event in reversed(past):
            host.handle(self._event_at(event))
        return host

    def _keep(self, local: int, host: Host) -> None:
        if len(self._hosts) >= HOSTS_MAX:
            del self._hosts[next(iter(self._hosts))]
        self._hosts[local] = host

    def _number(self, local: Local) -> int:
        number = self._numbers.get(local)
        if number is None:
            number = self._numbers[local] = len(self.locals)
            self.locals.append(local)
        return number


def _down(place: Place, records: Sequence[object], delivered: Delivered) -> Local:
    return Local(place, False, False, False, (), delivered, b"", tuple(records))


def _up(host: Host) -> Local:
    member = host.member
    return Local(
        place=host.place,
        up=True,
        leading=member.leading,
        content=member.replica.memory.leader_heard,
        timers=tuple(host.timers),
        delivered=tuple(host.delivered),
        memory=host.memory(),
    )
