"""Spark and the one-process checker say the same about every run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amcast.check import PROPERTIES, Verdict, check
from amcast.cli import main
from amcast.core import InvalidInput
from amcast.lab.tables import read_all
from amcast.lab.verify import verdicts, verify
from amcast.lab.verify_proof import prove
from amcast.lab.verify_runs import Judged, listed_runs
from amcast.scenarios.promises import promised
from amcast.traces import Trace
from tests.lab.verify_runs import FAULTS, Rows, good_run, odd_runs, stamped_runs, write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The package calls a function of it by the same name.
verify_module = import_module("amcast.lab.verify")

pytestmark = pytest.mark.spark


def one_process(directory: Path) -> dict[str, Verdict]:
    trace = Trace(directory)
    promises = {info.run: promised(info) for info in trace.runs}
    return {
        history.run: check(history, required=promises[history.run]) for history in trace.histories()
    }


def on_spark(spark: SparkSession, directory: Path) -> dict[str, Verdict]:
    judged, _ = verdicts(spark, read_all(spark, directory))
    return {verdict.run: verdict for verdict in judged}


def many(kind: st.SearchStrategy[Rows], count: int) -> dict[str, Rows]:
    runs: dict[str, Rows] = {}

    @settings(max_examples=count, deadline=None, derandomize=True, database=None)
    @given(kind)
    def gather(rows: Rows) -> None:
        runs[f"r{len(runs):03d}"] = rows

    gather()
    return runs


def test_random_runs(spark: SparkSession, tmp_path: Path) -> None:
    directory = write(tmp_path / "trace", many(odd_runs(), 300))
    expected = one_process(directory)
    assert on_spark(spark, directory) == expected
    for name in PROPERTIES:
        seen = {verdict.properties[name].verdict for verdict in expected.values()}
        assert {"holds", "violated"} <= seen, f"{name} is only ever {seen}"


def test_random_runs_in_a_folder_each(spark: SparkSession, tmp_path: Path) -> None:
    directory = write(tmp_path / "trace", many(odd_runs(), 30), folders=True)
    assert on_spark(spark, directory) == one_process(directory)


def test_random_runs_that_sql_tries_first(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write(tmp_path / "trace", many(stamped_runs(), 100))
    expected = one_process(directory)
    proven: dict[str, Verdict] = {}

    def watched(tables: Mapping[str, DataFrame], runs: Sequence[Judged]) -> dict[str, Verdict]:
        proven.update(prove(tables, runs))
        return proven

    monkeypatch.setattr(verify_module, "prove", watched)
    judged, _ = verdicts(spark, read_all(spark, directory), large=1)
    assert {verdict.run: verdict for verdict in judged} == expected
    # Enough of them came from SQL, and enough did not.
    assert 10 < len(proven) < 90


def planted() -> dict[str, Rows]:
    runs = {"good": good_run()}
    for plant in FAULTS:
        runs[plant.__name__] = good_run()
        plant(runs[plant.__name__])
    return runs


@pytest.fixture(scope="module")
def trace_of_faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("faults") / "trace", planted())


def test_planted_faults_are_found_and_named(spark: SparkSession, trace_of_faults: Path) -> None:
    found = on_spark(spark, trace_of_faults)
    assert found == one_process(trace_of_faults)
    for plant, broken in FAULTS.items():
        findings = found[plant.__name__].properties
        assert {name for name, one in findings.items() if one.verdict == "violated"} >= {*broken}
        assert all(findings[name].witness for name in broken)
    assert found["good"].ok
    assert found["undrained"].properties["validity"].verdict == "unknown"
    assert found["cycle_over_three"].properties["prefix_order"].verdict == "holds"


def test_sql_proves_what_is_right_and_nothing_else(
    spark: SparkSession, trace_of_faults: Path
) -> None:
    tables = read_all(spark, trace_of_faults)
    proven = prove(tables, listed_runs(tables, ()))
    assert proven == {"good": one_process(trace_of_faults)["good"]}


def test_sql_proves_nothing_without_a_whole_certificate(
    spark: SparkSession, tmp_path: Path
) -> None:
    runs = {"some": good_run(9), "late": good_run(9)}
    runs["some"]["deliveries"][4]["ts"] = None
    # c1:8 is delivered before c1:1 is multicast, and after it in the order of `ts`.
    runs["late"]["multicasts"][1]["at_us"] = 10**6
    tables = read_all(spark, write(tmp_path / "trace", runs))
    assert prove(tables, listed_runs(tables, ())) == {}


def test_a_large_run_that_sql_cannot_prove_is_checked(spark: SparkSession, tmp_path: Path) -> None:
    runs = {"whole": good_run(9), "none": good_run(9)}
    for row in runs["none"]["deliveries"]:
        row["ts"] = None
    directory = write(tmp_path / "trace", runs)
    judged, _ = verdicts(spark, read_all(spark, directory), large=1)
    assert {verdict.run: verdict for verdict in judged} == one_process(directory)


def test_the_frame_of_verdicts(spark: SparkSession, trace_of_faults: Path) -> None:
    frame = verify(spark, read_all(spark, trace_of_faults))
    assert frame.columns == ["run", "property", "verdict", "required", "witness"]
    rows = frame.where("run = 'duplicate' and verdict = 'violated'").collect()
    assert [(row.property, row.required) for row in rows] == [("integrity", True)]
    assert rows[0].witness == "g1/0 delivers c1:2 at two positions"
    assert frame.count() == len(PROPERTIES) * (len(FAULTS) + 1)


def test_rows_of_a_run_in_several_files_keep_the_order_of_the_files(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Two rows claim one position: the first counts, though its file is the smaller one."""
    rows = good_run(6, replicas=1)
    late = {**rows["deliveries"][0], "msg": "c1:5", "ts": None}
    directory = write(tmp_path / "trace", {"r": rows})
    more = write(tmp_path / "more", {"r": {"deliveries": [late, *rows["deliveries"]]}})
    (directory / "deliveries").mkdir()
    (directory / "deliveries.parquet").rename(directory / "deliveries" / "part-0.parquet")
    (more / "deliveries.parquet").rename(directory / "deliveries" / "part-1.parquet")
    found = on_spark(spark, directory)
    assert found == one_process(directory)
    assert found["r"].properties["integrity"].witness == "g1/0 delivers both c1:0 and c1:5 at 0"


