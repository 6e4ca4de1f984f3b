"""The sweep: one Spark task a run, each of which writes and commits its own tables."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from amcast.core import InvalidInput
from amcast.lab.attempts import (
    DONE,
    FAILED,
    LOST,
    SCHEMA,
    Attempt,
    attempt_of,
    next_number,
    read_attempts,
    record,
)
from amcast.lab.computed import compute
from amcast.lab.directory import COMPUTED, STORES, TRACE, WRITING, in_flight
from amcast.lab.experiment import SIMULATION
from amcast.lab.interrupts import has_ended, was_cancelled
from amcast.lab.plan import PlannedRun
from amcast.lab.progress import Progress, watched
from amcast.lab.session import reason
from amcast.scenarios import Run
from amcast.traces import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STAGE = "simulate"
ERROR_CHARACTERS_MAX = 2000

ROWS = (
    "run string, attempt bigint, status string, error string, wall_s double, version string, "
    "kind string, parameters string, seed bigint, software string"
)


def simulate(
    spark: SparkSession,
    runs: Sequence[PlannedRun],
    directory: Path,
    *,
    version: str,
    progress: Progress,
) -> list[Attempt]:
    """Run them all, each in a task of its own. None that fails takes the others with it.

    A process that dies takes down whatever runs beside it, too. So all runs that were under
    way are tried again, one by one; the one that kills its process also when alone is lost.
    """
    job = partial(_job, spark, directory=directory, version=version, progress=progress)
    waiting = list(runs)
    attempts: list[Attempt] = []
    while waiting:
        ended, death = job(waiting)
        attempts += ended
        waiting = _without(waiting, ended)
        if death is None:
            break
        begun = in_flight(directory)
        suspects = [run for run in waiting if run.run in begun]
        if not suspects:
            raise InvalidInput(f"Spark does not run our tasks ({death}): check the executors")
        for suspect in suspects:
            _forget_in_flight(directory)
            ended, death = job([suspect])
            attempts += ended if death is None else [_lost(suspect, directory, version, death)]
        _forget_in_flight(directory)
        waiting = [run for run in waiting if run not in suspects]
    return attempts


def _job(
    spark: SparkSession,
    runs: Sequence[PlannedRun],
    *,
    directory: Path,
    version: str,
    progress: Progress,
) -> tuple[list[Attempt], str | None]:
    """The runs that ended, and what Spark said if it gave up before all had."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    first = {run.run: next_number(directory, run.run) for run in runs}
    plan = spark.sparkContext.broadcast(list(runs))
    task = partial(run_tasks, plan, str(directory.absolute()), version)
    count = len(runs)
    # Only this makes certain that a task has one run.
    frame = spark.range(0, count, 1, count).mapInArrow(task, ROWS)
    try:
        with watched(spark, STAGE, count, progress):
            return [Attempt(**row.asDict()) for row in frame.collect()], None
    except (Py4JError, PySparkException) as error:
        if was_cancelled(error) or has_ended(spark):
            raise
        # The tasks wrote down themselves how they ended.
        known = [each for each in read_attempts(directory) if each.attempt == first.get(each.run)]
        return known, reason(error)
    finally:
        plan.destroy()


def _lost(planned: PlannedRun, directory: Path, version: str, death: str) -> Attempt:
    number = next_number(directory, planned.run)
    error = f"the process that ran it died: {death}"[:ERROR_CHARACTERS_MAX]
    attempt = attempt_of(planned, number, LOST, error, 0.0, version)
    record(directory, attempt)
    return attempt


def _without(runs: Sequence[PlannedRun], ended: Sequence[Attempt]) -> list[PlannedRun]:
    over = {attempt.run for attempt in ended}
    return [run for run in runs if run.run not in over]


def _forget_in_flight(directory: Path) -> None:
    for store in STORES:
        rmtree(directory / store / WRITING, ignore_errors=True)


def run_tasks(
    plan: Any, directory: str, version: str, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What an executor does: run the numbers it is given, and tell how each ended."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            attempt = attempt_run(plan.value[number], Path(directory), version)
            yield pa.RecordBatch.from_pylist([asdict(attempt)], SCHEMA)


def attempt_run(planned: PlannedRun, directory: Path, version: str) -> Attempt:
    """Run and commit one; an exception becomes a row."""
    number = next_number(directory, planned.run)
    started = time.perf_counter()
    status, error = DONE, None
    try:
        if planned.kind == SIMULATION:
            drained = commit(directory / TRACE, planned, _write_trace)
        else:
            drained = commit(directory / COMPUTED, planned, _write_rows)
        if not drained:
            status, error = FAILED, "stopped before it was quiet: clients get no replies"
    except Exception as caught:
        status, error = FAILED, _sentence(caught)
    wall_s = time.perf_counter() - started
    attempt = attempt_of(planned, number, status, error, wall_s, version)
    record(directory, attempt)
    return attempt


def commit(store: Path, planned: PlannedRun, write: Callable[[Path, PlannedRun], bool]) -> bool:
    """Write the run's tables aside, then put them in place; `runs` comes last and counts."""
    # A name that no other process uses: one that was left for dead may still be writing.
    aside = store / WRITING / f"{planned.run}.{os.getpid()}-{token_hex(4)}"
    aside.parent.mkdir(parents=True, exist_ok=True)
    # Stays behind if this process dies.
    begun = aside.with_suffix(f"{aside.suffix}.begun")
    begun.touch()
    try:
        drained = write(aside, planned)
        tables = sorted(path.stem for path in aside.glob("*.parquet") if path.stem != "runs")
        for table in (*tables, "runs"):
            folder = store / table / f"run={planned.run}"
            folder.mkdir(parents=True, exist_ok=True)
            (aside / f"{table}.parquet").replace(folder / "part-0.parquet")
    finally:
        rmtree(aside, ignore_errors=True)
        begun.unlink(missing_ok=True)
    return drained


def _write_trace(aside: Path, planned: PlannedRun) -> bool:
    run = Run(planned.simulation)
    return run.write(aside, packets=planned.packets, run=planned.run).drained


def _write_rows(aside: Path, planned: PlannedRun) -> bool:
    aside.mkdir()
    rows = compute(planned.kind, planned.parameters, planned.seed)
    table = pa.Table.from_pylist([{"run": planned.run, **row} for row in rows])
    pq.write_table(table, aside / "rows.parquet")
    about = attempt_of(planned, 0, DONE, None, 0.0, "")
    row = {
        "run": planned.run,
        "protocol": planned.kind,
        "driver": "computed",
        "parameters": about.parameters,
        "seed": planned.seed,
        "drained": True,
    }
    pq.write_table(
        pa.Table.from_pylist([row], TABLES["runs"].schema("drained")), aside / "runs.parquet"
    )
    return True


def _sentence(error: Exception) -> str:
    """What went wrong, and in which line of ours."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__} in {where}: {error}"[:ERROR_CHARACTERS_MAX]
