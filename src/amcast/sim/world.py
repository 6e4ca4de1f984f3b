"""A small world without time: packets wait until somebody says which arrives next.

Scripted stories, random schedules and the search for a shortest story all drive this one.
A group is one process, or several replicas that apply the group's log at their own speed. The
log is ideal: what arrives waits until the group decides it, all that waits as one instance. A
group of one process decides and applies at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from amcast.check import History
from amcast.core import (
    CancelTimer,
    Decided,
    Deliver,
    Effect,
    Event,
    GroupId,
    InstanceEnded,
    Message,
    MessageId,
    Multicast,
    Process,
    ProposeToLog,
    Received,
    RequestInstance,
    Resume,
    Rollback,
    Send,
    SetTimer,
    Stall,
    Submitted,
    Suspected,
    TakeBackProposal,
    TimerFired,
    Trusted,
    process_of,
)
from amcast.sim.packets import Action, Apply, Decide, PacketName, about, arrival, describe

ProcessFactory = Callable[[GroupId], Process[Any, Any]]

# Ends a protocol that talks for ever, by how many processes there are to talk to. No story that
# a person would read is so long.
STEPS_PER_PROCESS = 2_500


class World:
    """Processes, packets on their way, and the history so far.

    `processes` is by group if each is one process, else by process (`g1/0`).
    """

    def __init__(
        self, factory: ProcessFactory, groups: Iterable[GroupId], *, replicas: int = 1
    ) -> None:
        self.groups = tuple(groups)
        self.replicated = replicas > 1
        self.members = {
            group: tuple(process_of(group, number) for number in range(replicas))
            if self.replicated
            else (group,)
            for group in self.groups
        }
        self.processes = {
            member: factory(group) for group in self.groups for member in self.members[group]
        }
        self.in_flight: dict[PacketName, Event] = {}
        self.timers: dict[tuple[GroupId, str], TimerFired] = {}
        self.delivered: dict[str, list[MessageId]] = {member: [] for member in self.processes}
        self.narrative: list[str] = []
        self.steps = 0
        # Multicasts, deliveries and rollbacks so far: all that is needed of a clock.
        self._recorded = 0
        # Why a process fell over, if one did.
        self.crash: str | None = None
        self.history = History()
        self.history.has_packets = True
        # The logs: what is not decided yet, the instances, and how many each replica applied.
        self._waiting: dict[GroupId, list[Event]] = {group: [] for group in self.groups}
        self._logs: dict[GroupId, list[list[Event]]] = {group: [] for group in self.groups}
        self._applied = dict.fromkeys(self.processes, 0)
        # All replicas compute the same sends and proposals; the first to do so is heard.
        self._heard: dict[object, None] = {}
        self._occurrences: dict[PacketName, int] = {}
        for group in self.groups:
            for number in range(replicas):
                self.history.add_process(process_of(group, number), group)

    # What can happen.

    def actions(self) -> Iterator[Action]:
        """All that can happen now, but for timers."""
        yield from self.in_flight
        for group in self.groups:
            if self._waiting[group]:
                yield Decide(group)
            if self.replicated:
                for member in self.members[group]:
                    if self._applied[member] < len(self._logs[group]):
                        yield Apply(member)

    def can(self, action: Action) -> bool:
        """Whether it can happen now."""
        match action:
            case PacketName():
                return action in self.in_flight
            case Decide(group):
                return bool(self._waiting.get(group))
            case Apply(member):
                log = self._logs.get(member.partition("/")[0], [])
                return self.replicated and self._applied.get(member, 0) < len(log)

    def do(self, action: Action) -> bool:
        """Let it happen; whether it could."""
        if not self.can(action):
            return False
        match action:
            case PacketName():
                self.arrive(action)
            case Decide(group):
                self._decide(group)
            case Apply(member):
                self._apply(member, member.partition("/")[0])
        return True

    def settle(self) -> None:
        """Go on in the order of sending until nothing is left to happen."""
        while True:
            action = next(self.actions(), None)
            if action is not None:
                self.do(action)
            elif self.timers:
                self.fire(*next(iter(self.timers)))
            else:
                return

    def multicast(
        self, multicast: Multicast, home: GroupId | None = None, *, settled: int = 0
    ) -> list[PacketName]:
        """A client multicasts, or does so again; the packets to its entry groups."""
        id = multicast.id
        self._recorded += 1
        self.history.add_multicast(
            id, id.client, multicast.dst, self._recorded, home, multicast.keys
        )
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
        group = name.target.partition("/")[0]
        self.narrative.append(arrival(name, event))
        if isinstance(event, Received):
            self.history.add_packet(name.source, group, event.message.about())
            if event.number == 0:
                self._step(name.target, event)
                return
        if isinstance(event, InstanceEnded):
            while len(self._logs[group]) < event.number:
                self._decide(group)
            return
        self._log(group, event)

    def fire(self, group: GroupId, timer: str) -> None:
        """Let one timer run out."""
        self.narrative.append(f"{group} has waited long enough for {timer}")
        self._log(group, self.timers.pop((group, timer)))

    def notice(self, group: GroupId, event: Suspected | Trusted) -> None:
        """Let the failure detector of `group` tell it about another one."""
        verb = "suspects" if isinstance(event, Suspected) else "trusts"
        self.narrative.append(f"{group} {verb} {event.group}")
        self._log(group, event)

    # The log.

    def _log(self, group: GroupId, event: Event) -> None:
        self._waiting[group].append(event)
        if not self.replicated:
            self._decide(group)

    def _decide(self, group: GroupId) -> None:
        log = self._logs[group]
        log.append(self._waiting[group])
        self._waiting[group] = []
        if self.replicated:
            self.narrative.append(f"{group} decides instance {len(log)}")
        else:
            self._apply(group, group)

    def _apply(self, member: str, group: GroupId) -> None:
        number = self._applied[member] = self._applied[member] + 1
        if self.replicated:
            self.narrative.append(f"{member} applies instance {number}")
        for event in self._logs[group][number - 1]:
            self._step(member, event)
        if self.processes[member].instances:
            self._step(member, InstanceEnded(number))

    def _step(self, member: str, event: Event) -> None:
        self.steps += 1
        if self.steps > STEPS_PER_PROCESS * len(self.processes):
            raise RuntimeError(f"still busy after {self.steps - 1} events")
        for effect in self.processes[member].step(event):
            self._carry_out(member, effect)

    def _carry_out(self, member: str, effect: Effect) -> None:
        group = self.processes[member].group
        match effect:
            case Send(target, number, message):
                if self._is_first(group, effect if number == 0 else (target, number)):
                    self._send(group, target, number, message)
            case Deliver(multicast):
                self._deliver(member, group, multicast)
            case Rollback(seq):
                self._roll_back(member, group, seq)
            case SetTimer(timer, generation, _):
                if self._is_first(group, effect):
                    self.timers[group, timer] = TimerFired(timer, generation)
            case CancelTimer(timer):
                self.timers.pop((group, timer), None)
            case ProposeToLog(item):
                if self._is_first(group, effect):
                    self.narrative.append(f"  proposes {describe(item)} to its log")
                    kind = type(item).__name__.lower()
                    self._launch(PacketName(group, group, kind, about(item)), Decided(item))
            case RequestInstance(number):
                name = PacketName(group, group, "instance", str(number))
                # Asking twice is asking once.
                if number > len(self._logs[group]) and name not in self.in_flight:
                    self.in_flight[name] = InstanceEnded(number)
            case Stall() | Resume() | TakeBackProposal():
                """The process lets entries wait, and does not mind a needless decision."""
            case _:
                raise AssertionError(f"{member}: no such effect {effect!r}")

    def _is_first(self, group: GroupId, what: object) -> bool:
        if not self.replicated:
            return True
        key = (group, what)
        first = key not in self._heard
        self._heard[key] = None
        return first

    def _send(self, group: GroupId, target: GroupId, number: int, message: Message) -> None:
        self.narrative.append(f"  sends {describe(message)} to {target}")
        kind = type(message).__name__.lower()
        # What bypasses the log reaches each replica on its own.
        for to in self.members[target] if number == 0 else (target,):
            self._launch(
                PacketName(group, to, kind, about(message)), Received(group, number, message)
            )

    def _deliver(self, member: str, group: GroupId, multicast: Multicast) -> None:
        position = len(self.delivered[member])
        self.delivered[member].append(multicast.id)
        self._recorded += 1
        process = member if self.replicated else process_of(group)
        self.history.add_delivery(process, group, position, multicast.id, self._recorded)
        self.narrative.append(f"  delivers {multicast.id}")

    def _roll_back(self, member: str, group: GroupId, seq: int) -> None:
        kept, taken_back = self.delivered[member][:seq], self.delivered[member][seq:]
        self.delivered[member] = kept
        self._recorded += 1
        process = member if self.replicated else process_of(group)
        self.history.add_fault(process, "rollback", self._recorded, seq)
        self.narrative.append(f"  takes back {' '.join(map(str, taken_back))}")

    def _launch(self, name: PacketName, event: Event) -> PacketName:
        occurrence = self._occurrences[name] = self._occurrences.get(name, 0) + 1
        name = name._replace(occurrence=occurrence)
        self.in_flight[name] = event
        return name
