"""The channels to other groups: the leader transmits, all replicas keep the outbox.

An entry stays in the outbox until the receiving group has it in its log. So a new leader can
send again whatever its predecessor may not have sent, and the receivers drop what they have.
A leader that hears nothing asks first: what is only late need not come twice, which would make
a slow line slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from amcast.consensus import ReplicaId, SetTimer
from amcast.core import GroupId, Message
from amcast.groups.effects import SendToGroup
from amcast.groups.outlet import Outlet
from amcast.groups.packets import Ack, Packet, Question
from amcast.groups.state import GroupState

RESEND = "resend"
# At most so much is sent again to one group at a time, the oldest first.
RESENT_AT_ONCE = 256
# It is asked after one, two, four and so many periods without an acknowledgement, and so on.
PERIODS_MAX = 8


class Line(msgspec.Struct):
    """The way to one group of what goes through its log, or of what bypasses it."""

    # The last that was in the outbox when the timer was set, so that it is due when it fires.
    due: int = 0
    # Whether something new was acknowledged since then, and periods in which nothing was.
    heard: bool = False
    silent: int = 0
    # Where a long outbox was cut, and how far it is to be sent again.
    cut: tuple[int, int] | None = None

    def is_to_be_asked_about(self) -> bool:
        """Whether a period that is over now is one too many in which nothing was heard."""
        if not self.due or self.heard:
            return False
        self.silent += 1
        return self.silent in (1, 2, 4) or self.silent % PERIODS_MAX == 0


class Way(NamedTuple):
    """A line with its part of the outbox."""

    line: Line
    entries: dict[int, Any]
    bypasses: bool


class Transmitter:
    """What is forgotten in a crash: who leads elsewhere, and what was sent how long ago."""

    def __init__(self, state: GroupState[Any], outlet: Outlet, resend_us: int) -> None:
        self.state = state
        self.leading = False
        self._outlet = outlet
        self._resend_us = resend_us
        # Who leads there, as far as is known.
        self._contacts: dict[GroupId, ReplicaId] = {}
        self._lines: dict[GroupId, tuple[Line, Line]] = {}
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
        self._lines = {}
        for target in self.state.outbox:
            for way in self._ways_to(target):
                self._resend(target, None, way, last_of(way.entries))
        self._arm()

    def follow(self) -> None:
        self.leading = False

    def acknowledge(self, source: GroupId, ack: Ack) -> None:
        """To all replicas there: each trims its own outbox."""
        self._outlet.emit(SendToGroup(source, None, ack))

    # Acknowledgements and what is missing.

    def on_ack(self, source: GroupId, replica: ReplicaId, ack: Ack) -> None:
        has_moved = self._contacts.get(source, 0) != replica
        self._contacts[source] = replica
        if source not in self.state.outbox:
            return
        for way in self._ways_to(source):
            line, last = way.line, ack.bypassing if way.bypasses else ack.numbered
            if _trim(way.entries, last):
                line.heard, line.silent = True, 0
            if not self.leading:
                continue
            if ack.answers:
                # Another leader lacks also what went to its predecessor since the question.
                until = last_of(way.entries) if has_moved else line.due
                self._resend(source, replica, way, until)
            elif line.cut is not None and last >= line.cut[0]:
                self._resend(source, replica, way, line.cut[1])

    def on_timer(self, generation: int) -> None:
        if generation != self._generation or not self.leading:
            return
        self._armed = False
        for target, lines in self._lines.items():
            silent = [line for line in lines if line.is_to_be_asked_about()]
            if silent:
                # All of them: the one that led may have failed.
                self._outlet.emit(SendToGroup(target, None, Question()))
        self._arm()

    def _arm(self) -> None:
        if self._armed:
            return
        for target in self.state.outbox:
            for way in self._ways_to(target):
                way.line.due, way.line.heard = last_of(way.entries), False
                self._armed |= way.line.due > 0
        if self._armed:
            self._generation += 1
            self._outlet.emit(SetTimer(RESEND, self._generation, self._resend_us, 0))

    def _ways_to(self, target: GroupId) -> tuple[Way, Way]:
        outbound, lines = self.state.to(target), self._lines.get(target)
        if lines is None:
            lines = self._lines[target] = (Line(), Line())
        numbered, bypassing = lines
        return Way(numbered, outbound.numbered, False), Way(bypassing, outbound.bypassing, True)

    def _resend(self, target: GroupId, replica: ReplicaId | None, way: Way, until: int) -> None:
        way.line.cut = None
        if way.bypasses:
            replica = None
        last = 0
        for number, message in _up_to(way.entries, until):
            packet = Packet(0, number, message) if way.bypasses else Packet(number, 0, message)
            self._outlet.emit(SendToGroup(target, replica, packet))
            last = number
        if len(way.entries) > RESENT_AT_ONCE and last < until:
            way.line.cut = (last, until)


def last_of(entries: dict[int, Any]) -> int:
    return next(reversed(entries)) if entries else 0


def _trim(entries: dict[int, Any], last: int) -> bool:
    """Whether there was something to trim."""
    before = len(entries)
    while entries and (first := next(iter(entries))) <= last:
        del entries[first]
    return len(entries) < before


def _up_to(entries: dict[int, Any], last: int) -> Iterator[tuple[int, Any]]:
    for count, (number, message) in enumerate(entries.items()):
        if number > last or count >= RESENT_AT_ONCE:
            return
        yield number, message
