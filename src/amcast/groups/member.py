"""One member of a replicated group: a process on top of a replicated log.

Idea
  Every event of a group is first put into its log, and each member applies the log to its own
  copy of the process. So all members compute the same effects. The leader transmits; the
  others keep the same outbox. An entry of the outbox stays until the receiving group has
  acknowledged it from its own log, a new leader sends all of it again, and the receivers
  drop repeats in their replicated state. The group behaves as one process that never fails.

Messages that bypass the log
  Where a protocol allows it, a message takes effect at each replica when it arrives, and its
  entry in the log follows, off the critical path, for those that missed it and for those that
  recover. The sender keeps such a message, too, until it stands in the receiver's log.

Assumes
  What consensus assumes, of a majority of every group.

Guarantees
  Each group delivers what its process would deliver if it were one process that never
  crashes. A client that tries again, or that dies while it sends, causes no second delivery.
"""

from __future__ import annotations

from typing import Any

from amcast.consensus import (
    Apply,
    BecameLeader,
    Effect,
    Event,
    InstallSnapshot,
    Persist,
    Proposed,
    Refused,
    Replica,
    Send,
    SetTimer,
    SnapshotTaken,
    SteppedDown,
    Sync,
    TakeSnapshot,
    TimerFired,
)
from amcast.consensus import Received as LogReceived
from amcast.core import Process, Received, Submitted
from amcast.core import TimerFired as TimerEvent
from amcast.groups.clients import EXPIRE_AFTER, is_for_later
from amcast.groups.commands import Codec
from amcast.groups.effects import Forgotten, Reply
from amcast.groups.events import (
    Acknowledged,
    Asked,
    Forwarded,
    FromClient,
    FromGroup,
    Inquired,
    Noticed,
)
from amcast.groups.intake import Intake
from amcast.groups.machine import PROTOCOL, Machine
from amcast.groups.outlet import Outlet
from amcast.groups.transmitter import RESEND


class Member:
    """A deterministic state machine: the same events always give the same effects."""

    def __init__(
        self,
        process: Process[Any, Any],
        replica: Replica,
        codec: Codec,
        *,
        resend_us: int,
        expire_after: int = EXPIRE_AFTER,
    ) -> None:
        self.replica = replica
        self._outlet = Outlet()
        self._intake = Intake(replica, codec, self._outlet)
        self.machine = Machine(process, codec, self._outlet, self._intake, resend_us, expire_after)

    @property
    def leading(self) -> bool:
        return self._intake.leading

    @property
    def process(self) -> Process[Any, Any]:
        return self.machine.process

    @property
    def applied(self) -> int:
        """The last slot of the log that took effect here."""
        return self.machine.applied

    def is_idle(self) -> bool:
        """Whether it leads and all that it proposed is applied."""
        return self.leading and self._intake.is_idle()

    def step(self, event: Event) -> list[Effect]:
        """Handle `event` and return what must now be done, in order."""
        if self.replica.memory.failed:
            return self.replica.step(event)  # silent, but for what must not wait for ever
        if type(event) is LogReceived:
            # Most of all there is: it need not be compared with the rest.
            self._step_log(event)
        else:
            self._step_other(event)
        self._propose()
        return self._outlet.take()

    def _step_other(self, event: Event) -> None:
        match event:
            case FromGroup():
                self._on_packet(event)
            case FromClient(submitted):
                self._on_submitted(submitted)
            case Acknowledged(source, replica, ack):
                self.machine.transmitter.on_ack(source, replica, ack)
            case Asked(source):
                self.machine.acknowledge(source, answers=True)
            case Inquired(id):
                if self.machine.state.clients.has_delivered(id):
                    self._outlet.emit(Reply(id.client, id.seq))
            case Forwarded(commands):
                self._intake.on_forwarded(commands)
            case Noticed(about):
                self._intake.notice(about)
            case TimerFired(timer, generation):
                self._on_timer(timer, generation, event)
            case _:
                self._step_log(event)

    def _on_timer(self, timer: str, generation: int, event: TimerFired) -> None:
        if timer == RESEND:
            self.machine.transmitter.on_timer(generation)
        elif timer.startswith(PROTOCOL):
            if self.leading:
                self._intake.offer(TimerEvent(timer.removeprefix(PROTOCOL), generation))
        else:
            self._step_log(event)

    # What comes from outside, on its way into the log.

    def _on_submitted(self, submitted: Submitted) -> None:
        id = submitted.multicast.id
        if self.machine.state.clients.is_forgotten(submitted):
            self._outlet.emit(Forgotten(id.client))
        elif not self.process.submissions.seen(id) and not is_for_later(submitted):
            self._intake.offer(submitted)

    def _on_packet(self, event: FromGroup) -> None:
        source, packet = event.source, event.packet
        received = Received(source, packet.number, packet.message)
        if packet.number:
            if self.process.channels.has(source, packet.number):
                self.machine.acknowledge(source)
            else:
                self._intake.offer(received)
        elif packet.bypass in self.machine.state.bypassing_from(source).logged:
            self.machine.acknowledge(source)
        else:
            self.machine.bypass_log(received, packet.bypass)
            # The sender told every replica; the leader sees to it that nobody misses it.
            if self.leading:
                self._intake.offer(received, packet.bypass)

    # The log.

    def _propose(self) -> None:
        """Whatever gathered in this step goes into the log together."""
        machine, intake = self.machine, self._intake
        while commands := intake.take(
            more_instances=machine.wants_instance, stalled=self.process.is_stalled
        ):
            self._step_log(Proposed(commands))

    def _step_log(self, event: Event) -> None:
        behind_sync = False
        for effect in self.replica.step(event):
            kind = type(effect)
            if behind_sync:
                self._outlet.emit_after_sync(effect)
            elif kind is Sync:
                behind_sync = True
            elif kind is Send or kind is Persist or kind is SetTimer:
                self._outlet.emit(effect)
            elif kind is Apply:
                self.machine.apply(effect)  # type: ignore[arg-type]
            else:
                self._do_rare(effect)

    def _do_rare(self, effect: Effect) -> None:
        match effect:
            case BecameLeader():
                self._outlet.emit(effect)
                self._lead()
            case SteppedDown():
                self._outlet.emit(effect)
                self.machine.transmitter.follow()
                self._intake.follow()
            case Refused(commands, _):
                self._intake.refused(commands)
            case TakeSnapshot(slot):
                self._step_log(SnapshotTaken(slot, self.machine.snapshot()))
            case InstallSnapshot(slot, state):
                self.machine.restore(slot, state)
            case _:
                self._outlet.emit(effect)

    def _lead(self) -> None:
        """Finish what the last leader may have left: proposals, timers, transmissions."""
        self._intake.lead(self.machine.state.wanted)
        self.machine.transmitter.lead()
        for timer, (generation, delay_us) in self.process.timers.running.items():
            self._outlet.emit(SetTimer(PROTOCOL + timer, generation, delay_us, 0))
