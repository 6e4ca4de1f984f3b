"""Every bad trace is refused with a sentence: what, where, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from amcast.core import InvalidInput
from amcast.traces import read_histories, read_runs

Write = Callable[..., Path]
Change = Callable[..., dict[str, Any]]

RUNS: dict[str, list[Any]] = {
    "run": ["x"],
    "protocol": ["p"],
    "driver": ["sim"],
    "parameters": ["{}"],
    "seed": [1],
    "drained": [True],
}


def refusal(directory: Path) -> str:
    """The sentence with which the trace is refused; it names the directory."""
    with pytest.raises(InvalidInput) as caught:
        list(read_histories(directory))
    sentence = str(caught.value)
    assert str(directory) in sentence
    assert "\n" not in sentence
    return sentence


def test_no_directory(tmp_path: Path) -> None:
    wanted = f"{tmp_path}/none does not exist: name the directory of a trace"
    assert refusal(tmp_path / "none") == wanted
    with pytest.raises(InvalidInput, match="does not exist"):
        read_runs(tmp_path / "none")


def test_a_file_instead_of_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    wanted = f"{tmp_path}/file is not a directory: name the directory of a trace"
    assert refusal(tmp_path / "file") == wanted


def test_an_empty_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path) == (
        f"{tmp_path} has no multicasts table: put multicasts.parquet there, "
        "or a folder multicasts with Parquet files"
    )


def test_a_missing_table(foreign: Write) -> None:
    assert "has no deliveries table" in refusal(foreign(deliveries=None))


def test_an_empty_folder(foreign: Write) -> None:
    directory = foreign(deliveries=None)
    (directory / "deliveries").mkdir()
    assert "has no deliveries table" in refusal(directory)


def test_a_table_that_is_there_twice(foreign: Write) -> None:
    directory = foreign()
    (directory / "deliveries").mkdir()
    assert "holds deliveries twice" in refusal(directory)


@pytest.mark.parametrize("content", [b"", b"run,msg\n", b"PAX1 and so on and on"])
def test_a_file_that_is_not_parquet(foreign: Write, content: bytes) -> None:
    directory = foreign()
    (directory / "deliveries.parquet").write_bytes(content)
    assert refusal(directory) == (
        f"{directory}/deliveries.parquet is not a Parquet file: "
        "write it with a Parquet library, or move it away"
    )


@pytest.mark.parametrize("keep", [4, 100, -1, -8])
def test_a_file_that_is_cut_short(foreign: Write, keep: int) -> None:
    path = foreign() / "deliveries.parquet"
    path.write_bytes(path.read_bytes()[:keep])
    assert refusal(path.parent) == f"{path} is cut short or damaged: write it again"


def test_a_file_with_damaged_rows(foreign: Write) -> None:
    path = foreign() / "deliveries.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * 300 + content[304:])
    assert refusal(path.parent) == f"{path} is cut short or damaged: write it again"


def test_a_link_to_nowhere(foreign: Write) -> None:
    path = foreign() / "replies.parquet"
    path.symlink_to(path.parent / "nowhere")
    assert refusal(path.parent).startswith(f"{path} cannot be read (")


def test_an_optional_table_is_checked_too(foreign: Write) -> None:
    directory = foreign(milestones={"run": ["x"]})
    assert "milestones.parquet has no column process" in refusal(directory)


@pytest.mark.parametrize("column", ["run", "msg", "sender", "dst", "at_us", "bytes"])
def test_a_missing_column(foreign: Write, change: Change, column: str) -> None:
    directory = foreign(multicasts=change("multicasts", **{column: None}))
    sentence = refusal(directory)
    start = f"{directory}/multicasts.parquet has no column {column}: every multicasts file needs it"
    assert sentence.startswith(start)


@pytest.mark.parametrize(
    ("column", "values", "held"),
    [
        ("at_us", [1.5, 2.5, 3.5], "at_us as double: write it as int64"),
        ("seq", ["0", "1", "2"], "seq as string: write it as int64"),
        ("msg", [1, 2, 3], "msg as int64: write it as string"),
        ("msg", [b"a", b"b", b"c"], "msg as binary: write it as string"),
        ("ts", ["a", "b", "c"], "ts as string: write it as int64"),
    ],
)
def test_a_wrong_type(
    foreign: Write, change: Change, column: str, values: list[object], held: str
) -> None:
    directory = foreign(deliveries=change("deliveries", **{column: values}))
    wanted = f"{directory}/deliveries.parquet holds the column {held}"
    assert refusal(directory) == wanted


def test_destinations_that_are_no_list(foreign: Write, change: Change) -> None:
    directory = foreign(multicasts=change("multicasts", dst=["eu", "us"]))
    assert "dst as string: write it as list<" in refusal(directory)


@pytest.mark.parametrize("column", ["run", "process", "group", "seq", "msg", "at_us"])
def test_a_null(foreign: Write, change: Change, column: str) -> None:
    good = change("deliveries")[column]
    directory = foreign(deliveries=change("deliveries", **{column: [*good[:2], None]}))
    wanted = f"holds a null in the column {column}: every row needs a value there"
    assert refusal(directory) == f"{directory}/deliveries.parquet {wanted}"


def test_a_null_in_a_column_without_values(foreign: Write, change: Change) -> None:
    directory = foreign(deliveries=change("deliveries", at_us=pa.nulls(3)))
    assert "holds a null in the column at_us" in refusal(directory)


def test_a_null_destination(foreign: Write, change: Change) -> None:
    directory = foreign(multicasts=change("multicasts", dst=[["eu", None], ["us"]]))
    assert "holds a null inside a list of the column dst: leave it out" in refusal(directory)


def test_a_number_too_large(foreign: Write, change: Change) -> None:
    numbers = pa.array([1, 2, 2**64 - 1], pa.uint64())
    directory = foreign(deliveries=change("deliveries", at_us=numbers))
    assert "holds a value in the column at_us that is no int64" in refusal(directory)


def test_text_that_is_not_utf8(foreign: Write, change: Change) -> None:
    bad = pa.StringArray.from_buffers(
        3, pa.array([0, 1, 2, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xffb")
    )
    directory = foreign(deliveries=change("deliveries", msg=bad))
    assert "holds a value in the column msg that is no string" in refusal(directory)


def test_an_unknown_destination(foreign: Write) -> None:
    processes = {"run": ["x"], "process": ["us/0"], "group": ["us"]}
    deliveries = {name: pa.nulls(0) for name in ("run", "process", "group", "seq", "msg", "at_us")}
    directory = foreign(processes=processes, deliveries=deliveries)
    assert refusal(directory) == (
        f"{directory}, run x: message order-17 is multicast to group eu, which has no row in "
        "processes: add its processes there"
    )


def test_an_unknown_group_that_delivers(foreign: Write) -> None:
    directory = foreign(processes={"run": ["x"], "process": ["us/0"], "group": ["us"]})
    assert refusal(directory) == (
        f"{directory}, run x: process eu/0 delivers in group eu, which has no row in "
        "processes: add its processes there"
    )


def test_a_process_in_two_groups(foreign: Write, change: Change) -> None:
    directory = foreign(deliveries=change("deliveries", group=["eu", "us", "eu"]))
    assert refusal(directory) == (
        f"{directory}, run x: process us/0 is in group us and in group eu: "
        "a process belongs to one group"
    )


def test_a_message_with_two_destination_sets(foreign: Write, change: Change) -> None:
    directory = foreign(multicasts=change("multicasts", msg=["m", "m"]))
    assert f"{directory}, run x: message m is multicast twice" in refusal(directory)


def test_a_message_without_destination(foreign: Write, change: Change) -> None:
    directory = foreign(multicasts=change("multicasts", dst=[["eu"], []]))
    assert "run x: message pay/4 has no destination" in refusal(directory)


def test_a_run_that_is_listed_twice(foreign: Write) -> None:
    directory = foreign(runs={name: values * 2 for name, values in RUNS.items()})
    assert "lists run x 2 times in runs" in refusal(directory)


@pytest.mark.parametrize("text", ["", "{", "[1]", "3"])
def test_parameters_that_are_no_json_object(foreign: Write, text: str) -> None:
    directory = foreign(runs={**RUNS, "parameters": [text]})
    assert "has parameters of run x in runs that are no JSON object" in refusal(directory)


def test_the_schema_is_checked_before_any_run_is_read(foreign: Write, change: Change) -> None:
    directory = foreign(faults={"run": ["x"]})
    with pytest.raises(InvalidInput, match=r"faults\.parquet has no column process"):
        read_histories(directory)
