"""The rows that a checker needs, of all tables, brought together run by run and in order.

All tables become one stream with the columns of `COLUMNS`. Within a run, rows come table by
table in the order in which a history is loaded, and within a table in the order of its files:
which of two contradicting rows comes first decides what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heapify, heapreplace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from amcast.core import InvalidInput
from amcast.lab.verify_runs import Judged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# Table -> its columns for each of `COLUMNS`; None where it has nothing to say.
LAYOUT: Final[Mapping[str, tuple[str | None, ...]]] = {
    "processes": ("process", "group", None, None, None, None, None),
    "multicasts": ("sender", "home", "msg", "dst", "keys", None, "at_us"),
    "deliveries": ("process", "group", "msg", None, None, "seq", "at_us"),
    "faults": ("process", "kind", None, None, None, "seq", "at_us"),
    "packets": ("source_group", "target_group", None, "msgs", None, None, None),
}
TEXTS: Final = "array<string>"
COLUMNS: Final = {
    "name": "string",
    "place": "string",
    "msg": "string",
    "list": TEXTS,
    "keys": TEXTS,
    "seq": "bigint",
    "at_us": "bigint",
}

# `key` holds the number of the run, of the table, and of the row where that is enough to order.
TABLE_BITS: Final = 3
ROW_BITS: Final = 41

# Enough runs in a task that it is worth starting it, and few enough to balance.
ROWS_PER_TASK: Final = 1_000_000
TASKS_PER_CORE: Final = 3


@dataclass
class Size:
    """How many rows of a run there are."""

    rows: int = 0
    multicasts: int = 0
    deliveries: int = 0
    # Whether each table has them in one file, where a row's number orders it.
    in_one_file: bool = True


def run_sizes(tables: Mapping[str, DataFrame]) -> dict[str, Size]:
    """The size of every run that has rows, listed or not."""
    from pyspark.sql import functions as F

    counts = []
    for name in LAYOUT:
        if name in tables:
            rows = tables[name].select("run", *_row_and_file(tables[name]))
            spread = F.min("file").isNull() | (F.min("file") != F.max("file"))
            counts.append(rows.groupBy("run").agg(F.lit(name), F.count("*"), spread))
    sizes: dict[str, Size] = {}
    for run, name, count, is_spread in reduce(lambda one, next: one.union(next), counts).collect():
        if run is None:
            raise InvalidInput(
                f"the trace holds a null in the column run of {name}: every row needs a value there"
            )
        size = sizes.setdefault(run, Size())
        size.rows += count
        size.in_one_file &= not is_spread
        if name == "multicasts":
            size.multicasts = count
        elif name == "deliveries":
            size.deliveries = count
    return sizes


def bring_together(
    spark: SparkSession,
    tables: Mapping[str, DataFrame],
    runs: Sequence[Judged],
    sizes: Mapping[str, Size],
) -> DataFrame:
    """All rows of the runs: the rows of a run in one partition, in order."""
    from pyspark.sql import functions as F

    weights = [sizes[run.name].rows for run in runs]
    tasks = _tasks(len(runs), sum(weights), spark.sparkContext.defaultParallelism)
    columns = {
        "run": [run.name for run in runs],
        "number": list(range(len(runs))),
        "task": pa.array(_balanced(weights, tasks), pa.int32()),
    }
    numbered = F.broadcast(spark.createDataFrame(pa.table(columns)))
    in_one_file = all(sizes[run.name].in_one_file for run in runs)
    streams = [
        _stream(tables[name], name, at, numbered, in_one_file)
        for at, name in enumerate(LAYOUT)
        if name in tables
    ]
    rows = reduce(lambda one, next: one.union(next), streams)
    order = ("key",) if in_one_file else ("key", "file", "row")
    return rows.repartitionById(tasks, "task").sortWithinPartitions(*order)


def _stream(
    frame: DataFrame, name: str, table: int, numbered: DataFrame, in_one_file: bool
) -> DataFrame:
    """One table with the columns that all tables have."""
    from pyspark.sql import functions as F

    cells = [
        _cell(source, kind).alias(column)
        for source, (column, kind) in zip(LAYOUT[name], COLUMNS.items(), strict=True)
    ]
    rows = frame.select("run", *_row_and_file(frame), *cells).join(numbered, "run")
    key = F.shiftleft(F.shiftleft(F.col("number"), TABLE_BITS) + table, ROW_BITS)
    if in_one_file:
        return rows.select("task", (key + F.col("row")).alias("key"), *COLUMNS)
    return rows.select("task", key.alias("key"), "file", "row", *COLUMNS)


def _cell(source: str | None, kind: str) -> Column:
    """One column of the stream. A null list takes Spark a long time to hand over, so there is none.

    Only keys may be null: theirs is a list without elements, and all others get one in front.
    """
    from pyspark.sql import functions as F

    nothing = F.lit(None) if kind != TEXTS else F.array()
    if source is None:
        return nothing.cast(kind)
    values = F.col(f"`{source}`").cast(kind)
    if source == "keys":
        values = F.concat(F.array(F.lit("")), values)
    return values if kind != TEXTS else F.coalesce(values, nothing.cast(kind))


def _row_and_file(frame: DataFrame) -> tuple[Column, Column]:
    """What orders the rows of a table: where they are in which file, or how they came."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    try:
        frame.select("_metadata.row_index")
    except AnalysisException:
        return F.monotonically_increasing_id().alias("row"), F.lit(None).cast("string").alias(
            "file"
        )
    return F.col("_metadata.row_index").alias("row"), F.col("_metadata.file_path").alias("file")


def _tasks(runs: int, rows: int, cores: int) -> int:
    return min(runs, max(TASKS_PER_CORE * cores, rows // ROWS_PER_TASK))


def _balanced(weights: Sequence[int], tasks: int) -> list[int]:
    """The task of each run: the heaviest first, each to the task that has least to do."""
    load = [(0, task) for task in range(tasks)]
    heapify(load)
    chosen = [0] * len(weights)
    for at in sorted(range(len(weights)), key=lambda at: -weights[at]):
        least, task = load[0]
        chosen[at] = task
        heapreplace(load, (least + weights[at], task))
    return chosen
