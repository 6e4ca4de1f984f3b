"""The benchmarks of the checker: that they measure everything, on the trace that they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amcast.bench.lab import Load, Spent, _measures
from amcast.bench.long_trace import write_long_trace
from amcast.check import check
from amcast.cli import main
from amcast.traces import Trace


def test_the_long_trace_is_a_good_run(tmp_path: Path) -> None:
    assert write_long_trace(tmp_path, 1_200) == 1_200
    (history,) = Trace(tmp_path).histories()
    verdict = check(history)
    assert verdict.ok
    assert (verdict.messages, verdict.deliveries, len(history.logs)) == (200, 1_200, 36)
    assert all(len(dst) == 2 for dst in history.dst)


def test_the_long_trace_can_be_split_into_runs(tmp_path: Path) -> None:
    assert write_long_trace(tmp_path, 1_800, runs=3) == 1_800
    histories = list(Trace(tmp_path).histories())
    assert [history.run for history in histories] == ["run-0", "run-1", "run-2"]
    assert all(check(history).ok for history in histories)


def test_bench_check_tells_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "check", "--quick", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    rate, against = told["measures"]
    assert (rate["name"], rate["bar"]) == ("deliveries checked a second", 1_000_000)
    assert rate["value"] > 0
    assert against["name"] == "ratio to DuckDB, comparable checks"
    assert against["verdict"] is None


def test_bench_lab_holds_growth_and_memory_against_their_bars() -> None:
    spent = {Load(10): Spent(), Load(100): Spent(), Load(100, 5): Spent()}
    for used, seconds, peak in zip(spent.values(), (1, 13, 9), (100, 5000, 200), strict=True):
        used.seconds, used.peak_mb = seconds, peak
    found = {measure.name: (measure.value, measure.verdict) for measure in _measures(spent)}
    assert found == {
        "processor time, 10 deliveries in one run": (1, None),
        "processor time, 100 deliveries in one run": (13, None),
        "processor time, 100 deliveries in 5 runs": (9, None),
        "10 times longer, to 100": (13, "miss"),
        "peak memory, all together": (5000, "miss"),
    }
