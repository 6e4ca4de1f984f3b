"""The benchmark of the simulator: that it measures everything, never how fast this machine is."""

from __future__ import annotations

import json

import pytest

from amcast.bench import Measure
from amcast.bench.memory import standard_run
from amcast.bench.simpy_model import STYLES, SimpyModel
from amcast.cli import main

MEASURES = [
    "events a second",
    "ratio to SimPy, callbacks",
    "ratio to SimPy, stores",
    "ratio to SimPy, processes",
    "share of tracing, packets counted",
    "share of tracing, every packet",
    "events a second, 3 replicas a group",
    "the log's own cost a message",
    "events a message, 3 replicas",
    "events a message, single processes",
    "peak memory, traced",
    "peak memory, 10 times longer",
]


def test_bench_sim_tells_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "sim", "--quick", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"what", "build", "python", "quick", "measures", "missed"}
    assert (told["what"], told["quick"]) == ("sim", True)
    assert told["build"] in ("plain", "compiled")
    assert [measure["name"] for measure in told["measures"]] == MEASURES
    for measure in told["measures"]:
        assert (measure["bar"] is None) == (measure["verdict"] is None)
    missed = [measure["name"] for measure in told["measures"] if measure["verdict"] == "miss"]
    assert told["missed"] == missed


def test_bench_sim_prints_a_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["bench", "sim", "--quick"]) == 0
    captured = capsys.readouterr()
    for name in MEASURES:
        assert name in captured.out
    assert "at least 200,000 /s" in captured.out
    assert "measuring the simulator: 100 %" in captured.err


@pytest.mark.parametrize("style", STYLES)
def test_simpy_runs_the_very_same_model(style: str) -> None:
    run = standard_run(500)
    outcome = run.simulate()
    model = SimpyModel(run, style)
    assert model.run() == outcome.deliveries
    assert model.env.now == outcome.ended_us
    ours, theirs = outcome.latencies.by_rank, model.latencies.by_rank
    assert [found.total for found in ours.values()] == [found.total for found in theirs.values()]
    assert [found.mean for found in ours.values()] == [found.mean for found in theirs.values()]


def test_a_bar_is_passed_on_its_good_side() -> None:
    assert Measure("speed", 250, bar=200).verdict == "pass"
    assert Measure("speed", 150, bar=200).verdict == "miss"
    assert Measure("cost", 0.3, bar=0.4, better="less").verdict == "pass"
    assert Measure("cost", 0.5, bar=0.4, better="less").verdict == "miss"
    assert Measure("cost", -0.1, bar=0.4, better="less").verdict == "pass"
    assert Measure("anything", 1.0).verdict is None
