"""What a replica writes to its disk, and how it finds itself again after a crash.

The storage is a log of records: a crash keeps all that was synced and any part of the rest
up to some point. A record that is cut in two is the driver's to recognise and to drop. A
replica must find every record that it synced: one that has lost its disk has forgotten
its promises and its votes, so under its old id it could help to choose a second value.
It is refused; a wiped machine needs a new id, which is a change of membership.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from amcast.consensus.values import (
    NO_BALLOT,
    Ballot,
    Entry,
    Settings,
    Slot,
    Snapshot,
)
from amcast.core import InvalidInput


class Record(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Base of what is persisted."""


class IdentityRecord(Record, frozen=True):
    """Whose disk this is. The first record; a disk without it is empty or foreign."""

    replica: int
    size: int


class PromiseRecord(Record, frozen=True):
    ballot: Ballot


class AcceptRecord(Record, frozen=True):
    """A vote. It implies the promise of its ballot."""

    entry: Entry


class SnapshotRecord(Record, frozen=True):
    snapshot: Snapshot


class ChosenRecord(Record, frozen=True):
    """All up to `slot` is chosen, as it was accepted here.

    Written only where a change of members is applied: the old members may be gone for good, so
    a restart must not bring this replica back to them.
    """

    slot: Slot


AnyRecord = IdentityRecord | PromiseRecord | AcceptRecord | SnapshotRecord | ChosenRecord


class Durable(msgspec.Struct):
    """What the records amount to."""

    snapshot: Snapshot
    promised: Ballot = NO_BALLOT
    accepted: dict[Slot, Entry] = {}
    chosen: Slot = 0


def read_back(settings: Settings, records: Sequence[Record]) -> Durable:
    """The state that `records` describe; refused unless they are this replica's own."""
    _check_identity(settings, records)
    durable = Durable(settings.first_snapshot)
    for record in records[1:]:
        match record:
            case PromiseRecord(ballot):
                durable.promised = max(durable.promised, ballot)
            case AcceptRecord(entry):
                durable.promised = max(durable.promised, entry.ballot)
                durable.accepted[entry.slot] = entry
            case SnapshotRecord(snapshot):
                durable.promised = max(durable.promised, snapshot.ballot)
                durable.snapshot = max(durable.snapshot, snapshot, key=lambda found: found.slot)
            case ChosenRecord(slot):
                durable.chosen = max(durable.chosen, slot)
            case _:
                raise InvalidInput(f"the storage of replica {settings.me} holds {record!r}")
    base = durable.snapshot.slot
    durable.accepted = {slot: entry for slot, entry in durable.accepted.items() if slot > base}
    return durable


def _check_identity(settings: Settings, records: Sequence[Record]) -> None:
    if not records:
        raise InvalidInput(
            f"the storage of replica {settings.me} is empty: a replica that lost its disk must "
            "not rejoin under its old id, for it has forgotten its votes; give it a new id"
        )
    wanted = IdentityRecord(settings.me, settings.size)
    if records[0] != wanted:
        raise InvalidInput(f"this storage is of {records[0]!r}, not of {wanted!r}")


def compact(records: Sequence[Record], truncated: Slot) -> list[Record]:
    """The records that still matter after `Truncate(truncated)`, in their order."""
    promises = [record for record in records if isinstance(record, PromiseRecord)]
    snapshots = [record for record in records if isinstance(record, SnapshotRecord)]
    kept: list[Record] = []
    # The highest promise stands first: an accept that is dropped may have implied it.
    ballots = [record.ballot for record in promises]
    ballots += [record.entry.ballot for record in records if isinstance(record, AcceptRecord)]
    for record in records:
        match record:
            case IdentityRecord():
                kept.append(record)
                kept.extend([PromiseRecord(max(ballots))] if ballots else [])
            case AcceptRecord(entry) if entry.slot > truncated:
                kept.append(record)
            case ChosenRecord(slot) if slot > truncated:
                kept.append(record)
    newest = max(snapshots, key=lambda record: record.snapshot.slot, default=None)
    return kept if newest is None else [*kept, newest]
