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

from amcast.lab.directory import ATTEMPTS
from amcast.lab.plan import PlannedRun

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


def attempt_of(
    planned: PlannedRun, number: int, status: str, error: str | None, wall_s: float, version: str
) -> Attempt:
    parameters = json.dumps(planned.parameters, sort_keys=True, ensure_ascii=False)
    return Attempt(
        planned.run, number, status, error, wall_s, version, planned.kind, parameters, planned.seed
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


def _folder(directory: Path, run: str) -> Path:
    return Path(directory) / ATTEMPTS / f"run={run}"
