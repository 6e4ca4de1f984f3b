"""A trace that was written elsewhere, in a lab directory: judged, measured, shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from amcast.check import check, merge
from amcast.cli import main
from amcast.lab.report_data import Results
from amcast.scenarios.promises import promised
from amcast.traces import Trace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MAPPING = """\
[multicasts]
run = "test"
msg = "id"
sender = "shop"
dst = "shards"
at_us = {column = "sent_ms", times = 1000}
[deliveries]
run = "test"
process = "node"
msg = "id"
at_us = {column = "ms", times = 1000}
"""
MULTICASTS = """\
test,id,shop,shards,sent_ms
Test 7/a,m1,s1,eu us,10
Test 7/a,m2,s2,eu us,11
calm,m1,s1,eu us,10
calm,m2,s1,us,30
"""
DELIVERIES = """\
test,node,id,ms
Test 7/a,eu/0,m1,15
Test 7/a,eu/0,m2,16
Test 7/a,us/0,m2,15
Test 7/a,us/0,m1,17
calm,eu/0,m1,15
calm,us/0,m1,17
calm,us/0,m2,32
"""


def shop(tmp_path: Path, *, multicasts: str = MULTICASTS, mapping: str = MAPPING) -> list[str]:
    """The arguments that bring in a trace in CSV: one calm run, and one in two orders."""
    directory = tmp_path / "Shop 2"
    directory.mkdir(exist_ok=True)
    (directory / "multicasts.csv").write_text(multicasts)
    (directory / "deliveries.csv").write_text(DELIVERIES)
    (tmp_path / "shop.toml").write_text(mapping)
    return ["lab", "ingest", str(directory), "--columns", str(tmp_path / "shop.toml")]


def files(directory: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in directory.rglob("*.parquet")}


@pytest.mark.spark
def test_csv_under_other_names_becomes_a_page(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = [*shop(tmp_path), "--out", str(out), "--json"]
    assert main(command) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["experiment"], told["runs"], told["finished"]) == ("ingested-shop-2", 2, 2)
    assert told["computed"] == 2
    (odd_name,) = {each["run"] for each in told["violated"]}
    assert odd_name.startswith("ingested-shop-2-")
    broken = {each["property"]: each["witness"] for each in told["violated"]}
    assert broken["acyclic_order"] == "m1 < m2 at eu/0, m2 < m1 at us/0"

    results = Results(out)
    assert {row["run"]: row["setting"].values["run"] for row in results.table("runs")} == {
        odd_name: "Test 7/a",
        "calm": "calm",
    }
    means = results.where("latency", {"run": "calm"}, order="last", statistic="mean", scope="all")
    assert [row["us"] for row in means] == [(7_000 + 2_000) / 2]
    page = (out / "report" / "index.html").read_text()
    assert "The trace Shop 2" in page
    assert "m1 &lt; m2 at eu/0" in page

    # The same again has nothing to do; what it left is a directory like any other.
    before = files(out)
    assert main(command) == 1
    assert json.loads(capsys.readouterr().out)["computed"] == 0
    assert files(out) == before
    assert main(["lab", "show", str(out), "--markdown"]) == 1
    assert "    amcast lab ingest DIR --out ingested-shop-2\n" in capsys.readouterr().out
    assert main(["lab", "report", str(out)]) == 0

    # One row more is another trace.
    more = shop(tmp_path, multicasts=f"{MULTICASTS}calm,m3,s1,us,40\n")
    assert main([*more, "--out", str(out)]) == 2
    assert "with other parameters: choose another directory" in capsys.readouterr().err
    assert files(out) == before
    assert main(["lab", "run", str(out / "experiment.toml"), "--out", str(tmp_path / "x")]) == 2
    assert "use `amcast lab ingest`" in capsys.readouterr().err


def judged(directory: Path) -> object:
    trace = Trace(directory)
    promises = {info.run: promised(info) for info in trace.runs}
    return merge([check(each, required=promises[each.run]) for each in trace.histories()])


@pytest.mark.spark
def test_a_trace_of_ours_says_the_same_there(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, out = tmp_path / "trace", tmp_path / "out"
    assert main(["sim", "--protocol", "tree", "--messages", "40", "--out", str(trace)]) == 0
    (info,) = Trace(trace).runs
    assert main(["lab", "ingest", str(trace), "--out", str(out)]) == 0
    assert "1 of 1 runs are finished, 1 of them computed now" in capsys.readouterr().out
    assert judged(out / "trace") == judged(trace)
    (there,) = Trace(out / "trace").runs
    assert there.protocol == "tree"
    assert info.parameters.items() <= there.parameters.items()
    assert {path.name for path in (out / "trace").iterdir() if path.name[0] != "."} == {
        path.stem for path in trace.glob("*.parquet")
    }
    results = Results(out)
    assert {row["required"] for row in results.rows("verdicts")} == {True, False}
    # What needs packets, milestones, or to know the protocol is measured, too.
    for metric in ("throughput", "latency", "overhead", "convoy"):
        assert results.table(metric), metric


def without_destination(tmp_path: Path) -> list[str]:
    return shop(tmp_path, multicasts=f"{MULTICASTS}calm,m3,s1,,40\n")


def without_bytes(tmp_path: Path) -> list[str]:
    text = MULTICASTS.replace("sent_ms\n", "sent_ms,bytes\n").replace("m1,s1,eu us,10", "&,", 1)
    text = "\n".join(f"{line},1" if line[-1].isdigit() else line for line in text.splitlines())
    return shop(tmp_path, multicasts=text.replace("&", "m1,s1,eu us,10"))


def of_nothing(tmp_path: Path) -> list[str]:
    command = shop(tmp_path, multicasts=MULTICASTS.partition("\n")[0] + "\n")
    (tmp_path / "Shop 2" / "deliveries.csv").write_text(DELIVERIES.partition("\n")[0] + "\n")
    return command


def of_no_directory(tmp_path: Path) -> list[str]:
    return ["lab", "ingest", str(tmp_path / "nowhere")]


def under_wrong_names(tmp_path: Path) -> list[str]:
    return shop(tmp_path, mapping=MAPPING.replace("sent_ms", "sent"))


WRONG = {
    without_destination: "run calm: message m3 has no destination",
    without_bytes: "holds a null in the column bytes",
    of_nothing: "has neither a multicast nor a delivery",
    of_no_directory: "nowhere does not exist",
    under_wrong_names: "has no column sent, which the mapping names for at_us",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_what_cannot_be_judged_leaves_nothing_behind(
    wrong: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(wrong)
    command = wrong(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert WRONG[wrong] in said
    assert said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_directory_with_something_else_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = shop(tmp_path)
    assert main([*command, "--out", command[2]]) == 2
    assert "is not empty, it holds deliveries.csv" in capsys.readouterr().err
