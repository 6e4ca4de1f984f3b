"""What a task of `verify` does: rows of runs in, verdicts of the one-process checker out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from amcast.check import History, check
from amcast.core import InvalidInput
from amcast.lab.verify_rows import COLUMNS, LAYOUT, ROW_BITS, TABLE_BITS
from amcast.lab.verify_runs import Judged
from amcast.traces import TABLES, load

Batches = Iterator[pa.RecordBatch]

RESULT: Final = pa.schema(
    [
        ("run", pa.string()),
        ("property", pa.string()),
        ("verdict", pa.string()),
        ("required", pa.bool_()),
        ("witness", pa.string()),
        ("messages", pa.int64()),
        ("deliveries", pa.int64()),
        # Why the run cannot be judged; then all but `run` is null.
        ("refused", pa.string()),
    ]
)
RESULT_DDL: Final = (
    "run string, property string, verdict string, required boolean, witness string, "
    "messages bigint, deliveries bigint, refused string"
)

TABLE_NAMES: Final = tuple(LAYOUT)

# Rows of one table of one run: the number of the run, the table, the rows.
Piece = tuple[int, str, pa.RecordBatch]


def judge_partition(runs: Sequence[Judged]) -> Callable[[Batches], Batches]:
    """The function for `mapInArrow`; rows name a run by its place in `runs`."""

    def judge(batches: Batches) -> Batches:
        for number, pieces in groupby(_pieces(batches), key=itemgetter(0)):
            yield pa.RecordBatch.from_pylist(_judged(runs[number], pieces), RESULT)

    return judge


def _judged(run: Judged, pieces: Iterable[Piece]) -> list[dict[str, object]]:
    history = History(run.name, run.complete)
    try:
        load(history, _tables(run, pieces))
        verdict = check(history, required=run.promised)
    except InvalidInput as error:
        return [{"run": run.name, "refused": str(error)}]
    return [
        {
            "run": run.name,
            "property": name,
            "verdict": finding.verdict,
            "required": finding.required,
            "witness": finding.witness,
            "messages": verdict.messages,
            "deliveries": verdict.deliveries,
        }
        for name, finding in verdict.properties.items()
    ]


def _tables(run: Judged, pieces: Iterable[Piece]) -> Mapping[str, Iterable[pa.Table]]:
    """Each table as a stream of pieces. They follow each other in the order of loading."""
    rest = iter(pieces)
    held: list[Piece] = []

    def stream(wanted: str) -> Iterator[pa.Table]:
        piece = held.pop() if held else next(rest, None)
        while piece is not None and piece[1] == wanted:
            yield _named(piece[2], wanted)
            piece = next(rest, None)
        held.extend(() if piece is None else (piece,))

    names = [name for name in TABLE_NAMES if name != "packets" or run.has_packets]
    return {name: stream(name) for name in names}


def _pieces(batches: Batches) -> Iterator[Piece]:
    for batch in batches:
        tables = pc.shift_right(batch.column("key"), ROW_BITS)
        ends = pc.run_end_encode(tables)
        start = 0
        for end, code in zip(ends.run_ends.to_pylist(), ends.values.to_pylist(), strict=True):
            number, table = divmod(code, 1 << TABLE_BITS)
            yield number, TABLE_NAMES[table], batch.slice(start, end - start)
            start = end


def _named(rows: pa.RecordBatch, name: str) -> pa.Table:
    """The rows with the columns of their table, none of which is null where it must not be."""
    nullable = {column.name for column in TABLES[name].columns if column.nullable}
    named = {}
    for source, column in zip(LAYOUT[name], COLUMNS, strict=True):
        if source is not None:
            values = rows.column(column)
            if values.null_count and source not in nullable:
                raise InvalidInput(
                    f"{name} has a null in the column {source}: every row needs a value there"
                )
            named[source] = _keys(values) if source == "keys" else values
    return pa.table(named)


def _keys(values: pa.ListArray) -> pa.ListArray:
    """What was null was sent as an empty list, and the others with one element in front."""
    return pc.if_else(pc.equal(pc.list_value_length(values), 0), None, pc.list_slice(values, 1))
