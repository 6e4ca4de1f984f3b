"""The rows of a run on their way into a history, a column at a time.

Says the same as adding row after row, in a fraction of the time: Arrow looks messages up,
and what a process delivered is copied as a block.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from amcast.check import History
from amcast.core import InvalidInput
from amcast.traces.columns import encoded, one_chunk, shared_texts, shared_tuples
from amcast.traces.schema import BIGINT, TEXT

# Enough that looking up is not repeated too often, and little enough for any memory.
ROWS_AT_ONCE = 4_000_000

# The columns that a history is made of.
LOADED: Mapping[str, tuple[str, ...]] = {
    "processes": ("process", "group"),
    "multicasts": ("msg", "sender", "dst", "at_us", "home", "keys"),
    "deliveries": ("process", "group", "seq", "msg", "at_us"),
    "faults": ("process", "kind", "at_us", "seq"),
    "packets": ("source_group", "target_group", "msgs"),
}


def load(history: History, tables: Mapping[str, Iterable[pa.Table]]) -> None:
    """Fill an empty history from the tables of `LOADED` that a run has, in pieces, in order."""
    loader = _Loader(history)
    for rows in _blocks(tables.get("processes", ())):
        loader.processes(rows)
    known = {log.group for log in history.logs.values()}
    for rows in _blocks(tables.get("multicasts", ())):
        loader.multicasts(rows)
    for rows in _blocks(tables.get("deliveries", ())):
        loader.deliveries(rows)
    if known:
        _refuse_unknown_groups(history, known)
    for rows in _blocks(tables.get("faults", ())):
        loader.faults(rows)
    # No rows are not the same as no table: then there were no packets, and that is known.
    history.has_packets = "packets" in tables
    for rows in _blocks(tables.get("packets", ())):
        loader.packets(rows)
    # What is freed stays with Arrow otherwise, and the checker needs memory, too.
    pa.default_memory_pool().release_unused()


class _Loader:
    """Fills `history`; each method takes rows of one table of one run, in their order."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._ids: pa.Array | None = None

    def processes(self, rows: pa.Table) -> None:
        columns = (rows["process"].to_pylist(), rows["group"].to_pylist())
        for process, group in zip(*columns, strict=True):
            self._history.add_process(process, group)

    def multicasts(self, rows: pa.Table) -> None:
        self._history.load_multicasts(
            rows["msg"].to_pylist(),
            shared_texts(rows["sender"]),
            shared_tuples(rows["dst"]),
            _array(rows["at_us"]),
            shared_texts(_optional(rows, "home", TEXT)),
            shared_tuples(_optional(rows, "keys", rows["dst"].type)),
        )

    def deliveries(self, rows: pa.Table) -> None:
        processes, groups = encoded(rows["process"]), encoded(rows["group"])
        columns = (rows["seq"], self._numbers_of(rows["msg"]), rows["at_us"])
        for process, group, seqs, numbers, times in _split(processes, groups, None, columns):
            self._history.load_deliveries(process, group, seqs, numbers, times)

    def faults(self, rows: pa.Table) -> None:
        columns = [rows[name].to_pylist() for name in ("process", "kind", "at_us")]
        for row in zip(*columns, _optional(rows, "seq", BIGINT).to_pylist(), strict=True):
            self._history.add_fault(*row)

    def packets(self, rows: pa.Table) -> None:
        sources, targets = encoded(rows["source_group"]), encoded(rows["target_group"])
        lists = one_chunk(rows["msgs"])
        parents = pc.list_parent_indices(lists)
        columns = (self._numbers_of(pc.list_flatten(lists)),)
        for source, target, numbers in _split(sources, targets, parents, columns):
            self._history.load_packets(source, target, numbers)

    def _numbers_of(self, msgs: pa.Array | pa.ChunkedArray) -> pa.Array:
        """The number of each message; one that nobody multicast gets one now."""
        if self._ids is None:
            self._ids = pa.array(self._history.ids, TEXT)
        msgs = one_chunk(msgs)
        found = pc.index_in(msgs, value_set=self._ids)
        if found.null_count:
            strangers = found.is_null()
            named = [self._history.number_of(msg) for msg in msgs.filter(strangers).to_pylist()]
            found = pc.replace_with_mask(found, strangers, pa.array(named, found.type))
        return found


def _blocks(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in few large tables."""
    gathered: list[pa.Table] = []
    rows = 0
    for piece in pieces:
        gathered.append(piece)
        rows += piece.num_rows
        if rows >= ROWS_AT_ONCE:
            yield pa.concat_tables(gathered, promote_options="default")
            gathered, rows = [], 0
    if rows:
        yield pa.concat_tables(gathered, promote_options="default")


def _split(
    first: pa.DictionaryArray,
    second: pa.DictionaryArray,
    rows: pa.Array | None,
    columns: Iterable[pa.Array | pa.ChunkedArray],
) -> Iterator[tuple[Any, ...]]:
    """Each pair of two names, in the order of appearance, with its values of the columns.

    `rows` says which row of the names each value belongs to, if not its own.
    """
    width = len(second.dictionary)
    pairs = pc.add(pc.multiply(first.indices.cast(BIGINT), width), second.indices)
    pairs = pairs if rows is None else pairs.take(rows)
    order = pc.sort_indices(pairs)  # stable
    arrays = [_array(column.take(order)) for column in columns]
    ends: dict[int, slice] = {}
    start = 0
    for pair, count in sorted(_counts(pairs)):
        ends[pair] = slice(start, start + count)
        start += count
    for pair in pairs.unique().to_pylist():
        names = divmod(pair, width)
        yield (
            first.dictionary[names[0]].as_py(),
            second.dictionary[names[1]].as_py(),
            *(values[ends[pair]] for values in arrays),
        )


def _counts(values: pa.Array) -> list[tuple[int, int]]:
    counted = values.value_counts()
    return list(zip(*(counted.field(i).to_pylist() for i in range(2)), strict=True))


def _array(values: pa.Array | pa.ChunkedArray) -> array[int]:
    """Integers without nulls as a Python array."""
    column = one_chunk(values).cast(BIGINT)
    result = array("q")
    size = result.itemsize
    start = column.offset * size
    if len(column):
        result.frombytes(memoryview(column.buffers()[1])[start : start + len(column) * size])
    return result


def _optional(rows: pa.Table, name: str, kind: pa.DataType) -> pa.ChunkedArray:
    if name in rows.column_names:
        return rows[name]
    return pa.chunked_array([pa.nulls(rows.num_rows, kind)])


def _refuse_unknown_groups(history: History, known: set[str]) -> None:
    """Refuse groups that the run's `processes` do not have: most likely a misspelt name."""
    for log in history.logs.values():
        if log.group not in known:
            raise InvalidInput(
                f"process {log.process} delivers in group {log.group}, which has no row in "
                "processes: add its processes there"
            )
    for dst in dict.fromkeys(history.dst):
        for group in dst:
            if group not in known:
                msg = history.ids[history.dst.index(dst)]
                raise InvalidInput(
                    f"message {msg} is multicast to group {group}, which has no row in "
                    "processes: add its processes there"
                )
