"""A simulated disk: loses what was not synced, and tears the record that it was writing."""

from __future__ import annotations

import struct
import zlib
from random import Random

import msgspec

from amcast.consensus import AnyRecord, Record, compact

HEADER = struct.Struct("<II")
DECODER = msgspec.msgpack.Decoder(AnyRecord)


def frame(record: Record) -> bytes:
    body = msgspec.msgpack.encode(record)
    return HEADER.pack(len(body), zlib.crc32(body)) + body


def read_frames(data: bytes) -> list[Record]:
    """All records up to the first that is not whole."""
    records: list[Record] = []
    at = 0
    while at + HEADER.size <= len(data):
        length, checksum = HEADER.unpack_from(data, at)
        body = data[at + HEADER.size : at + HEADER.size + length]
        if len(body) < length or zlib.crc32(body) != checksum:
            break
        records.append(DECODER.decode(body))
        at += HEADER.size + length
    return records


class Disk:
    """An append-only file and the operating system's buffer in front of it."""

    def __init__(self) -> None:
        self.durable: list[bytes] = []
        self.buffer: list[bytes] = []
        self.persisted = 0

    def persist(self, record: Record) -> None:
        self.buffer.append(frame(record))
        self.persisted += 1

    def sync(self, mark: int) -> None:
        """All up to the `mark`-th record ever persisted is durable."""
        count = mark - (self.persisted - len(self.buffer))
        if count > 0:
            self.durable += self.buffer[:count]
            del self.buffer[:count]

    def truncate(self, slot: int) -> None:
        kept = compact(read_frames(b"".join(self.durable)), slot)
        self.durable = [frame(record) for record in kept]

    def crash(self, random: Random) -> None:
        """Of the buffer any part, cut anywhere, may have reached the disk."""
        unsynced = b"".join(self.buffer)
        written = unsynced[: random.choice((0, random.randint(0, len(unsynced))))]
        records = read_frames(b"".join(self.durable) + written)
        self.durable = [frame(record) for record in records]
        self.buffer = []
        self.persisted = len(self.durable)

    def records(self) -> list[Record]:
        return read_frames(b"".join(self.durable))
