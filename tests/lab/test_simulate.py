"""The sweep on Spark: a task a run, and no run that fails takes another with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest

from amcast.lab import progress as progress_module
from amcast.lab.attempts import DONE, FAILED, LOST, Attempt, latest, read_attempts
from amcast.lab.directory import committed_runs
from amcast.lab.experiment import parse
from amcast.lab.plan import PlannedRun, plan
from amcast.lab.progress import silent
from amcast.lab.simulate import attempt_run, simulate
from amcast.traces import read_histories, read_runs

# The package calls a function of it by the same name.
simulate_module = import_module("amcast.lab.simulate")

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOUR = "seeds = 2\n[[sweep]]\nprotocol = ['skeen', 'tree']\nmessages = 30\n"
FAMILY = (
    "[[sweep]]\nkind = 'propagation-graphs'\nsites = 20\ngroup_size = 5\ngroups = 3\n"
    "repetitions = 4\n"
)


def planned(text: str = FOUR) -> list[PlannedRun]:
    return plan(parse(text, "mine").chosen())


def sweep(spark: SparkSession, runs: list[PlannedRun], directory: Path) -> dict[str, Attempt]:
    return latest(simulate(spark, runs, directory, version="1", progress=silent))


@pytest.mark.spark
def test_every_run_is_a_task_of_its_own(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = UUID(int=7)
    monkeypatch.setattr(progress_module, "uuid4", lambda: known)
    told: list[tuple[str, int, int]] = []
    runs = planned()
    simulate(spark, runs, tmp_path, version="1", progress=lambda *step: told.append(step))
    tracker = spark.sparkContext.statusTracker()
    jobs = tracker.getJobIdsForGroup(f"amcast simulate {known.hex}")
    stages = [stage for job in jobs for stage in tracker.getJobInfo(job).stageIds]
    assert [tracker.getStageInfo(stage).numTasks for stage in stages] == [len(runs)]
    assert (told[0], told[-1]) == (("simulate", 0, 4), ("simulate", 4, 4))


@pytest.mark.spark
def test_what_tasks_write_is_a_trace(spark: SparkSession, tmp_path: Path) -> None:
    runs = planned()
    ended = sweep(spark, runs, tmp_path)
    assert {run: each.status for run, each in ended.items()} == {run.run: DONE for run in runs}
    assert read_attempts(tmp_path) == sorted(ended.values(), key=lambda each: each.run)
    found = {info.run: info for info in read_runs(tmp_path / "trace")}
    assert set(found) == committed_runs(tmp_path) == {run.run for run in runs}
    for run in runs:
        assert found[run.run].parameters["protocol"] == run.parameters["protocol"]
        assert found[run.run].seed == run.seed
    assert all(len(history.ids) == 30 for history in read_histories(tmp_path / "trace"))
    assert not any((tmp_path / "trace" / ".writing").iterdir())


@pytest.mark.spark
def test_a_simulation_that_fails_is_a_row_and_the_others_go_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    runs = planned()
    broken = replace(runs[0], parameters={**runs[0].parameters, "protocol": "nope"})
    ended = sweep(spark, [broken, *runs[1:]], tmp_path)
    assert sorted(each.status for each in ended.values()) == [DONE, DONE, DONE, FAILED]
    failed = ended[broken.run]
    assert "no protocol 'nope'" in (failed.error or "")
    assert '"protocol": "nope"' in failed.parameters
    assert failed.seed == broken.seed
    assert broken.run not in committed_runs(tmp_path)
    assert not list((tmp_path / "trace").glob(f"*/run={broken.run}"))
    # The next try has the next number.
    assert sweep(spark, [runs[0]], tmp_path)[broken.run].attempt == 2
    assert broken.run in committed_runs(tmp_path)


@pytest.mark.spark
def test_a_run_that_kills_its_process_is_lost_alone(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = planned()
    deadly = runs[0].run

    # Inside the test, so that it travels with its code: executors do not have our tests.
    def tasks(*arguments: Any) -> Iterator[Any]:
        there = import_module("amcast.lab.simulate")

        write = there._write_trace
        there._write_trace = lambda aside, run: (
            os._exit(9) if run.run == deadly else write(aside, run)
        )
        try:
            yield from there.run_tasks(*arguments)
        finally:
            there._write_trace = write

    monkeypatch.setattr(simulate_module, "run_tasks", tasks)
    ended = sweep(spark, runs, tmp_path)
    assert ended[deadly].status == LOST
    assert "died" in (ended[deadly].error or "")
    assert committed_runs(tmp_path) == {run.run for run in runs[1:]}


def test_a_computation_leaves_rows(tmp_path: Path) -> None:
    (run,) = planned(FAMILY)
    assert attempt_run(run, tmp_path, "1").status == DONE
    (found,) = [
        pq.ParquetFile(path) for path in (tmp_path / "computed" / "rows").rglob("*.parquet")
    ]
    rows = found.read().to_pylist()
    assert len(rows) == 4
    assert {row["run"] for row in rows} == {run.run} == committed_runs(tmp_path)
    assert len({row["seed"] for row in rows}) == 4
    assert rows == [row | {"sites": 20, "group_size": 5, "groups": 3} for row in rows]


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    run = planned()[0]
    trees = []
    for name in ("one", "two"):
        assert attempt_run(run, tmp_path / name, "1").status == DONE
        trace = tmp_path / name / "trace"
        files = sorted(path for path in trace.rglob("*") if path.is_file())
        trees.append({str(path.relative_to(trace)): path.read_bytes() for path in files})
    assert trees[0] == trees[1]
    assert len(trees[0]) > 5


def test_a_run_that_never_becomes_quiet_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate_module, "commit", lambda *arguments: False)
    attempt = attempt_run(planned()[0], tmp_path, "1")
    assert attempt.status == FAILED
    assert "before it was quiet" in (attempt.error or "")
