"""The commands as a user sees them: what they print, and their exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amcast.cli import main
from amcast.protocols import PROTOCOLS, registry
from tests.mutants.catalogue import MUTANTS


def test_protocols_lists_what_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protocols", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in listed] == list(PROTOCOLS)
    assert {"skeen", "skeen-coordinator", "two-phase", "sequencer", "tree"} <= set(PROTOCOLS)
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


def test_explore_prints_both_counts(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "explore",
        "--protocol",
        "skeen",
        "--groups",
        "2",
        "--dst",
        "g1,g2",
        "--dst",
        "g1,g2",
    ]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "4,480" in printed
    assert "274" in printed
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schedules"], found["classes"], found["complete"]) == (4480, 274, True)


def test_explore_that_hits_its_bound_is_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["explore", "--protocol", "skeen", "--dst", "g1,g2", "--dst", "g1,g2"]
    assert main([*command, "--max-states", "100"]) == 1
    assert "stopped at the bound of 100 states" in capsys.readouterr().out


def test_fuzz_runs_all_protocols(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--protocol", "all", "--runs", "20", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert [result["runs"] for result in results] == [20] * len(PROTOCOLS)
    assert main(["fuzz", "--protocol", "tree", "--runs", "5", "--seed", "100"]) == 0
    assert "none" in capsys.readouterr().out


def test_fuzz_and_explore_tell_the_story_of_a_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {mutant.name: mutant.as_protocol for mutant in MUTANTS}["TreeNoFifo"]
    monkeypatch.setattr(registry, "PROTOCOLS", {"tree": broken})
    assert main(["fuzz", "--protocol", "tree", "--runs", "50"]) == 1
    printed = capsys.readouterr().out
    assert "# protocol tree overlay" in printed
    assert "settle" in printed
    assert main(["explore", "--protocol", "tree", "--dst", "g1,g2", "--dst", "g1,g2"]) == 1
    assert "violated: prefix_order" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["protocols", "sim", "check", "explore", "fuzz"])
def test_every_command_has_help_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"example:\n  amcast {command}" in capsys.readouterr().out
