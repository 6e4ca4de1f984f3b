"""One seed gives one run, to the byte, in this interpreter and in any other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from amcast.protocols import PROTOCOLS
from amcast.scenarios import Parameters, Run

MESSAGES = 100
SCRIPT = """\
import sys
from pathlib import Path
from amcast.protocols import PROTOCOLS
from amcast.scenarios import Parameters, Run
for protocol in PROTOCOLS:
    parameters = Parameters(protocol=protocol, messages=100, keys=9, rate=50.0)
    Run(parameters).write(Path(sys.argv[1], protocol))
"""


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_same_seed_gives_the_same_bytes(protocol: str, tmp_path: Path) -> None:
    parameters = Parameters(protocol=protocol, scenario="wan2", messages=MESSAGES)
    for name in ("first", "second"):
        Run(parameters).write(tmp_path / name)
    first = contents(tmp_path / "first")
    assert {"runs.parquet", "deliveries.parquet", "packets.parquet"} <= set(first)
    assert contents(tmp_path / "second") == first


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_another_seed_gives_another_run(protocol: str, tmp_path: Path) -> None:
    for seed in (1, 2):
        parameters = Parameters(protocol=protocol, messages=MESSAGES, seed=seed)
        Run(parameters).write(tmp_path / str(seed))
    first, second = contents(tmp_path / "1"), contents(tmp_path / "2")
    for table in ("multicasts.parquet", "deliveries.parquet"):
        assert first[table] != second[table]


def test_the_order_of_hashing_does_not_matter(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
    for protocol in PROTOCOLS:
        found = contents(tmp_path / "1" / protocol)
        assert found
        assert contents(tmp_path / "2" / protocol) == found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_recorded_does_not_change_the_run(protocol: str, tmp_path: Path) -> None:
    parameters = Parameters(protocol=protocol, scenario="setup1", messages=MESSAGES)
    for packets in ("all", "counts", "off"):
        Run(parameters).write(tmp_path / packets, packets=packets)  # type: ignore[arg-type]
    found = [contents(tmp_path / packets)["deliveries.parquet"] for packets in ("all", "off")]
    assert found[0] == found[1] == contents(tmp_path / "counts")["deliveries.parquet"]
    assert Run(parameters).simulate().deliveries == Run(parameters).verify()[0].deliveries
