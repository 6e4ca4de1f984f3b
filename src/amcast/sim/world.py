"""A small world without time: packets wait until somebody says which arrives next.

Scripted stories, random schedules and the search for a shortest story all drive this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from amcast.check import History
from amcast.core import (
    CancelTimer,
    Deliver,
    Effect,
    Event,
    GroupId,
    Message,
    MessageId,
    Multicast,
    Process,
    Received,
    Send,
    SetTimer,
    Submitted,
    TimerFired,
    process_of,
)

ProcessFactory = Callable[[GroupId], Process[Any, Any]]

# Ends a protocol that talks for ever. No story that a person would read is so long.
STEPS_MAX = 5_000


class PacketName(NamedTuple):
    """A packet as a person would call it: `g1 > g2 timestamp c1:1`, the second time with `#2`."""

    source: str
    target: GroupId
    kind: str
    about: str
    occurrence: int = 1

    def __str__(self) -> str:
        again = "" if self.occurrence == 1 else f" #{self.occurrence}"
        return f"{self.source} > {self.target} {self.kind} {self.about}{again}"

    @classmethod
    def parse(cls, words: list[str]) -> PacketName:
        """The reverse of `str`, from its words."""
        source, arrow, target, kind, about, *rest = words
        if arrow != ">":
            raise ValueError("no >")
        return cls(source, target, kind, about, int(rest[0].removeprefix("#")) if rest else 1)


class World:
    """Processes, packets on their way, and the history so far."""

    def __init__(self, factory: ProcessFactory, groups: Iterable[GroupId]) -> None:
        self.processes = {group: factory(group) for group in groups}
        self.in_flight: dict[PacketName, Submitted | Received] = {}
        self.timers: dict[tuple[GroupId, str], TimerFired] = {}
        self.history = History()
        self.history.has_packets = True
        self.history.has_times = False
        self.delivered: dict[GroupId, list[MessageId]] = {group: [] for group in self.processes}
        self.narrative: list[str] = []
        self.steps = 0
        # Why a process fell over, if one did.
        self.crash: str | None = None
        self._sent: dict[PacketName, int] = {}
        for group in self.processes:
            self.history.add_process(process_of(group), group)

    def multicast(
        self, multicast: Multicast, home: GroupId | None = None, *, settled: int = 0
    ) -> list[PacketName]:
        """A client multicasts, or does so again; the packets to its entry groups."""
        id = multicast.id
        self.history.add_multicast(id, id.client, multicast.dst, 0, home, multicast.keys)
        self.narrative.append(f"{id.client} multicasts {id} to {', '.join(multicast.dst)}")
        any_process = next(iter(self.processes.values()))
        return [
            self._launch(
                PacketName(id.client, group, "submit", str(id)), Submitted(multicast, settled)
            )
            for group in any_process.entry(multicast.dst, home)
        ]

    def lose(self, name: PacketName) -> None:
        """A client crashed before it sent this packet."""
        del self.in_flight[name]
        self.history.add_fault(name.source, "crash")
        self.narrative.append(
            f"{name.source} crashes before it sends {name.about} to {name.target}"
        )

    def arrive(self, name: PacketName) -> None:
        """Let one packet arrive."""
        event = self.in_flight.pop(name)
        what = name.about
        if isinstance(event, Received):
            what = describe(event.message)
            self.history.add_packet(name.source, name.target, event.message.about())
        self.narrative.append(f"{name.target} receives {what} from {name.source}")
        self._step(name.target, event)

    def fire(self, group: GroupId, timer: str) -> None:
        """Let one timer run out."""
        self.narrative.append(f"{group} has waited long enough for {timer}")
        self._step(group, self.timers.pop((group, timer)))

    def settle(self) -> None:
        """Go on in the order of sending until nothing is left to happen."""
        while self.in_flight or self.timers:
            if self.in_flight:
                self.arrive(next(iter(self.in_flight)))
            else:
                self.fire(*next(iter(self.timers)))

    def _step(self, group: GroupId, event: Event) -> None:
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise RuntimeError(f"still busy after {STEPS_MAX} events")
        for effect in self.processes[group].step(event):
            self._carry_out(group, effect)

    def _carry_out(self, group: GroupId, effect: Effect) -> None:
        match effect:
            case Send(target, number, message):
                about = ",".join(str(id) for id in message.about())
                kind = type(message).__name__.lower()
                self.narrative.append(f"  sends {describe(message)} to {target}")
                self._launch(
                    PacketName(group, target, kind, about), Received(group, number, message)
                )
            case Deliver(multicast):
                position = len(self.delivered[group])
                self.delivered[group].append(multicast.id)
                self.history.add_delivery(process_of(group), group, position, multicast.id)
                self.narrative.append(f"  delivers {multicast.id}")
            case SetTimer(timer, generation, _):
                self.timers[group, timer] = TimerFired(timer, generation)
            case CancelTimer(timer):
                self.timers.pop((group, timer), None)
            case _:
                raise AssertionError(f"{group}: groups of one process have no {effect!r}")

    def _launch(self, name: PacketName, event: Submitted | Received) -> PacketName:
        occurrence = self._sent[name] = self._sent.get(name, 0) + 1
        name = name._replace(occurrence=occurrence)
        self.in_flight[name] = event
        return name


def describe(message: Message) -> str:
    """A message in words: its kind, what it is about and its numbers."""
    numbers = [
        str(value)
        for value in (getattr(message, field) for field in message.__struct_fields__)
        if isinstance(value, int)
    ]
    about = ",".join(str(id) for id in message.about())
    return f"{type(message).__name__.lower()}({', '.join([about, *numbers])})"