def test_frames_that_come_from_no_file(spark: SparkSession) -> None:
    rows = good_run(9)
    frames = {}
    for name in ("multicasts", "deliveries"):
        named = [{"run": "r"} | row for row in rows[name]]
        frames[name] = spark.createDataFrame(named, _schema(name))
    judged, _ = verdicts(spark, frames)
    assert [verdict.run for verdict in judged] == ["r"]
    assert judged[0].ok
    assert judged[0].properties["acyclic_order"].verdict == "holds"
    assert (judged[0].messages, judged[0].deliveries) == (9, 54)


def _schema(table: str) -> str:
    from amcast.lab.tables import ddl

    return ddl(table)


def test_runs_in_flight_and_silent_runs(spark: SparkSession, tmp_path: Path) -> None:
    runs: dict[str, Rows] = {"done": good_run(6), "silent": {"runs": good_run(6)["runs"]}}
    unlisted = good_run(6)
    unlisted["runs"] = []
    directory = write(tmp_path / "trace", {**runs, "flying": unlisted})
    judged, in_flight = verdicts(spark, read_all(spark, directory))
    assert {verdict.run: verdict for verdict in judged} == one_process(directory)
    assert [verdict.run for verdict in judged] == ["done", "silent"]
    assert in_flight == ["flying"]


@pytest.mark.parametrize(
    ("table", "change", "sentence"),
    [
        ("multicasts", {"dst": []}, "run r: message c1:0 has no destination"),
        ("deliveries", {"group": "g2"}, "run r: process g1/0 is in group g1 and in group g2"),
        ("deliveries", {"msg": None}, "run r: deliveries has a null in the column msg"),
        ("deliveries", {"seq": -1}, "run r: g1/0 delivers at seq -1"),
    ],
)
def test_rows_that_make_no_sense_are_refused(
    spark: SparkSession, tmp_path: Path, table: str, change: Mapping[str, object], sentence: str
) -> None:
    rows = good_run(6)
    rows[table][0] |= change
    directory = write(tmp_path / "trace", {"r": rows})
    with pytest.raises(InvalidInput) as caught:
        verdicts(spark, read_all(spark, directory))
    assert str(caught.value).startswith(sentence)


def test_check_with_a_master_prints_what_check_prints(
    spark: SparkSession, trace_of_faults: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(trace_of_faults), "--json"]) == 1
    alone = json.loads(capsys.readouterr().out)
    assert main(["check", str(trace_of_faults), "--json", "--master", "local[2]"]) == 1
    assert json.loads(capsys.readouterr().out) == alone
    assert spark.range(1).count() == 1, "the session of somebody else is left alone"
