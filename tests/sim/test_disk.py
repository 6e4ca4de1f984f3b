"""The simulated disk keeps what was synced, and no more than that."""

from __future__ import annotations

from amcast.consensus import AcceptRecord, Ballot, Entry, IdentityRecord, Snapshot, SnapshotRecord
from amcast.sim.disk import Disk


def vote(slot: int) -> AcceptRecord:
    return AcceptRecord(Entry(slot, Ballot(1, 0), ()))


def test_sync_covers_no_record_that_came_after_it_began() -> None:
    disk = Disk()
    snapshot = SnapshotRecord(Snapshot(8, Ballot(1, 0), b"", (0, 1, 2), 3))
    for record in (IdentityRecord(0, 3), *map(vote, range(1, 9)), snapshot):
        disk.append(record)
    disk.sync(disk.mark())
    disk.append(vote(9))
    mark = disk.mark()
    disk.truncate(8)
    disk.append(vote(10))
    assert len(disk.records) - disk.synced == 2
    disk.sync(mark)
    assert disk.records[disk.synced :] == [vote(10)]
    disk.sync(disk.mark())
    assert disk.records[disk.synced :] == []
