"""How each try of each run ended: a row a try, written by the task itself.

So the row is there even if the driver dies before it hears of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from amcast.lab.directory import ATTEMPTS, committed_runs
from amcast.lab.plan import PlannedRun
from amcast.lab.provenance import run_version, software

DONE: Final = "done"
FAILED: Final = "failed"
# The process that ran it died: there was nobody left to say why.
LOST: Final = "lost"

SCHEMA: Final = pa.schema(
    [
        ("run", pa.string()),
        ("attempt", pa.int64()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("wall_s", pa.float64()),
        ("version", pa.string()),
        ("kind", pa.string()),
        ("parameters", pa.string()),
        ("seed", pa.int64()),
        ("software", pa.string()),
    ]
)


@dataclass(frozen=True)
class Attempt:
    """One try of one run."""

    run: str
    attempt: int
    status: str
    error: str | None
    wall_s: float
    version: str
    kind: str
    parameters: str
    seed: int
    # What it ran with, as JSON, beside our own `version`.
    software: str = "{}"


def attempt_of(
    planned: PlannedRun, number: int, status: str, error: str | None, wall_s: float, version: str
) -> Attempt:
    parameters = json.dumps(planned.parameters, sort_keys=True, ensure_ascii=False)
    return Attempt(
        run=planned.run,
        attempt=number,
        status=status,
        error=error,
        wall_s=wall_s,
        version=version,
        kind=planned.kind,
        parameters=parameters,
        seed=planned.seed,
        software=json.dumps(software()),
    )


def next_number(directory: Path, run: str) -> int:
    """Tries are numbered from 1."""
    return 1 + len(list(_folder(directory, run).glob("attempt-*.parquet")))


def record(directory: Path, attempt: Attempt) -> None:
    """Leave the row, whole or not at all."""
    folder = _folder(directory, attempt.run)
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".attempt-{attempt.attempt}.{os.getpid()}"
    pq.write_table(pa.Table.from_pylist([asdict(attempt)], SCHEMA), draft)
    draft.replace(folder / f"attempt-{attempt.attempt}.parquet")


def read_attempts(directory: Path) -> list[Attempt]:
    """All tries, those of a run in their order."""
    paths = sorted((Path(directory) / ATTEMPTS).glob("run=*/attempt-*.parquet"))
    rows = [row for path in paths for row in pq.ParquetFile(path).read().to_pylist()]
    return sorted((Attempt(**row) for row in rows), key=lambda each: (each.run, each.attempt))


def latest(attempts: Iterable[Attempt]) -> dict[str, Attempt]:
    """How the last try of each run ended."""
    return {each.run: each for each in sorted(attempts, key=lambda each: each.attempt)}


def made_by(directory: Path) -> dict[str, str]:
    """Each run that was tried -> the version of our code that tried it last."""
    return {run: each.version for run, each in latest(read_attempts(directory)).items()}


def outdated_runs(directory: Path) -> set[str]:
    """Finished runs that other code made than this."""
    finished = committed_runs(directory)
    if not finished:
        return set()
    made = made_by(directory)
    return {run for run in finished if made.get(run) != run_version()}


def _folder(directory: Path, run: str) -> Path:
    return Path(directory) / ATTEMPTS / f"run={run}"
