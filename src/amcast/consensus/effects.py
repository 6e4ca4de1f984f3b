"""What one replica can ask for.

A driver carries the effects of a step out in list order, and the steps in order, with one
freedom: what stands behind a `Sync` waits until all that was persisted before it is
durable, and what later steps ask for need not wait for that. So an application never
waits for the disk, and votes always do.
"""

from __future__ import annotations

import msgspec

from amcast.consensus.messages import Message
from amcast.consensus.records import Record
from amcast.consensus.values import Ballot, Batch, Members, ReplicaId, Slot


class Effect(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Base of all effects."""


class Send(Effect, frozen=True):
    """Send to a replica. What goes to oneself comes back as an event and is never lost."""

    target: ReplicaId
    message: Message


class Persist(Effect, frozen=True):
    """Append `record` to the storage. It is durable after the next `Sync`, not before."""

    record: Record


class Sync(Effect, frozen=True):
    """Wait: all that was persisted so far must be durable before what follows in this list."""


class Truncate(Effect, frozen=True):
    """Accepted entries up to `slot`, and all snapshots but the newest, may be forgotten."""

    slot: Slot


class Apply(Effect, frozen=True):
    """`slot` is chosen. Slots come in order, without gaps, from the one after the snapshot."""

    slot: Slot
    batch: Batch


class TakeSnapshot(Effect, frozen=True):
    """Answer with `SnapshotTaken`: the application's state now, after `slot`."""

    slot: Slot


class InstallSnapshot(Effect, frozen=True):
    """The application's state becomes `state`, which is that after `slot`."""

    slot: Slot
    state: bytes


class SetTimer(Effect, frozen=True):
    """(Re)start a timer of `delay_us` and a random part, drawn by the driver, to `spread_us`."""

    timer: str
    generation: int
    delay_us: int
    spread_us: int


class BecameLeader(Effect, frozen=True):
    """From here on this replica takes proposals. What it re-proposes may not be applied yet."""

    ballot: Ballot


class SteppedDown(Effect, frozen=True):
    """No longer leader. What was proposed and not yet applied may or may not be chosen."""


class Refused(Effect, frozen=True):
    """These were not proposed; try `leader`, or wait if it is None."""

    commands: Batch
    leader: ReplicaId | None


class MembersChanged(Effect, frozen=True):
    """From the slot after `slot` on these are the group, and the disk here says so.

    It waits for the disk, so two of them may change places: the highest slot counts. A
    removed replica still teaches those who have not heard. It may be switched off once more
    than half of the new members have said this.
    """

    members: Members
    slot: Slot


class ChangeRefused(Effect, frozen=True):
    """The change of members was not proposed, for `reason`; `leader` may take it."""

    reason: str
    leader: ReplicaId | None


class ReadReady(Effect, frozen=True):
    """The state as it is now reflects all that was chosen before the read was requested."""

    read: int


class ReadRefused(Effect, frozen=True):
    """No safe read here; try `leader`, or wait if it is None."""

    read: int
    leader: ReplicaId | None
