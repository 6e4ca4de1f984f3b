"""What a group remembers beside its process: part of every snapshot."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from amcast.core import ClientId, GroupId, Message, MessageId
from amcast.groups.clients import Clients

M = TypeVar("M", bound=Message)


class Numbers(msgspec.Struct):
    """Which numbers there were, from 1: all below `expected`, and some above."""

    expected: int = 1
    early: dict[int, None] = {}

    def __contains__(self, number: int) -> bool:
        return number < self.expected or number in self.early

    def add(self, number: int) -> None:
        if number != self.expected:
            self.early[number] = None
            return
        self.expected += 1
        while self.expected in self.early:
            del self.early[self.expected]
            self.expected += 1


class Outbound(msgspec.Struct, Generic[M]):
    """What one other group has not acknowledged, by number. Only an acknowledgement removes."""

    numbered: dict[int, M] = {}
    bypassing: dict[int, M] = {}
    # The last number given to a message that bypasses the log.
    bypassed: int = 0


class Bypassing(msgspec.Struct):
    """Messages from one other group that bypass the log on their way in."""

    # Here every replica is on its own; entries of the log give it what it missed.
    handled: Numbers = msgspec.field(default_factory=Numbers)
    logged: Numbers = msgspec.field(default_factory=Numbers)


class GroupState(msgspec.Struct, Generic[M]):
    """Grows with the log, as the process does."""

    delivered: int = 0
    last_delivered: MessageId | None = None
    # Where each rollback began: one for each time that the group was left out.
    rollbacks: list[int] = []
    outbox: dict[GroupId, Outbound[M]] = {}
    inbox: dict[GroupId, Bypassing] = {}
    # Commands that the process proposed and that are not in the log yet.
    wanted: dict[bytes, None] = {}
    # Slots of the log that count as instances for the process, and how many it asked for.
    instances: int = 0
    wanted_instance: int = 0
    clients: Clients = msgspec.field(default_factory=Clients)

    def to(self, group: GroupId) -> Outbound[M]:
        found = self.outbox.get(group)
        if found is None:
            found = self.outbox[group] = Outbound()
        return found

    def bypassing_from(self, group: GroupId) -> Bypassing:
        found = self.inbox.get(group)
        if found is None:
            found = self.inbox[group] = Bypassing()
        return found

    def clients_in_outbox(self) -> dict[ClientId, None]:
        """Whose messages other groups have still to hear of."""
        return {
            id.client: None
            for outbound in self.outbox.values()
            for entries in (outbound.numbered, outbound.bypassing)
            for message in entries.values()
            for id in message.about()
        }

    def note_delivery(self, id: MessageId) -> None:
        self.delivered += 1
        self.last_delivered = id
        self.clients.note_delivery(id)


class GroupSnapshot(msgspec.Struct, Generic[M], array_like=True):
    """A group after some slot of its log."""

    state: GroupState[M]
    process: bytes
