"""A replicated group: any process on top of a replicated log, as one process that never fails."""

from amcast.groups.commands import Codec
from amcast.groups.effects import (
    Deliver,
    Forgotten,
    Forward,
    Reply,
    Restored,
    Rollback,
    SendToGroup,
)
from amcast.groups.events import (
    Acknowledged,
    Asked,
    Forwarded,
    FromClient,
    FromGroup,
    Inquired,
    Noticed,
    incoming,
)
from amcast.groups.member import Member
from amcast.groups.packets import Ack, Packet, Question

__all__ = [
    "Ack",
    "Acknowledged",
    "Asked",
    "Codec",
    "Deliver",
    "Forgotten",
    "Forward",
    "Forwarded",
    "FromClient",
    "FromGroup",
    "Inquired",
    "Member",
    "Noticed",
    "Packet",
    "Question",
    "Reply",
    "Restored",
    "Rollback",
    "SendToGroup",
    "incoming",
]
