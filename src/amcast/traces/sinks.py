"""Rows on their way into a Parquet file: gathered as tuples, written in batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from amcast.core import GroupId, MessageId
from amcast.traces.schema import TABLES, TEXT

BATCH_ROWS = 50_000

# Those optional columns that our own runs fill.
OPTIONAL_COLUMNS = {
    "runs": ("drained",),
    "multicasts": ("home", "keys"),
    "faults": ("peer", "seq"),
    "packets": ("payload", "history_bytes"),
}

# A dictionary of values that hardly repeat costs time and space.
HARDLY_REPEATED = {"msg", "seq", "at_us", "sent_us", "received_us"}

US_PER_SECOND = 1_000_000

# Packets are written down out of order, by at most this much in any sane run.
LATE_SECONDS = 60

Ends = tuple[GroupId | None, GroupId | None, str]


class Sink:
    """One table of one run. `cells` are the values of row after row, without the run.

    One flat list, because a tuple a row would keep the garbage collector busy.
    """

    def __init__(self, directory: Path, table: str, run: str) -> None:
        self.cells: list[Any] = []
        self._run = pa.scalar(run, TEXT)
        self._schema = TABLES[table].schema(*OPTIONAL_COLUMNS.get(table, ()))
        self._width = len(self._schema) - 1
        self.limit = BATCH_ROWS * self._width
        repeated = [name for name in self._schema.names if name not in HARDLY_REPEATED]
        self._file = pq.ParquetWriter(
            directory / f"{table}.parquet",
            self._schema,
            compression="zstd",
            use_dictionary=repeated,
        )

    def add(self, *cells: object) -> None:
        """Add one row."""
        self.cells += cells
        if len(self.cells) >= self.limit:
            self.flush()

    def flush(self) -> None:
        """Write the gathered rows. The list stays the same object: callers keep it at hand."""
        if not self.cells:
            return
        arrays = [pa.repeat(self._run, len(self.cells) // self._width)]
        for position, field in enumerate(list(self._schema)[1:]):
            arrays.append(_array(field, self.cells[position :: self._width]))
        self._file.write_batch(pa.record_batch(arrays, schema=self._schema))
        self.cells.clear()

    def close(self) -> None:
        self.flush()
        self._file.close()

    def abandon(self) -> None:
        """Close the file without caring for what is in it."""
        self.cells.clear()
        with suppress(OSError, pa.ArrowException):
            self._file.close()


class Traffic:
    """Packets and bytes per ends, kind and second, for runs too long to keep every packet.

    A second is written when it is long over, so memory does not grow with the run. A
    packet later than that gets a second row: rows of the same second are to be added up.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._seconds: dict[int, dict[Ends, list[int]]] = {}
        self._second = -1
        self._counts: dict[Ends, list[int]] = {}

    def add(self, ends: Ends, sent_us: int, size: int) -> None:
        second = sent_us // US_PER_SECOND
        if second != self._second:
            self._turn_to(second)
        count = self._counts.get(ends)
        if count is None:
            self._counts[ends] = [1, size]
        else:
            count[0] += 1
            count[1] += size

    def _turn_to(self, second: int) -> None:
        self._second = second
        if second not in self._seconds:
            self._seconds[second] = {}
            newest = max(self._seconds)
            self._write(sorted(old for old in self._seconds if old < newest - LATE_SECONDS))
        # A packet so late that its second is written already opens it again.
        self._counts = self._seconds.setdefault(second, {})

    def _write(self, seconds: Iterable[int]) -> None:
        for second in seconds:
            for ends, (packets, size) in self._seconds.pop(second).items():
                self._sink.add(*ends, second, packets, size)

    def finish(self) -> None:
        self._write(sorted(self._seconds))


def _array(field: pa.Field, values: Sequence[Any]) -> pa.Array:
    if field.name == "msg":
        return pa.array([f"{client}:{seq}" for client, seq in values], TEXT)
    if field.name == "msgs":
        return _id_lists(values)
    return pa.array(values, field.type)


def _id_lists(values: Sequence[tuple[MessageId, ...]]) -> pa.Array:
    # A flat array with offsets is several times faster to make than one of Python lists.
    flat = [f"{client}:{seq}" for ids in values for client, seq in ids]
    offsets = accumulate(map(len, values), initial=0)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat, TEXT))
