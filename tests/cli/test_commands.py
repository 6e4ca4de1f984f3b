"""The commands as a user sees them: what they print, and their exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amcast.cli import main


def test_protocols_lists_what_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protocols", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in listed] == [
        "skeen", "skeen-coordinator", "two-phase", "sequencer", "tree",
    ]  # fmt: skip
    assert all(set(row) == {"name", "genuine", "tolerates", "delays", "source"} for row in listed)
    assert main(["protocols"]) == 0
    assert "skeen-coordinator" in capsys.readouterr().out


def test_sim_then_check_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = str(tmp_path / "trace")
    assert main(["sim", "--protocol", "skeen", "--out", trace]) == 0
    assert "1,000 messages" in capsys.readouterr().out
    assert main(["check", trace, "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["runs"] == 1
    assert verdict["messages"] == 1000
    assert verdict["properties"]["acyclic_order"] == {
        "verdict": "holds",
        "required": True,
        "witness": None,
    }
    assert verdict["properties"]["genuineness"]["verdict"] == "holds"
