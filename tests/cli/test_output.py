"""Results reach whoever reads them, and the exit status does not depend on whether they do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amcast.cli import main
from amcast.traces import sinks

COMMAND = (sys.executable, "-c", "import sys; from amcast.cli import main; sys.exit(main())")


def write(directory: Path, second: list[str]) -> Path:
    """Two messages to g1, which delivers them in order, and to g2, which delivers `second`."""
    msgs = ["é:1", "c2:1"]
    count = len(msgs)
    multicasts = {
        "run": ["r"] * count,
        "msg": msgs,
        "sender": ["c"] * count,
        "dst": [["g1", "g2"]] * count,
        "at_us": [0] * count,
        "bytes": [1] * count,
    }
    deliveries = {
        "run": ["r"] * 2 * count,
        "process": ["g1/0"] * count + ["g2/0"] * count,
        "group": ["g1"] * count + ["g2"] * count,
        "seq": [*range(count)] * 2,
        "msg": msgs + second,
        "at_us": [1] * 2 * count,
    }
    for name, columns in {"multicasts": multicasts, "deliveries": deliveries}.items():
        pq.write_table(pa.table(columns), directory / f"{name}.parquet")
    return directory


@pytest.mark.parametrize("style", [(), ("--json",)])
@pytest.mark.parametrize(("second", "status"), [(["é:1", "c2:1"], 0), (["c2:1", "é:1"], 1)])
def test_a_reader_that_went_away_does_not_change_the_verdict(
    style: tuple[str, ...], second: list[str], status: int, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    check = [*COMMAND, "check", str(write(tmp_path, second)), *style]
    done = subprocess.run(check, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == status
    assert "Error" not in done.stderr


def test_a_terminal_without_accents(tmp_path: Path) -> None:
    check = [*COMMAND, "check", str(write(tmp_path, ["c2:1", "é:1"]))]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "200"}
    table = subprocess.run(check, capture_output=True, text=True, env=plain, check=False)
    assert table.returncode == 1
    assert r"\xe9:1 < c2:1 at g1/0" in table.stdout
    values = subprocess.run([*check, "--json"], capture_output=True, env=plain, check=False)
    assert json.loads(values.stdout)["properties"]["acyclic_order"]["witness"] == (
        "é:1 < c2:1 at g1/0, c2:1 < é:1 at g2/0"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "protocols"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("amcast protocols: ")
    assert done.stderr.count("\n") == 1


def test_a_full_disk_fails_the_run_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sinks.Sink, "flush", full)
    assert main(["sim", "--protocol", "skeen", "--out", str(tmp_path / "trace")]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("amcast sim: [Errno 28] No space left on device: ")
    assert list(tmp_path.iterdir()) == []
