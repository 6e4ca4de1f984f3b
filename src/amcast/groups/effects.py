"""What one member of a replicated group can ask for, beside the effects of its log."""

from __future__ import annotations

from amcast.consensus import Effect, ReplicaId
from amcast.core import GroupId, MessageId, Multicast
from amcast.groups.packets import Ack, Packet, Question


class SendToGroup(Effect, frozen=True):
    """Send to one replica of another group, or with None to all of them."""

    target: GroupId
    replica: ReplicaId | None
    content: Packet | Ack | Question


class Forward(Effect, frozen=True):
    """Hand these over to the replica that leads this group."""

    replica: ReplicaId
    commands: tuple[bytes, ...]


class Deliver(Effect, frozen=True):
    """Hand `multicast` to the application, as number `seq` of this group, from 0.

    After a restart numbers come again, with the same messages. `reply` says whether
    this replica is the one that tells the client.
    """

    seq: int
    multicast: Multicast
    reply: bool


class Restored(Effect, frozen=True):
    """The application's state becomes that of a snapshot, in which `last` is the last delivery.

    `rollbacks` is where each rollback that the snapshot contains began.
    """

    seq: int
    last: MessageId
    rollbacks: tuple[int, ...] = ()


class Reply(Effect, frozen=True):
    """Tell the client, which asked, that its message was delivered."""

    client: str
    seq: int


class Forgotten(Effect, frozen=True):
    """Tell the client that this group takes nothing new of it: it may go on under a new id.

    What it has no reply for may have been delivered or not.
    """

    client: str


class Rollback(Effect, frozen=True):
    """Take back all deliveries from the `seq`-th of this group on; others follow at once."""

    seq: int
