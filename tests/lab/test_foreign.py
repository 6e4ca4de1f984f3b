"""Traces of other systems: JSON lines and CSV, under their own names."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amcast.check import check
from amcast.cli import main
from amcast.core import InvalidInput
from amcast.lab.foreign import foreign_files, ingest, read_mapping
from amcast.traces import Trace

MULTICASTS_CSV = """\
id,shards,sent_ms
007,eu us,10.5
7,us,20
"""
DELIVERIES_CSV = """\
node,id,ms
eu/0,007,15
us/0,007,16
us/0,7,25
"""
MAPPING = """\
[multicasts]
msg = "id"
dst = "shards"
at_us = {column = "sent_ms", times = 1000}
[deliveries]
process = "node"
msg = "id"
at_us = {column = "ms", times = 1000}
"""


def write(directory: Path, **files: str) -> Path:
    directory.mkdir(exist_ok=True)
    for name, text in files.items():
        (directory / name.replace("_", ".")).write_text(text)
    return directory


def csv_trace(tmp_path: Path, mapping: str = MAPPING) -> tuple[Path, Path]:
    (tmp_path / "names.toml").write_text(mapping)
    directory = write(
        tmp_path / "foreign", multicasts_csv=MULTICASTS_CSV, deliveries_csv=DELIVERIES_CSV
    )
    return directory, tmp_path / "names.toml"


def test_csv_with_other_names_units_and_lists_as_text(tmp_path: Path) -> None:
    directory, mapping = csv_trace(tmp_path)
    target = ingest(directory, read_mapping(mapping), tmp_path / "trace")
    (history,) = Trace(target).histories()
    assert (history.run, history.ids) == ("run", ["007", "7"])
    assert history.dst == [("eu", "us"), ("us",)]
    assert list(history.multicast_us) == [10_500, 20_000]
    assert list(history.logs["us/0"].seqs) == [0, 1]
    assert list(history.logs["us/0"].times) == [16_000, 25_000]
    assert history.logs["us/0"].group == "us"
    assert check(history).ok


def test_json_lines_with_our_names(tmp_path: Path) -> None:
    multicasts = [
        {"run": "a", "msg": 1, "dst": ["eu", "us"], "at_us": 10, "keys": ["k"]},
        {"run": "a", "msg": 2, "dst": ["eu", "us"], "at_us": 11, "keys": None},
    ]
    orders = {"eu/0": (1, 2), "us/0": (2, 1)}
    deliveries = [
        {"run": "a", "process": process, "group": process[:2], "seq": seq, "msg": msg, "at_us": 20}
        for process, order in orders.items()
        for seq, msg in enumerate(order)
    ]
    directory = write(
        tmp_path / "foreign",
        multicasts_jsonl="\n".join(map(json.dumps, multicasts)),
        deliveries_ndjson="\n".join(map(json.dumps, deliveries)),
    )
    target = ingest(directory, {}, tmp_path / "trace")
    (history,) = Trace(target).histories()
    assert history.keys == [("k",), None]
    finding = check(history).properties["acyclic_order"]
    assert (finding.verdict, finding.required) == ("violated", True)
    assert finding.witness == "1 < 2 at eu/0, 2 < 1 at us/0"


def test_parquet_tables_beside_them_count_too(tmp_path: Path) -> None:
    directory, mapping = csv_trace(tmp_path)
    runs = {"run": ["run"], "protocol": ["skeen"], "driver": ["x"], "parameters": ["{}"]}
    columns = {**runs, "seed": [1], "drained": [True]}
    pq.write_table(pa.table(columns), directory / "runs.parquet")
    trace = Trace(ingest(directory, read_mapping(mapping), tmp_path / "trace"))
    assert [info.protocol for info in trace.runs] == ["skeen"]


def test_check_takes_them_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory, mapping = csv_trace(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert main(["check", str(directory), "--columns", str(mapping), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["runs"], told["messages"], told["deliveries"]) == (1, 2, 3)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_mapping_without_anything_to_map(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, mapping = csv_trace(tmp_path)
    (tmp_path / "empty").mkdir()
    assert main(["check", str(tmp_path / "empty"), "--columns", str(mapping)]) == 2
    assert "has no files such as deliveries.jsonl or deliveries.csv" in capsys.readouterr().err


def test_a_sentence_names_the_file_and_not_its_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory, mapping = csv_trace(tmp_path)
    (directory / "multicasts.csv").write_text("id,shards,sent_ms\n7,,1\n")
    assert main(["check", str(directory), "--columns", str(mapping)]) == 2
    said = capsys.readouterr().err
    assert f"{directory}, run run: message 7 has no destination" in said


WRONG_MAPPINGS = {
    "msg = 3": "is no mapping",
    "[deliveries]\nmsg = 3": "is no mapping",
    "[deliveries]\nat_us = {column = 'ms', by = 2}": "is no mapping",
    "[packages]\nmsg = 'id'": "has a section packages: use runs, processes",
    "[deliveries]\nid = 'msg'": "maps id, but deliveries has no such column: use run, process",
}


@pytest.mark.parametrize("wrong", WRONG_MAPPINGS)
def test_a_mapping_that_makes_no_sense(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "names.toml").write_text(wrong)
    with pytest.raises(InvalidInput) as caught:
        read_mapping(tmp_path / "names.toml")
    assert f"names.toml {WRONG_MAPPINGS[wrong]}" in str(caught.value)


WRONG_FILES = {
    "node,id\neu/0,7\n": "has no column ms, which the mapping names for at_us: it has node, id",
    "node,id,ms\neu/0,7,soon\n": "holds string in the column ms, which cannot be taken as at_us",
    "": "cannot be read",
}


@pytest.mark.parametrize("wrong", WRONG_FILES)
def test_a_file_that_does_not_fit(tmp_path: Path, wrong: str) -> None:
    directory, mapping = csv_trace(tmp_path)
    (directory / "deliveries.csv").write_text(wrong)
    with pytest.raises(InvalidInput) as caught:
        ingest(directory, read_mapping(mapping), tmp_path / "trace")
    assert f"deliveries.csv {WRONG_FILES[wrong]}" in str(caught.value)


def test_a_required_column_that_nothing_stands_for(tmp_path: Path) -> None:
    directory, _ = csv_trace(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        ingest(directory, {}, tmp_path / "trace")
    assert "multicasts.csv has no column msg: add it, or map one of id, shards" in str(caught.value)


def test_a_table_that_is_there_twice(tmp_path: Path) -> None:
    directory, _ = csv_trace(tmp_path)
    (directory / "deliveries.jsonl").touch()
    with pytest.raises(InvalidInput, match=r"as deliveries\.jsonl and as deliveries\.csv"):
        foreign_files(directory)
