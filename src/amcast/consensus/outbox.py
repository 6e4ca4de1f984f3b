"""Collects the effects of one step: what may be done at once, and what must wait for the disk."""

from __future__ import annotations

from amcast.consensus.effects import Effect, Persist, Send, Sync
from amcast.consensus.messages import Message
from amcast.consensus.records import Record
from amcast.consensus.values import ReplicaId

SYNC = Sync()


class Outbox:
    """At most one `Sync` a step, behind everything that the step persists."""

    def __init__(self) -> None:
        self._at_once: list[Effect] = []
        self._after_sync: list[Effect] = []

    def emit(self, effect: Effect) -> None:
        self._at_once.append(effect)

    def emit_after_sync(self, effect: Effect) -> None:
        self._after_sync.append(effect)

    def send(self, target: ReplicaId, message: Message) -> None:
        self._at_once.append(Send(target, message))

    def send_after_sync(self, target: ReplicaId, message: Message) -> None:
        """For what speaks of something durable, be it persisted in this step or before."""
        self._after_sync.append(Send(target, message))

    def persist(self, record: Record) -> None:
        self._at_once.append(Persist(record))

    def drop(self) -> None:
        self._at_once, self._after_sync = [], []

    def take(self) -> list[Effect]:
        effects, waiting = self._at_once, self._after_sync
        self._at_once = []
        if waiting:
            self._after_sync = []
            effects.append(SYNC)
            effects += waiting
        return effects
