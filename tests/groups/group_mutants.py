"""Known ways to get a replicated group wrong, each as a replacement of one function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from amcast.core import Channels, Decided, Multicast, Received, Submissions
from amcast.groups.effects import SendToGroup
from amcast.groups.events import FromGroup
from amcast.groups.intake import Intake
from amcast.groups.machine import Machine
from amcast.groups.member import Member
from amcast.groups.packets import Ack, Packet
from amcast.groups.transmitter import Transmitter
from amcast.scenarios import fuzz_faults
from amcast.sim import FaultFailure
from tests.groups.busy_clients import waits_for_ever_longer

SEEDS_MAX = 1000

ACCEPT = Channels.accept
DELIVER = Machine._deliver
LEAD = Transmitter.lead
RESEND = Transmitter._resend
SNAPSHOT = Machine.snapshot
INTAKE_LEAD = Intake.lead
INTAKE_TAKE = Intake.take
ON_PACKET = Member._on_packet


def dropped_on_delivery(self: Any, multicast: Multicast) -> None:
    DELIVER(self, multicast)
    for outbound in self.state.outbox.values():
        for entries in (outbound.numbered, outbound.bypassing):
            for number in [n for n, each in entries.items() if multicast.id in each.about()]:
                del entries[number]


def lead_without_resending(self: Any) -> None:
    """Whatever the last leader left in the outbox stays there."""
    self.left = {target: max((0, *out.numbered)) for target, out in self.state.outbox.items()}
    self.leading, self._armed = True, False


def resend_own_only(self: Any, target: str, replica: Any, way: Any, until: int) -> None:
    left = 0 if way.bypasses else getattr(self, "left", {}).get(target, 0)
    own = {number: message for number, message in way.entries.items() if number > left}
    RESEND(self, target, replica, way._replace(entries=own), until)


def accept_repeats(self: Any, source: str, number: int, message: Any, *, fifo: bool) -> list[Any]:
    """Numbers are noted for acknowledgements, but what comes twice is handled twice."""
    return ACCEPT(self, source, number, message, fifo=fifo) or [message]


def snapshot_without_outbox(self: Any) -> bytes:
    kept, self.state.outbox = self.state.outbox, {}
    try:
        return SNAPSHOT(self)
    finally:
        self.state.outbox = kept


def snapshot_without_inbound(self: Any) -> bytes:
    kept = dict(self.process.channels.received)
    self.process.channels.received.clear()
    try:
        return SNAPSHOT(self)
    finally:
        self.process.channels.received.update(kept)


def snapshot_without_proposals(self: Any) -> bytes:
    kept, self.state.wanted = self.state.wanted, {}
    try:
        return SNAPSHOT(self)
    finally:
        self.state.wanted = kept


def numbered_by_the_leader(self: Any, target: str, number: int, message: Any) -> None:
    outbound = self.state.to(target)
    outbound.numbered[number] = message
    if self.leading:
        counts = self.__dict__.setdefault("counts", {})
        counts[target] = counts.get(target, 0) + 1
        replica = self._contacts.get(target, 0)
        self._outlet.emit(SendToGroup(target, replica, Packet(counts[target], 0, message)))
        self._arm()


def acknowledged_on_arrival(self: Any, event: FromGroup) -> None:
    ON_PACKET(self, event)
    packet = event.packet
    self.machine.transmitter.acknowledge(event.source, Ack(packet.number, packet.bypass))


def lead_without_proposals(self: Any, wanted: Any) -> None:
    INTAKE_LEAD(self, ())


def take_while_stalled(self: Any, *, more_instances: bool, stalled: bool) -> tuple[bytes, ...]:
    return INTAKE_TAKE(self, more_instances=more_instances, stalled=False)


def lead_without_timers(self: Any) -> None:
    self._intake.lead(self.machine.state.wanted)
    self.machine.transmitter.lead()


def admit_repeats(self: Any, id: Any, settled: int = 0) -> bool:
    return True


def bypass_unlogged(self: Any, event: FromGroup) -> None:
    packet = event.packet
    if packet.number:
        ON_PACKET(self, event)
        return
    inbox = self.machine.state.bypassing_from(event.source)
    self.machine.bypass_log(Received(event.source, 0, packet.message), packet.bypass)
    if packet.bypass not in inbox.logged:
        inbox.logged.add(packet.bypass)
    self.machine.acknowledge(event.source)


def want_once(self: Any, item: Any) -> None:
    if self._intake.leading:
        self._intake.offer(Decided(item))


@dataclass(frozen=True)
class GroupMutant:
    """One replaced function, and a protocol that suffers from it."""

    what: str
    protocol: str
    owner: Any
    attribute: str
    replacement: Any
    also: tuple[tuple[Any, str, Any], ...] = ()
    # What shows it, if it needs more than random bad times have.
    script: Callable[[], Sequence[str]] | None = None

    @contextmanager
    def in_place(self) -> Iterator[None]:
        changes = ((self.owner, self.attribute, self.replacement), *self.also)
        originals = [(owner, name, owner.__dict__[name]) for owner, name, _ in changes]
        for owner, name, replacement in changes:
            setattr(owner, name, replacement)
        try:
            yield
        finally:
            for owner, name, original in originals:
                setattr(owner, name, original)

    def replay(self) -> Sequence[str]:
        """What its script says now."""
        assert self.script is not None
        with self.in_place():
            return self.script()

    def hunt(self) -> FaultFailure | None:
        """The first seed whose bad times catch it."""
        with self.in_place():
            for seed in range(1, SEEDS_MAX + 1):
                failure = fuzz_faults(self.protocol, seed)
                if failure is not None:
                    return failure
        return None


GROUP_MUTANTS = (
    GroupMutant("An outbox entry is dropped when its message is delivered here.",
                "basecast", Machine, "_deliver", dropped_on_delivery),
    GroupMutant("A new leader does not send again what the last one left.",
                "skeen", Transmitter, "lead", lead_without_resending,
                ((Transmitter, "_resend", resend_own_only),)),
    GroupMutant("Repeats are dropped by the leader, not in the replicated state.",
                "tree", Channels, "accept", accept_repeats),
    GroupMutant("A snapshot lacks the outbox.",
                "sequencer", Machine, "snapshot", snapshot_without_outbox),
    GroupMutant("A snapshot lacks the numbers that were received.",
                "tree", Machine, "snapshot", snapshot_without_inbound),
    GroupMutant("A snapshot lacks what the process proposed.",
                "age", Machine, "snapshot", snapshot_without_proposals),
    GroupMutant("Sequence numbers come from the leader, not from the log.",
                "tree", Transmitter, "send", numbered_by_the_leader),
    GroupMutant("Messages are acknowledged when they arrive, not from the log.",
                "ring", Member, "_on_packet", acknowledged_on_arrival),
    GroupMutant("A new leader does not propose again what the process wants.",
                "age", Intake, "lead", lead_without_proposals),
    GroupMutant("Only the leader of the moment remembers what the process wants.",
                "age", Machine, "_want", want_once),
    GroupMutant("A new leader does not start the timers again.",
                "skeen-coordinator", Member, "_lead", lead_without_timers),
    GroupMutant("A client that asks again is taken for a new one.",
                "skeen", Submissions, "admit", admit_repeats,
                ((Submissions, "seen", lambda self, id: False),)),
    GroupMutant("What bypasses the log never gets into it.",
                "age", Member, "_on_packet", bypass_unlogged),
    GroupMutant("The log goes on growing while the process is stalled.",
                "ang", Intake, "take", take_while_stalled, script=waits_for_ever_longer),
)  # fmt: skip
