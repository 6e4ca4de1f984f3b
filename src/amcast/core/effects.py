"""What a group can ask for. The driver carries these out in list order."""

from __future__ import annotations

import msgspec

from amcast.core.ids import GroupId, Message, Multicast


class Effect(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Base of all effects."""


class Send(Effect, frozen=True):
    """Send `message` to another group, as the `number`-th on that channel.

    Number 0 stands for a message that bypasses the log and so cannot be numbered.
    """

    target: GroupId
    number: int
    message: Message


class Deliver(Effect, frozen=True):
    """Hand `multicast` to the application."""

    multicast: Multicast


class Rollback(Effect, frozen=True):
    """Take back all deliveries from the `seq`-th of this group on, counted from 0.

    In the same step at least as many others take their place.
    """

    seq: int


class SetTimer(Effect, frozen=True):
    """(Re)start a timer; the driver answers with its name and generation."""

    timer: str
    generation: int
    delay_us: int


class CancelTimer(Effect, frozen=True):
    """Forget a timer, if it is running."""

    timer: str


class ProposeToLog(Effect, frozen=True):
    """Ask that `item` be decided in this group's own log."""

    item: Message


class TakeBackProposal(Effect, frozen=True):
    """`item` need not be decided any more. It may still be."""

    item: Message


class RequestInstance(Effect, frozen=True):
    """Ask that the own log get as far as instance `number`, with empty ones if need be."""

    number: int


class Stall(Effect, frozen=True):
    """No log entry takes effect until `Resume`: it is wise not to decide more meanwhile."""


class Resume(Effect, frozen=True):
    """Go on applying log entries."""
