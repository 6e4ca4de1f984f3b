"""What can happen to one member of a replicated group, beside the events of its log."""

from __future__ import annotations

from amcast.consensus import Event, ReplicaId
from amcast.core import GroupId, MessageId, Submitted, Suspected, Trusted
from amcast.groups.packets import Ack, Packet, Question


class FromClient(Event, frozen=True):
    """A client submits a message, for the first time or again."""

    submitted: Submitted


class Inquired(Event, frozen=True):
    """A client asks whether the group has delivered its message; a reply may have been lost."""

    id: MessageId


class FromGroup(Event, frozen=True):
    """Replica `replica` of group `source` sends something."""

    source: GroupId
    replica: ReplicaId
    packet: Packet


class Acknowledged(Event, frozen=True):
    """Replica `replica` of group `source` tells what stands in that group's log."""

    source: GroupId
    replica: ReplicaId
    ack: Ack


class Asked(Event, frozen=True):
    """Group `source` has waited long for an acknowledgement."""

    source: GroupId


class Forwarded(Event, frozen=True):
    """Another replica of the group takes this one for the leader."""

    commands: tuple[bytes, ...]


class Noticed(Event, frozen=True):
    """The failure detector has something to say."""

    about: Suspected | Trusted


def incoming(source: GroupId, replica: ReplicaId, content: Packet | Ack | Question) -> Event:
    """What it is to whoever receives it."""
    if type(content) is Packet:
        return FromGroup(source, replica, content)
    if type(content) is Ack:
        return Acknowledged(source, replica, content)
    return Asked(source)
