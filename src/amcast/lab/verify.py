"""Which properties every run of a trace keeps: the stage `verify`.

The one definition of correct is `amcast.check`. Spark brings the rows of each run together, in
their order, and a task per run or per handful of small runs hands them to the checker. Only
what is too long for the memory of one task is first tried another way, by SQL over all
machines (`verify_proof`), which can show that a run is right, never that it is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from amcast.check import PROPERTIES, Finding, History, Verdict, check
from amcast.core import InvalidInput
from amcast.lab.verify_proof import prove
from amcast.lab.verify_rows import Size, bring_together, run_sizes
from amcast.lab.verify_runs import Judged, listed_runs
from amcast.lab.verify_task import RESULT_DDL, judge_partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Deliveries in one run from which on SQL is tried first.
LARGE: Final = 5_000_000

VERDICT_SCHEMA: Final = pa.schema(
    [
        ("run", pa.string()),
        ("property", pa.string()),
        ("verdict", pa.string()),
        ("required", pa.bool_()),
        ("witness", pa.string()),
    ]
)


def verify(
    spark: SparkSession, tables: Mapping[str, DataFrame], *, large: int = LARGE
) -> DataFrame:
    """A row for each run and property: run, property, verdict, required, witness."""
    judged, _ = verdicts(spark, tables, large=large)
    rows = [
        (verdict.run, name, finding.verdict, finding.required, finding.witness)
        for verdict in judged
        for name, finding in verdict.properties.items()
    ]
    columns = [[row[at] for row in rows] for at in range(len(VERDICT_SCHEMA))]
    return spark.createDataFrame(pa.table(columns, schema=VERDICT_SCHEMA))


def verdicts(
    spark: SparkSession, tables: Mapping[str, DataFrame], *, large: int = LARGE
) -> tuple[list[Verdict], list[str]]:
    """The same as values, by the names of runs, and the runs left out: not in `runs` yet."""
    sizes = run_sizes(tables)
    essential = [run for run, size in sizes.items() if size.multicasts or size.deliveries]
    runs = listed_runs(tables, essential)
    found = {
        run.name: check(_silent(run), required=run.promised)
        for run in runs
        if run.name not in sizes
    }
    tried = [run for run in runs if run.name in sizes and sizes[run.name].deliveries >= large]
    if tried:
        found |= prove(tables, tried)
    remaining = [run for run in runs if run.name not in found]
    if remaining:
        found |= _checked(spark, tables, remaining, sizes)
    in_flight = sorted(sizes.keys() - found.keys()) if "runs" in tables else []
    return [found[run.name] for run in runs], in_flight


def _silent(run: Judged) -> History:
    """A run of which nothing but its name is known."""
    history = History(run.name, run.complete)
    history.has_packets = run.has_packets
    return history


def _checked(
    spark: SparkSession,
    tables: Mapping[str, DataFrame],
    runs: Sequence[Judged],
    sizes: Mapping[str, Size],
) -> dict[str, Verdict]:
    """Have the one-process checker judge each run in a task."""
    rows = bring_together(spark, tables, runs, sizes)
    judged = rows.mapInArrow(judge_partition(runs), RESULT_DDL).toArrow().to_pylist()
    for row in judged:
        if row["refused"] is not None:
            raise InvalidInput(f"run {row['run']}: {row['refused']}")
    by_run: dict[str, dict[str, Finding]] = {run.name: {} for run in runs}
    counts: dict[str, tuple[int, int]] = {}
    for row in judged:
        finding = Finding(row["verdict"], row["required"], row["witness"])
        by_run[row["run"]][row["property"]] = finding
        counts[row["run"]] = (row["messages"], row["deliveries"])
    return {
        run: Verdict(run, {name: findings[name] for name in PROPERTIES}, *counts[run])
        for run, findings in by_run.items()
    }
