"""What a replica finds on its disk, and what it refuses to find there."""

from __future__ import annotations

import pytest

from amcast.consensus import (
    AcceptRecord,
    Ballot,
    Entry,
    IdentityRecord,
    InstallSnapshot,
    Persist,
    PromiseRecord,
    Proposed,
    Record,
    Replica,
    Settings,
    Snapshot,
    SnapshotRecord,
    Sync,
)
from amcast.core import InvalidInput
from tests.consensus.disk import Disk
from tests.consensus.trio import Trio


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"size": 2}, "a group of 2 replicas: use 1, 3, 5 or 7"),
        ({"size": 3, "me": -1}, "ids run from 0 up"),
        ({"size": 3, "queue_max": 0}, "at least 1"),
        ({"size": 3, "window": 0}, "at least 1"),
        ({"size": 3, "batch_max": 0}, "at least 1"),
        ({"size": 3, "heartbeat_us": 100, "election_us": 100}, "must exceed"),
        ({"size": 3, "entries_kept": -1}, "at least 0"),
        ({"size": 3, "election_spread_us": -1}, "at least 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, int], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Settings(**{"me": 0, **settings})


def test_empty_disk_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"empty.*new id"):
        Replica.recover(Settings(me=1, size=3), [])


@pytest.mark.parametrize(
    "records",
    [
        [IdentityRecord(2, 3)],
        [IdentityRecord(1, 5)],
        [PromiseRecord(Ballot(1, 1))],
        [IdentityRecord(1, 3), IdentityRecord(1, 3)],
    ],
)
def test_foreign_disk_is_refused(records: list[Record]) -> None:
    with pytest.raises(InvalidInput, match="storage"):
        Replica.recover(Settings(me=1, size=3), records)


def test_identity_is_durable_before_anything_else() -> None:
    first = Trio().effects[0][:2]
    assert first == [Persist(IdentityRecord(0, 3)), Sync()]


def test_compaction_keeps_the_highest_promise_and_the_newest_snapshot() -> None:
    vote = AcceptRecord(Entry(4, Ballot(2, 0), (b"d",)))
    newest = SnapshotRecord(Snapshot(3, Ballot(9, 1), b"new", (0, 1, 2), 3))
    records: list[Record] = [
        IdentityRecord(0, 3),
        PromiseRecord(Ballot(1, 0)),
        AcceptRecord(Entry(3, Ballot(5, 1), (b"c",))),
        SnapshotRecord(Snapshot(2, Ballot(1, 1), b"old", (0, 1, 2), 3)),
        newest,
        vote,
    ]
    disk = Disk()
    for record in records:
        disk.persist(record)
    disk.sync(len(records))
    for _ in range(2):
        disk.truncate(3)
        kept = [IdentityRecord(0, 3), PromiseRecord(Ballot(5, 1)), vote, newest]
        assert disk.records() == kept


def test_recovered_replica_keeps_promises_votes_and_snapshot() -> None:
    trio = Trio(snapshot_every=2, entries_kept=0)
    trio.elect(0)
    for command in (b"a", b"b", b"c"):
        trio.step(0, Proposed((command,)))
        trio.settle()
    before = trio.replicas[0].memory
    trio.restart(0)
    after = trio.replicas[0].memory
    assert (after.promised, after.log, after.snapshot) == (
        before.promised,
        before.log,
        before.snapshot,
    )
    assert after.leadership is None
    assert after.commit == before.snapshot.slot == 2
    assert trio.found(0, InstallSnapshot) == [InstallSnapshot(2, b"state after 2")]
