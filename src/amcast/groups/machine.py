"""The replicated state of one member: its process, its channels, and what the log does to them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import msgspec

from amcast.consensus import Apply, SetTimer
from amcast.core import (
    CancelTimer,
    ClientExpired,
    Decided,
    Effect,
    Event,
    GroupId,
    InstanceEnded,
    Message,
    Multicast,
    Process,
    ProposeToLog,
    Received,
    RequestInstance,
    Resume,
    Send,
    Stall,
    Submitted,
    TakeBackProposal,
)
from amcast.core import Deliver as DeliverEffect
from amcast.core import Rollback as RollbackEffect
from amcast.core import SetTimer as SetTimerEffect
from amcast.groups.commands import NULL, Codec
from amcast.groups.effects import Deliver, Forgotten, Restored, Rollback
from amcast.groups.intake import Intake
from amcast.groups.outlet import Outlet
from amcast.groups.packets import Ack
from amcast.groups.state import GroupSnapshot, GroupState
from amcast.groups.transmitter import Transmitter

PROTOCOL = "protocol "
"""Timers of the process have this in front of their names."""

# How often it is looked for silent clients, in the time in which one is forgotten.
LOOKS = 8


class Machine:
    """Applies the log. Every member of a group applies the same, so all end up the same."""

    def __init__(
        self,
        process: Process[Any, Any],
        codec: Codec,
        outlet: Outlet,
        intake: Intake,
        resend_us: int,
        expire_after: int,
    ) -> None:
        self.process = process
        self.state: GroupState[Any] = GroupState()
        self.applied = 0
        self.transmitter = Transmitter(self.state, outlet, resend_us)
        self._codec = codec
        self._outlet = outlet
        self._intake = intake
        self._expire_after = expire_after
        # The slot after which it is looked for clients to forget.
        self._next_look = 0
        # Groups whose messages are in the slot that is being applied.
        self._heard: dict[GroupId, None] = {}
        messages = process.message_type
        self._snapshots = msgspec.msgpack.Decoder(GroupSnapshot[messages])  # type: ignore[valid-type]

    def is_busy(self, lost: Container[GroupId] = ()) -> bool:
        """Whether it still waits for its log, for a group that is not lost, or for a timer."""
        outbox = [out for group, out in self.state.outbox.items() if group not in lost]
        return bool(
            self.state.wanted
            or self.wants_instance
            or self.process.timers.running
            or self.process.is_stalled
            or any(outbound.numbered or outbound.bypassing for outbound in outbox)
        )

    @property
    def wants_instance(self) -> bool:
        return self.state.wanted_instance > self.state.instances

    # The log.

    def apply(self, apply: Apply) -> None:
        self.applied = apply.slot
        counts = False
        for command in apply.batch:
            counts |= command == NULL or self._apply_command(command)
        if counts:
            self.state.instances += 1
            if self.process.instances:
                self._step_process(InstanceEnded(self.state.instances))
        for source in self._heard:
            self.acknowledge(source)
        self._heard.clear()
        if self._intake.leading and self.applied > self._next_look:
            self._forget_clients()

    def _apply_command(self, command: bytes) -> bool:
        """Whether it makes an instance of its slot, which what bypassed the log does not."""
        event, bypass = self._codec.decode(command)
        self._intake.applied(event, bypass)
        kind = type(event)
        if kind is Received:
            self._hear_about(event.message)  # type: ignore[attr-defined]
            self._apply_received(event, bypass)  # type: ignore[arg-type]
            return not bypass
        if kind is Submitted:
            self._apply_submitted(event)  # type: ignore[arg-type]
        elif kind is ClientExpired:
            if self.state.clients.expire(event):  # type: ignore[arg-type]
                self._step_process(event)
        else:
            if kind is Decided:
                self._hear_about(event.item)  # type: ignore[attr-defined]
                self.state.wanted.pop(command, None)
            self._step_process(event)
        return True

    def _apply_received(self, received: Received, bypass: int) -> None:
        self._heard[received.source] = None
        if not bypass:
            self._step_process(received)
            return
        logged = self.state.bypassing_from(received.source).logged
        if bypass not in logged:
            logged.add(bypass)
            self.bypass_log(received, bypass)

    # Clients.

    def _apply_submitted(self, submitted: Submitted) -> None:
        clients = self.state.clients
        if not clients.is_forgotten(submitted):
            clients.submit(submitted, self.applied)
            self._step_process(submitted)
        elif self._intake.leading:
            self._outlet.emit(Forgotten(submitted.multicast.id.client))

    def _hear_about(self, message: Message) -> None:
        for id in message.about():
            self.state.clients.note(id.client, self.applied)

    def _forget_clients(self) -> None:
        """Those that are silent, unless another group has still to hear of their messages."""
        self._next_look = self.applied + self._expire_after // LOOKS
        silent = list(self.state.clients.silent_before(self.applied - self._expire_after))
        needed = self.state.clients_in_outbox() if silent else {}
        for expired in silent:
            if expired.client not in needed:
                self._intake.offer(expired)

    # The process.

    def _step_process(self, event: Event) -> None:
        for effect in self.process.step(event):
            if type(effect) is Send:
                self.transmitter.send(effect.target, effect.number, effect.message)
            elif type(effect) is DeliverEffect:
                self._deliver(effect.multicast)
            else:
                self._do_rare_for_process(effect)

    def _deliver(self, multicast: Multicast) -> None:
        state = self.state
        self._outlet.emit(Deliver(state.delivered, multicast, self._intake.leading))
        state.note_delivery(multicast.id)

    def _do_rare_for_process(self, effect: Effect) -> None:
        match effect:
            case SetTimerEffect(timer, generation, delay_us):
                if self._intake.leading:
                    self._outlet.emit(SetTimer(PROTOCOL + timer, generation, delay_us, 0))
            case ProposeToLog(item):
                self._want(item)
            case TakeBackProposal(item):
                self.state.wanted.pop(self._codec.encode(Decided(item)), None)
            case RequestInstance(number):
                self.state.wanted_instance = max(self.state.wanted_instance, number)
            case RollbackEffect(seq):
                self.state.delivered = seq
                self.state.rollbacks.append(seq)
                self._outlet.emit(Rollback(seq))
            case CancelTimer() | Stall() | Resume():
                """The process ignores stale timers, lets entries wait, and tells that it does."""
            case _:
                raise AssertionError(f"{self.process.group}: no such effect {effect!r}")

    def _want(self, item: Message) -> None:
        """Until it is in the log, every later leader will propose it again."""
        decided = Decided(item)
        self.state.wanted[self._codec.encode(decided)] = None
        if self._intake.leading:
            self._intake.offer(decided)

    # Other groups.

    def bypass_log(self, received: Received, bypass: int) -> None:
        handled = self.state.bypassing_from(received.source).handled
        if bypass not in handled:
            handled.add(bypass)
            self._step_process(received)

    def acknowledge(self, source: GroupId, *, answers: bool = False) -> None:
        if self._intake.leading:
            inbound = self.process.channels.received.get(source)
            numbered = inbound.expected - 1 if inbound else 0
            inbox = self.state.inbox.get(source)
            bypassing = inbox.logged.expected - 1 if inbox else 0
            self.transmitter.acknowledge(source, Ack(numbered, bypassing, answers))

    # Snapshots.

    def snapshot(self) -> bytes:
        """All that a group must not forget."""
        return msgspec.msgpack.encode(GroupSnapshot(self.state, self.process.snapshot()))

    def restore(self, slot: int, snapshot: bytes) -> None:
        found = self._snapshots.decode(snapshot)
        self.applied = slot
        self.state = self.transmitter.state = found.state
        self.process.restore(found.process)
        state = found.state
        if state.last_delivered is not None:
            last, rollbacks = state.last_delivered, tuple(state.rollbacks)
            self._outlet.emit(Restored(state.delivered - 1, last, rollbacks))
