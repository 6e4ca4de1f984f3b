"""One replica as an explorer sees it: no time, a disk that takes its time, crashes anywhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from amcast.consensus import (
    Effect,
    Event,
    Persist,
    Received,
    Record,
    Send,
    SetTimer,
    Settings,
    Started,
    Sync,
    TimerFired,
    Truncate,
)
from amcast.consensus import Replica as LogReplica
from amcast.core import GroupId, MessageId
from amcast.groups import (
    Ack,
    Deliver,
    Forward,
    Forwarded,
    Member,
    Packet,
    Question,
    Reply,
    Restored,
    SendToGroup,
    incoming,
)
from amcast.sim.disk import Disk


class Deadline(Event, frozen=True):
    """The timer of this name runs out, if it runs."""

    timer: str


class Written(Event, frozen=True):
    """The disk has all that came before its `number`-th sync."""

    number: int


class Restarted(Event, frozen=True):
    """The machine comes up, for the first time or with what its disk holds."""


class Place(NamedTuple):
    """A replica of a group. Replies go to the place of the clients."""

    group: GroupId
    replica: int

    def __str__(self) -> str:
        return f"{self.group}/{self.replica}"


CLIENTS = Place("clients", 0)

Sent = tuple[Place, Event | Reply]
Delivered = tuple[tuple[int, MessageId], ...]


class Remains(NamedTuple):
    """What a machine leaves behind if it crashes after it has sent so much."""

    sent: int
    records: tuple[Record, ...]
    delivered: Delivered


class Host:
    """A machine that is up. It is made anew after a crash."""

    def __init__(
        self,
        place: Place,
        settings: Settings,
        make_member: Callable[[LogReplica], Member],
        records: Sequence[Record],
        delivered: Delivered,
    ) -> None:
        self.place = place
        self.timers: dict[str, int] = {}
        # What was ever delivered here: after a restart it comes again, and must be the same.
        self.delivered = dict.fromkeys(delivered)
        self._size = settings.size
        self._disk = Disk()
        self._disk.records = list(records)
        self._disk.synced = len(records)
        create = LogReplica.create(settings) if not records else None
        self.member = make_member(create or LogReplica.recover(settings, records))
        self._waiting: dict[int, tuple[int, list[Effect]]] = {}
        self._syncs = 0
        self._to_self: deque[Event] = deque()
        self._sent: list[Sent] = []
        self._remains: list[Remains] = []

    def handle(self, event: Event) -> tuple[tuple[Sent, ...], tuple[Remains, ...]]:
        """What it sends, and what is left if it crashes before each of the effects."""
        self._sent, self._remains = [], []
        self._note_remains()
        self._begin(event)
        while self._to_self:
            self._carry_out(self.member.step(self._to_self.popleft()))
        return tuple(self._sent), tuple(dict.fromkeys(self._remains))

    def _begin(self, event: Event) -> None:
        match event:
            case Restarted():
                self._carry_out(self.member.step(Started()))
            case Written(number):
                mark, rest = self._waiting.pop(number)
                self._disk.sync(mark)
                self._carry_out(rest)
            case Deadline(timer):
                if timer in self.timers:
                    fired = TimerFired(timer, self.timers.pop(timer))
                    self._carry_out(self.member.step(fired))
            case _:
                self._carry_out(self.member.step(event))

    def _note_remains(self) -> None:
        synced = tuple(self._disk.records[: self._disk.synced])
        self._remains.append(Remains(len(self._sent), synced, tuple(self.delivered)))

    def _carry_out(self, effects: list[Effect]) -> None:
        for place, effect in enumerate(effects):
            if type(effect) is Sync:
                self._syncs += 1
                self._waiting[self._syncs] = (self._disk.mark(), effects[place + 1 :])
                self._sent.append((self.place, Written(self._syncs)))
                break
            self._do(effect)
            self._note_remains()

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send(target, message):
                self._send(target, Received(self.place.replica, message))
            case Persist(record):
                self._disk.append(record)
            case Truncate(slot):
                self._disk.truncate(slot)
            case SetTimer(timer, generation, _, _):
                self.timers[timer] = generation
            case SendToGroup(target, replica, content):
                self._send_to_group(target, replica, content)
            case Forward(replica, commands):
                self._send(replica, Forwarded(commands))
            case Deliver(seq, multicast, reply):
                self.delivered[seq, multicast.id] = None
                if reply:
                    self._sent.append((CLIENTS, Reply(multicast.id.client, multicast.id.seq)))
            case Restored(seq, last):
                self.delivered[seq, last] = None
            case Reply():
                self._sent.append((CLIENTS, effect))
            case _:
                """Who leads is read from the member itself."""

    def _send(self, target: int, event: Event) -> None:
        if target == self.place.replica:
            self._to_self.append(event)
        else:
            self._sent.append((Place(self.place.group, target), event))

    def _send_to_group(
        self, target: GroupId, replica: int | None, content: Packet | Ack | Question
    ) -> None:
        event = incoming(self.place.group, self.place.replica, content)
        for number in range(self._size) if replica is None else (replica,):
            self._sent.append((Place(target, number), event))

    def memory(self) -> bytes:
        """Equal for two machines that behave the same from here on."""
        member = self.member
        machine = member.machine
        everything = (
            member.replica.memory,
            machine.process.snapshot(),
            machine.state,
            machine.applied,
            _values_of(machine.transmitter),
            _values_of(member._intake),
            self.timers,
            list(self.delivered),
            (self._disk.records, self._disk.synced, self._disk.shortened),
            (self._waiting, self._syncs),
        )
        return msgspec.msgpack.encode(everything)


# Objects that members share with their parts, and what is counted elsewhere.
WIRING = ("state", "_outlet", "_replica", "_codec")


def _values_of(part: object) -> list[tuple[str, object]]:
    return [(name, value) for name, value in vars(part).items() if name not in WIRING]
