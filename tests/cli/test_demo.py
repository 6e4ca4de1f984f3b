"""`make demo` tells its story, twice in the same place."""

from __future__ import annotations

from pathlib import Path

import pytest

from amcast.cli import demo
from amcast.scenarios import Parameters


def test_demo_compares_and_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    short = {
        name: Parameters(
            protocol=each.protocol,
            overlay=each.overlay,
            scenario=each.scenario,
            workload=each.workload,
            clients=24,
            duration_s=2,
        )
        for name, each in demo.CONTENDERS.items()
    }
    monkeypatch.setattr(demo, "CONTENDERS", short)
    for _ in range(2):
        assert demo.main() == 0
    printed = capsys.readouterr().out
    for name, parameters in short.items():
        assert name in printed
        assert (tmp_path / "demo" / parameters.protocol / "runs.parquet").exists()
