"""The channels to other groups: the leader transmits, all replicas keep the outbox.

An entry stays in the outbox until the receiving group has it in its log. So a new leader can
send again whatever its predecessor may not have sent, and the receivers drop what they have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amcast.consensus import ReplicaId, SetTimer
from amcast.core import GroupId, Message
from amcast.groups.effects import SendToGroup
from amcast.groups.outlet import Outlet
from amcast.groups.packets import Ack, Packet
from amcast.groups.state import GroupState

RESEND = "resend"
# At most so much is sent again to one group at a time, the oldest first.
RESENT_AT_ONCE = 256


class Transmitter:
    """What is forgotten in a crash: who leads elsewhere, and what was sent how long ago."""

    def __init__(self, state: GroupState[Any], outlet: Outlet, resend_us: int) -> None:
        self.state = state
        self.leading = False
        self._outlet = outlet
        self._resend_us = resend_us
        self._contacts: dict[GroupId, ReplicaId] = {}
        # What was in the outbox when the timer was set, so that it is due when it fires.
        self._due: dict[GroupId, tuple[int, int]] = {}
        self._generation = 0
        self._armed = False

    # Sending.

    def send(self, target: GroupId, number: int, message: Message) -> None:
        """Keep it, and transmit it if this replica leads. Number 0: it bypasses the log."""
        outbound = self.state.to(target)
        bypass = 0
        if number:
            outbound.numbered[number] = message
        else:
            bypass = outbound.bypassed = outbound.bypassed + 1
            outbound.bypassing[bypass] = message
        if self.leading:
            # What bypasses the log must reach every replica on its own.
            replica = self._contacts.get(target, 0) if number else None
            self._outlet.emit(SendToGroup(target, replica, Packet(number, bypass, message)))
            self._arm()

    def lead(self) -> None:
        """A new leader cannot know what its predecessor sent."""
        self.leading = True
        self._armed = False
        for target in self.state.outbox:
            self._resend(target, None)
        self._arm()

    def follow(self) -> None:
        self.leading = False

    def acknowledge(self, source: GroupId, ack: Ack) -> None:
        """To all replicas there: each trims its own outbox."""
        self._outlet.emit(SendToGroup(source, None, ack))

    # Acknowledgements and what is missing.

    def on_ack(self, source: GroupId, replica: ReplicaId, ack: Ack) -> None:
        self._contacts[source] = replica
        outbound = self.state.outbox.get(source)
        if outbound is not None:
            _trim(outbound.numbered, ack.numbered)
            _trim(outbound.bypassing, ack.bypassing)

    def on_timer(self, generation: int) -> None:
        if generation != self._generation or not self.leading:
            return
        self._armed = False
        for target, due in self._due.items():
            self._resend(target, due)
        self._arm()

    def _arm(self) -> None:
        if self._armed:
            return
        self._due = {
            target: (last_of(outbound.numbered), last_of(outbound.bypassing))
            for target, outbound in self.state.outbox.items()
            if outbound.numbered or outbound.bypassing
        }
        if self._due:
            self._armed = True
            self._generation += 1
            self._outlet.emit(SetTimer(RESEND, self._generation, self._resend_us, 0))

    def _resend(self, target: GroupId, due: tuple[int, int] | None) -> None:
        outbound = self.state.to(target)
        numbered, bypassing = due or (last_of(outbound.numbered), last_of(outbound.bypassing))
        for number, message in _up_to(outbound.numbered, numbered):
            self._outlet.emit(SendToGroup(target, None, Packet(number, 0, message)))
        for bypass, message in _up_to(outbound.bypassing, bypassing):
            self._outlet.emit(SendToGroup(target, None, Packet(0, bypass, message)))


def last_of(entries: dict[int, Any]) -> int:
    return next(reversed(entries)) if entries else 0


def _trim(entries: dict[int, Any], last: int) -> None:
    while entries and (first := next(iter(entries))) <= last:
        del entries[first]


def _up_to(entries: dict[int, Any], last: int) -> Iterator[tuple[int, Any]]:
    for count, (number, message) in enumerate(entries.items()):
        if number > last or count >= RESENT_AT_ONCE:
            return
        yield number, message
