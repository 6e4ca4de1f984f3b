"""A trace that somebody else wrote, as an experiment with nothing to run.

Each run of the trace becomes one of a lab directory. What comes after is as for any other:
verdicts, metrics as far as there are tables for them, and a page.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from amcast.core import InvalidInput
from amcast.lab.attempts import DONE, attempt_of, next_number, record
from amcast.lab.directory import TRACE
from amcast.lab.experiment import INGESTED, Chosen, Sweep
from amcast.lab.foreign import as_trace, foreign_files
from amcast.lab.plan import PlannedRun
from amcast.lab.progress import Progress, silent
from amcast.lab.provenance import run_version
from amcast.lab.run import State, missing_runs, run_experiment
from amcast.lab.simulate import commit
from amcast.traces import TABLES, RunInfo, Trace, table_paths
from amcast.traces.files import TableFiles, table_files
from amcast.traces.schema import Table

STAGE: Final = "ingest"
UNKNOWN: Final = "unknown"
DIGITS: Final = 12
NAME_CHARACTERS_MAX: Final = 30


def ingest_trace(
    directory: Path,
    out: Path,
    *,
    columns: Path | None = None,
    master: str = "local[*]",
    progress: Progress = silent,
) -> tuple[State, int, list[str]]:
    """Bring the trace in `directory` into the lab directory `out`, which holds no other.

    Gives what `out` then holds, how many runs were brought in now, and which were left out
    because the trace does not list them. All is read and judged possible before any is written.
    """
    with as_trace(directory, columns) as place:
        trace = Trace(place)
        _refuse_nothing(directory, trace)
        chosen = _described(directory, columns, trace)
        if missing_runs(chosen, out):
            _refuse_what_cannot_be_read(trace)
        bring = partial(_bring_in, trace, out, progress)
        found, computed = run_experiment(
            chosen,
            out,
            master=master,
            progress=progress,
            compute=lambda _, missing: bring(missing),
        )
        return found, computed, trace.in_flight


def _described(directory: Path, columns: Path | None, trace: Trace) -> Chosen:
    """The experiment of a trace. Its digest is a parameter, so that no other is taken for it."""
    own_name = directory.resolve().name
    spoken = re.sub("[^a-z0-9]+", "-", own_name.lower())[:NAME_CHARACTERS_MAX].strip("-")
    values = {"trace": _digest(directory, columns), "run": [info.run for info in trace.runs]}
    return Chosen(
        # None of ours is called so: its published numbers are not those of this trace.
        name=f"{INGESTED}-{spoken or TRACE}",
        title=f"The trace {own_name}",
        source="",
        size="full",
        packets="all",
        seeds=tuple(sorted({info.seed or 0 for info in trace.runs})),
        sweeps=(Sweep(values, INGESTED),),
    )


def _digest(directory: Path, columns: Path | None) -> str:
    """Of the files of a trace and what they are called, and of the mapping."""
    foreign = foreign_files(directory).values()
    ours = [path for table in TABLES for path in table_paths(directory, table)]
    named = {str(path.relative_to(directory)): path for path in (*foreign, *ours)}
    named |= {} if columns is None else {"": columns}
    digests = []
    for name, path in sorted(named.items()):
        with path.open("rb") as file:
            digests.append((name, hashlib.file_digest(file, "sha256").hexdigest()))
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:DIGITS]


def _refuse_nothing(directory: Path, trace: Trace) -> None:
    seen = {
        run
        for name in ("multicasts", "deliveries")
        if (files := table_files(trace.directory, name))
        for run in files.runs
    }
    if not any(info.run in seen for info in trace.runs):
        raise InvalidInput(
            f"{directory} has neither a multicast nor a delivery, so there is nothing to measure: "
            "name a trace that has"
        )


def _refuse_what_cannot_be_read(trace: Trace) -> None:
    """Go through every row once: what is wrong is said before anything is written."""
    for _ in trace.histories():
        pass
    for table, files in _tables(trace).items():
        for info in trace.runs:
            for _ in files.pieces(info.run, *_own_columns(table)):
                pass


def _bring_in(trace: Trace, out: Path, progress: Progress, missing: Sequence[PlannedRun]) -> None:
    infos = {info.run: info for info in trace.runs}
    for done, planned in enumerate(missing):
        progress(STAGE, done, len(missing))
        started = time.perf_counter()
        info = infos[planned.parameters["run"]]
        commit(out / TRACE, planned, partial(_write, trace, info))
        number = next_number(out, planned.run)
        wall_s = time.perf_counter() - started
        record(out, attempt_of(planned, number, DONE, None, wall_s, run_version()))
    progress(STAGE, len(missing), len(missing))


def _write(trace: Trace, info: RunInfo, aside: Path, planned: PlannedRun) -> bool:
    """A file for each table that the trace has, also without rows: that there are none is known."""
    aside.mkdir()
    for table, files in _tables(trace).items():
        pieces = files.pieces(info.run, *_own_columns(table))
        _write_table(aside, table, (_renamed(piece, table, planned.run) for piece in pieces))
    about = pa.Table.from_pylist([_about(info, planned.run)], _schema(TABLES["runs"]))
    _write_table(aside, TABLES["runs"], [about])
    return True


def _about(info: RunInfo, run: str) -> Mapping[str, object]:
    """The row in `runs`. The name is a parameter where nothing else tells a run from others."""
    named = {"run": info.run} if info.run != run or not info.parameters else {}
    return {
        "run": run,
        "protocol": info.protocol or UNKNOWN,
        "driver": info.driver or UNKNOWN,
        "parameters": json.dumps(named | info.parameters),
        "seed": info.seed,
        # A trace without `runs` is taken as complete.
        "drained": info.drained if info.protocol is not None else True,
    }


def _tables(trace: Trace) -> Mapping[Table, TableFiles]:
    """All tables of a trace but `runs`, whose rows are known already."""
    found = {table: table_files(trace.directory, table.name) for table in TABLES.values()}
    return {table: files for table, files in found.items() if files and table.name != "runs"}


def _own_columns(table: Table) -> Iterator[str]:
    return (column.name for column in table.columns if column.name != "run")


def _schema(table: Table) -> pa.Schema:
    return table.schema(*(column.name for column in table.optional))


def _renamed(piece: pa.Table, table: Table, run: str) -> pa.Table:
    """The rows in all columns of their table, under the name that the run has here."""
    rows = piece.num_rows
    columns = [
        pa.repeat(pa.scalar(run), rows)
        if column.name == "run"
        else piece[column.name].cast(column.type)
        if column.name in piece.column_names
        else pa.nulls(rows, column.type)
        for column in table.columns
    ]
    return pa.table(columns, _schema(table))


def _write_table(
    aside: Path, table: Table, pieces: Iterator[pa.Table] | Sequence[pa.Table]
) -> None:
    path = aside / f"{table.name}.parquet"
    with pq.ParquetWriter(path, _schema(table), compression="zstd") as writer:
        for piece in pieces:
            writer.write_table(piece)
