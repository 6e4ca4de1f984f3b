"""An experiment from its file to its tables, resumed, interrupted, killed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from amcast.core import InvalidInput
from amcast.lab.attempts import read_attempts
from amcast.lab.directory import committed_runs, described, opened
from amcast.lab.experiment import Chosen, named, names, parse
from amcast.lab.plan import plan
from amcast.lab.progress import silent
from amcast.lab.run import missing_runs, run_experiment, state
from amcast.lab.simulate import simulate
from amcast.traces import read_histories
from tests.lab.processes import amcast, end_of, jvm_of, started, wait_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = "[[sweep]]\nprotocol = ['skeen', 'tree']\nmessages = 40\n"
# Long enough to be killed in the middle, short enough to be run twice.
LONGER = "seeds = 12\npackets = 'off'\n[[sweep]]\nprotocol = 'skeen'\nmessages = 8_000\n"


def chosen(text: str = SMALL, seeds: int | None = None) -> Chosen:
    return parse(text, "mine").chosen(seeds=seeds)


def files(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a trace: when it was written, and what it holds."""
    return {
        str(path.relative_to(directory)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(directory.rglob("*.parquet"))
    }


@pytest.mark.spark
def test_a_second_run_computes_only_what_is_missing(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found, computed = run_experiment(chosen(), out)
    assert (found.runs, found.finished, computed, found.failed) == (2, 2, 2, ())
    assert (found.verified, found.violated) == (2, ())
    before = files(out)
    assert (out / "report" / "index.html").is_file()
    assert run_experiment(chosen(), out, master="nowhere") == (found, 0)
    assert files(out) == before
    # More seeds: what is there stays, and the tables take in the rest.
    found, computed = run_experiment(chosen(seeds=2), out)
    assert (found.runs, found.finished, computed, found.verified) == (4, 4, 2, 4)
    after = files(out)
    trace = {name: held for name, held in before.items() if name.startswith("trace/")}
    assert trace
    assert {name: after[name] for name in trace} == trace


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "out", chosen(seeds=2)):
        pass
    for other, sentence in (
        (parse(SMALL, "other").chosen(), "holds experiment mine at size full: choose"),
        (chosen(f"size = 'tiny'\n{SMALL}"), "at size full: choose another"),
        (chosen(SMALL.replace("40", "41")), "with other parameters"),
        (chosen(f"packets = 'off'\n{SMALL}"), "with other parameters"),
        (chosen(), "with 2 seeds: use as many or more"),
    ):
        with pytest.raises(InvalidInput, match=sentence), opened(tmp_path / "out", other):
            pass
    assert described(tmp_path / "out") == chosen(seeds=2)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    with (
        pytest.raises(InvalidInput, match=r"is not empty, it holds notes\.txt"),
        opened(tmp_path / "full", chosen()),
    ):
        pass
    with pytest.raises(InvalidInput, match="holds no experiment"):
        state(tmp_path / "full")


def test_a_directory_has_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        opened(tmp_path, chosen()),
        pytest.raises(InvalidInput, match="is being written by another command"),
        opened(tmp_path, chosen()),
    ):
        pass
    with opened(tmp_path, chosen()):
        assert described(tmp_path) == chosen()


def test_what_killed_tasks_left_is_removed(tmp_path: Path) -> None:
    half = tmp_path / "trace" / "deliveries" / "run=mine-123"
    draft = tmp_path / "trace" / ".writing" / ".mine-123.partial"
    with opened(tmp_path, chosen()):
        half.mkdir(parents=True)
        draft.mkdir(parents=True)
    with opened(tmp_path, chosen()):
        assert not half.exists()
        assert not draft.exists()


def interrupt(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)


def interrupt_beside_a_frozen_jvm(process: subprocess.Popen[bytes]) -> None:
    """Nothing that Spark is asked gets an answer."""
    os.kill(jvm_of(process), signal.SIGSTOP)
    process.send_signal(signal.SIGINT)


def kill_the_jvm(process: subprocess.Popen[bytes]) -> None:
    os.kill(jvm_of(process), signal.SIGKILL)


GOES_ON = "the same command goes on from there"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("happens", "status", "said"),
    [
        (subprocess.Popen.kill, -signal.SIGKILL, ""),
        (interrupt, 130, GOES_ON),
        (interrupt_beside_a_frozen_jvm, 130, GOES_ON),
        (kill_the_jvm, 2, "Spark's JVM ended in the middle of its work"),
    ],
)
def test_what_is_finished_survives_the_driver(
    happens: Callable[[subprocess.Popen[bytes]], None],
    status: int,
    said: str,
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    out, log = tmp_path / "out", tmp_path / "log"
    (tmp_path / "longer.toml").write_text(LONGER)
    experiment = named(str(tmp_path / "longer.toml")).chosen()
    command = amcast("lab", "run", tmp_path / "longer.toml", "--out", out)
    with started(*command, log=log) as process:
        wait_for(lambda: len(committed_runs(out)) >= 3, log)
        happens(process)
        assert end_of(process, log) == status
        # What the command started ends by itself once it is gone.
        wait_for(lambda: not is_alive(process.pid), log, 30)
    assert said in log.read_text()
    if happens is interrupt:  # Spark's own threads tell of a JVM that died.
        assert "Traceback" not in log.read_text()
    # A run is in flight until the row is there that says how it ended.
    finished = committed_runs(out) & {each.run for each in read_attempts(out)}
    assert 2 <= len(finished) < 12
    kept = {name: held for name, held in files(out / "trace").items() if run_of(name) in finished}
    with opened(out, experiment):
        missing = missing_runs(experiment, out)
        assert {run.run for run in missing} == {run.run for run in plan(experiment)} - finished
        simulate(spark, missing, out, version="1", progress=silent)
    after = files(out / "trace")
    assert {name: after[name] for name in kept} == kept
    # Nothing was computed twice, and nothing is left of what was under way.
    assert len([each for each in read_attempts(out) if each.run in finished]) == len(finished)
    assert {run_of(name) for name in after} == {run.run for run in plan(experiment)}
    assert len(list(read_histories(out / "trace"))) == 12


def run_of(name: str) -> str:
    return Path(name).parent.name.removeprefix("run=")


def is_alive(group: int) -> bool:
    """Whether any process of the group runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_experiment_runs_when_it_is_tiny(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    found, computed = run_experiment(named(name).chosen("tiny"), tmp_path)
    assert found.runs == found.finished == computed > 0
    assert found.failed == found.violated == ()
    assert (tmp_path / "report" / "index.html").stat().st_size > 10_000
