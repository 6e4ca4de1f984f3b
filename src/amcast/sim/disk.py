"""A simulated disk: a crash loses what was not synced, or part of it, and tears the last record.

Records stay as they are; only how many of them survive is decided here. A record that was cut
in two fails its checksum when it is read, so that tearing one is the same as losing it.
"""

from __future__ import annotations

from random import Random

from amcast.consensus import Record, compact


class Disk:
    """An append-only file and the operating system's buffer in front of it."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.synced = 0
        # By how many records truncation has made the file shorter.
        self.shortened = 0
        self.syncs = 0
        self.failing = False

    def append(self, record: Record) -> None:
        self.records.append(record)

    def mark(self) -> int:
        """What a sync that starts now will make durable, whatever is forgotten meanwhile."""
        return self.shortened + len(self.records)

    def sync(self, mark: int) -> None:
        self.syncs += 1
        self.synced = max(self.synced, min(mark - self.shortened, len(self.records)))

    def truncate(self, slot: int) -> None:
        """Forget what a durable snapshot has made needless. What is not synced stays behind it."""
        unsynced = self.records[self.synced :]
        self.records = compact(self.records[: self.synced], slot)
        self.shortened += self.synced - len(self.records)
        self.synced = len(self.records)
        self.records += unsynced

    def crash(self, random: Random) -> None:
        """Of what was not synced, any part from the front may have reached the disk."""
        kept = random.choice((self.synced, random.randint(self.synced, len(self.records))))
        del self.records[kept:]
        self.synced = kept
        self.failing = False

    def wipe(self) -> None:
        self.records = []
        self.synced = 0
        self.failing = False
