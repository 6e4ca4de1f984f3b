"""An experiment from its file to its page: every stage that is not done yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amcast.lab.attempts import DONE, Attempt, latest, outdated_runs, read_attempts
from amcast.lab.directory import VERDICTS, committed_runs, described, forget_runs, opened
from amcast.lab.experiment import Chosen
from amcast.lab.plan import PlannedRun, plan
from amcast.lab.progress import Progress, silent
from amcast.lab.report_data import read_rows
from amcast.lab.session import session_on
from amcast.lab.shipping import probe, ship
from amcast.lab.stages import Stages, report, simulate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What makes the tables of runs.
Compute = Callable[["SparkSession", list[PlannedRun]], object]


@dataclass(frozen=True)
class Violation:
    """A property that a run's protocol promises and that does not hold."""

    run: str
    property: str
    witness: str


@dataclass(frozen=True)
class State:
    """What the directory of an experiment holds."""

    chosen: Chosen
    runs: int
    finished: int
    # The last try of each run, if that did not end well.
    failed: tuple[Attempt, ...]
    # How many runs were verified, and what was found to be wrong.
    verified: int
    violated: tuple[Violation, ...]


def run_experiment(
    chosen: Chosen,
    directory: Path,
    *,
    master: str = "local[*]",
    progress: Progress = silent,
    compute: Compute | None = None,
) -> tuple[State, int]:
    """Run what is missing in `directory` and bring the tables and the page up to date.

    Gives what the directory then holds, and how many runs were computed now. A session is
    started only if there is anything to do, and none if one is open already. Runs are
    simulated, unless `compute` has another way.
    """
    compute = compute or partial(simulate, directory=directory, progress=progress)
    with opened(directory, chosen):
        missing = missing_runs(chosen, directory)
        if missing or Stages(directory).pending():
            with session_on(master) as session:
                ship(session)
                probe(session, directory)
                forget_runs(directory, outdated_runs(directory))
                compute(session, missing)
                Stages(directory).work(session, progress)
        progress("report", 0, 1)
        report(directory)
        progress("report", 1, 1)
    return state(directory), len(missing)


def missing_runs(chosen: Chosen, directory: Path) -> list[PlannedRun]:
    """What is still to be run, the longest first. What other code made is to be run again."""
    runs = plan(chosen)
    finished = committed_runs(directory) - outdated_runs(directory)
    return [run for run in runs if run.run not in finished]


def state(directory: Path) -> State:
    """What is finished, and what failed. Needs no Spark."""
    chosen = described(directory)
    runs = plan(chosen)
    finished = committed_runs(directory)
    ended = latest(read_attempts(directory))
    verdicts = _verdicts(directory)
    return State(
        chosen=chosen,
        runs=len(runs),
        finished=sum(run.run in finished for run in runs),
        failed=tuple(
            ended[run.run] for run in runs if run.run in ended and ended[run.run].status != DONE
        ),
        verified=len({row["run"] for row in verdicts}),
        violated=tuple(
            Violation(row["run"], row["property"], row["witness"] or "")
            for row in verdicts
            if row["required"] and row["verdict"] == "violated"
        ),
    )


def _verdicts(directory: Path) -> list[dict[str, Any]]:
    if not (directory / VERDICTS).is_dir():
        return []
    rows = read_rows(directory / VERDICTS)
    return sorted(rows, key=lambda row: (row["run"], row["property"]))
