"""What is written comes back, and what others write can be read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amcast.check import History
from amcast.core import MessageId
from amcast.traces import RunInfo, Trace, TraceWriter, read_histories, read_runs

Write = Callable[..., Path]
Change = Callable[..., dict[str, Any]]

GROUPS = ("g1", "g2", "g3")
DICTIONARIES = pa.list_(pa.dictionary(pa.int32(), pa.string()))
VIEWS = pa.list_(pa.string_view())


def delivered(history: History) -> dict[str, list[tuple[int, object, int]]]:
    return {
        process: [
            (seq, history.ids[msg], at_us)
            for seq, msg, at_us in zip(log.seqs, log.msgs, log.times, strict=True)
        ]
        for process, log in history.logs.items()
    }


def only(directory: Path) -> History:
    (history,) = read_histories(directory)
    return history


def test_our_run_comes_back(ours: Write) -> None:
    history = only(ours())
    assert (history.run, history.complete) == ("r", True)
    assert history.ids == ["c1:1", "c2:1"]
    assert history.dst == [("g1", "g2"), ("g2",)]
    assert history.senders == ["c1", "c2"]
    assert history.homes == ["g1", None]
    assert history.keys == [("k",), None]
    assert list(history.multicast_us) == [10, 20]
    assert delivered(history) == {
        "g1/0": [(0, "c1:1", 30)],
        "g2/0": [(0, "c1:1", 31), (1, "c2:1", 32)],
    }
    assert history.faults == [("g1/0", "crash", 50, None), ("g1/0", "rollback", 60, 3)]
    packets = {ends: list(about) for ends, about in history.packets.items()}
    assert packets == {(None, "g1"): [0], ("g1", "g2"): [0, 1]}


def test_what_is_said_about_a_run_comes_back(ours: Write) -> None:
    parameters = {"groups": 2, "a": "ü"}
    assert read_runs(ours()) == [RunInfo("r", "skeen", "sim", parameters, 7, True)]


def test_a_run_that_was_not_drained_is_incomplete(ours: Write) -> None:
    assert not only(ours(drained=False)).complete


@pytest.mark.parametrize(("packets", "known"), [("all", True), ("counts", False), ("off", False)])
def test_packets_are_known_if_all_were_written(ours: Write, packets: str, known: bool) -> None:
    assert only(ours(packets=packets)).has_packets is known


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text("ab1:ü/", min_size=1),
            st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3, unique=True).map(tuple),
            st.integers(0, 2**63 - 1),
            st.none() | st.lists(st.text(max_size=3)).map(tuple),
        )
    )
)
def test_anything_written_comes_back(
    rows: list[tuple[str, tuple[str, ...], int, tuple[str, ...] | None]],
) -> None:
    with tempfile.TemporaryDirectory() as parent:
        directory = Path(parent) / "t"
        with TraceWriter(
            directory, run="r", protocol="p", driver="sim", parameters={}, seed=0
        ) as writer:
            for number, (client, dst, at_us, keys) in enumerate(rows):
                writer.multicast(MessageId(client, number), client, dst, at_us, 1, keys=keys)
                writer.delivery("g1/0", "g1", number, MessageId(client, number), at_us)
            for group in GROUPS:
                writer.process(f"{group}/0", group)
            writer.finish(True)
        history = only(directory)
    ids = [f"{row[0]}:{number}" for number, row in enumerate(rows)]
    assert history.ids == ids
    columns = (history.senders, history.dst, history.multicast_us, history.keys)
    assert list(zip(*columns, strict=True)) == rows
    assert delivered(history)["g1/0"] == [
        (number, ids[number], row[2]) for number, row in enumerate(rows)
    ]


def test_more_rows_than_a_batch_come_back_in_order(tmp_path: Path) -> None:
    count = 120_000
    with TraceWriter(
        tmp_path / "t", run="r", protocol="p", driver="sim", parameters={}, seed=0
    ) as writer:
        writer.process("g1/0", "g1")
        writer.process("g2/0", "g2")
        for number in range(count):
            msg = MessageId("c", number)
            writer.multicast(msg, "c", ("g1", "g2")[: 1 + number % 2], number, 1)
            writer.delivery("g1/0", "g1", number, msg, number)
        writer.finish(True)
    assert pq.ParquetFile(tmp_path / "t" / "deliveries.parquet").num_row_groups == 3
    history = only(tmp_path / "t")
    assert list(history.logs["g1/0"].seqs) == list(range(count))
    assert history.ids == [f"c:{number}" for number in range(count)]
    assert history.dst == [("g1",), ("g1", "g2")] * (count // 2)


def test_two_tables_are_enough(foreign: Write) -> None:
    history = only(directory := foreign())
    assert (history.complete, history.has_packets, history.has_keys) == (True, False, False)
    assert history.ids == ["order-17", "pay/4"]
    assert history.dst == [("eu", "us"), ("us",)]
    assert delivered(history)["us/0"] == [(0, "order-17", 16), (1, "pay/4", 25)]
    assert read_runs(directory) == [RunInfo("x")]


def test_other_widths_and_encodings_will_do(foreign: Write, change: Change) -> None:
    lists = pa.array([["eu", "us"], ["us"]], pa.large_list(pa.large_string()))
    text = pa.array(["order-17", "order-17", "pay/4"], pa.large_string())
    directory = foreign(
        multicasts=change(
            "multicasts",
            dst=lists,
            at_us=pa.array([10, 20], pa.uint64()),
            bytes=pa.array([2**40, 1], pa.int64()),
            keys=pa.nulls(2),
            unknown=pa.array([1.5, 2.5]),
        ),
        deliveries=change(
            "deliveries",
            run=pa.array(["x"] * 3).dictionary_encode(),
            process=pa.array(["eu/0", "us/0", "us/0"]).dictionary_encode(),
            seq=pa.array([0, 0, 1], pa.int32()),
            msg=text.dictionary_encode(),
            at_us=pa.array([15, 16, 25], pa.uint16()),
        ),
    )
    history = only(directory)
    assert history.dst == [("eu", "us"), ("us",)]
    assert delivered(history)["us/0"] == [(0, "order-17", 16), (1, "pay/4", 25)]


@pytest.mark.parametrize("kind", [pa.list_(pa.string(), 1), DICTIONARIES, VIEWS])
def test_lists_of_other_kinds_will_do(foreign: Write, change: Change, kind: pa.DataType) -> None:
    dst = pa.array([["eu"], ["us"]], kind)
    assert only(foreign(multicasts=change("multicasts", dst=dst))).dst == [("eu",), ("us",)]


@pytest.mark.parametrize(
    ("drained", "complete"), [([True], True), ([False], False), (pa.nulls(1), False), (None, False)]
)
def test_only_a_drained_run_is_complete(foreign: Write, drained: object, complete: bool) -> None:
    about = {"run": ["x"], "protocol": ["zab"], "driver": ["jvm"], "parameters": ["{}"]}
    runs = {**about, "seed": pa.nulls(1), **({} if drained is None else {"drained": drained})}
    directory = foreign(runs=runs)
    assert only(directory).complete is complete
    assert [(info.protocol, info.seed) for info in read_runs(directory)] == [("zab", None)]


def test_an_empty_packets_table_says_that_there_were_none(foreign: Write) -> None:
    names = ("run", "source", "target", "source_group", "target_group", "kind", "msgs")
    packets = {name: pa.nulls(0) for name in (*names, "sent_us", "received_us", "bytes")}
    assert only(foreign(packets=packets)).has_packets


def test_processes_that_deliver_nothing_are_members(foreign: Write) -> None:
    processes = {"run": ["x"] * 3, "process": ["eu/0", "us/0", "us/1"], "group": ["eu", "us", "us"]}
    assert list(only(foreign(processes=processes)).logs) == ["eu/0", "us/0", "us/1"]


def test_processes_of_another_run_do_not_count(foreign: Write) -> None:
    processes = {"run": ["y"], "process": ["asia/0"], "group": ["asia"]}
    assert list(only(foreign(processes=processes)).logs) == ["eu/0", "us/0"]


def test_runs_that_take_turns_in_one_file_are_told_apart(foreign: Write, change: Change) -> None:
    directory = foreign(
        multicasts=change("multicasts", run=["z", "x"], msg=["m", "m"]),
        deliveries=change(
            "deliveries",
            run=["x", "z", "x"],
            process=["us/0"] * 3,
            group=["us"] * 3,
            msg=["m"] * 3,
        ),
    )
    first, second = read_histories(directory)
    assert [info.run for info in read_runs(directory)] == [first.run, second.run] == ["z", "x"]
    assert delivered(first) == {"us/0": [(0, "m", 16)]}
    assert delivered(second) == {"us/0": [(0, "m", 15), (1, "m", 25)]}


def test_runs_share_folders_with_parts(tmp_path: Path, ours: Write) -> None:
    shared = tmp_path / "shared"
    for run, packets in (("b", "all"), ("a", "counts")):
        for path in ours(run, run=run, packets=packets).iterdir():
            part = shared / path.stem / f"run={run}-folder" / "part-0.parquet"
            part.parent.mkdir(parents=True)
            path.rename(part)
    unfinished = shared / "deliveries" / "_temporary" / "part-1.parquet"
    unfinished.parent.mkdir()
    unfinished.write_text("half")
    (shared / "deliveries" / ".hidden.parquet").write_text("half")
    histories = list(read_histories(shared))
    assert [(history.run, history.deliveries) for history in histories] == [("a", 3), ("b", 3)]
    assert [history.has_packets for history in histories] == [False, True]


def test_runs_come_in_the_order_of_the_runs_table(foreign: Write, change: Change) -> None:
    three = ["silent", "y", "x"]
    runs = dict.fromkeys(("run", "protocol", "driver"), three)
    directory = foreign(
        runs={**runs, "parameters": ["{}"] * 3, "seed": [1, 2, 3]},
        multicasts=change("multicasts", run=["x", "y"]),
        deliveries=change("deliveries", run=["x", "x", "y"]),
    )
    found = [(history.run, history.deliveries) for history in read_histories(directory)]
    assert found == [("silent", 0), ("y", 1), ("x", 2)]


def test_a_run_that_is_not_listed_yet_is_left_out(foreign: Write, change: Change) -> None:
    listed = {name: ["x"] for name in ("run", "protocol", "driver")}
    directory = foreign(
        runs={**listed, "parameters": ["{}"], "seed": [1]},
        deliveries=change("deliveries", run=["x", "y", "y"]),
    )
    trace = Trace(directory)
    assert [(history.run, history.deliveries) for history in trace.histories()] == [("x", 1)]
    assert trace.in_flight == ["y"]
    assert [info.run for info in read_runs(directory)] == ["x"]


def test_without_a_list_no_run_is_in_flight(foreign: Write) -> None:
    assert Trace(foreign()).in_flight == []


def test_odd_names_and_lists_come_back(foreign: Write, change: Change) -> None:
    """Names with the separator that lists are joined by, repeats, empty and missing lists."""
    directory = foreign(
        multicasts=change(
            "multicasts",
            dst=[["eu\0us", "us"], ["eu", "us", "eu"]],
            keys=pa.array([None, []], pa.list_(pa.string())),
        ),
    )
    history = only(directory)
    assert history.dst == [("eu\0us", "us"), ("eu", "us")]
    assert history.keys == [None, ()]
    assert history.has_keys


def test_multicasts_that_are_repeated_count_once(foreign: Write, change: Change) -> None:
    twice = change(
        "multicasts",
        run=["x"] * 3,
        msg=["order-17", "pay/4", "order-17"],
        sender=["shop"] * 3,
        dst=[["eu", "us"], ["us"], ["us", "eu"]],
        at_us=[10, 20, 30],
        bytes=[1] * 3,
    )
    history = only(foreign(multicasts=twice))
    assert (history.ids, history.messages) == (["order-17", "pay/4"], 2)
    assert list(history.multicast_us) == [10, 20]


def test_what_nobody_multicast_is_numbered_behind(foreign: Write, change: Change) -> None:
    history = only(foreign(deliveries=change("deliveries", msg=["ghost", "order-17", "ghost"])))
    assert history.ids == ["order-17", "pay/4", "ghost"]
    assert (history.messages, history.dst[2]) == (2, ())
    assert delivered(history)["us/0"] == [(0, "order-17", 16), (1, "ghost", 25)]


def test_a_table_may_be_a_folder_named_like_a_file(foreign: Write) -> None:
    directory = foreign()
    (directory / "deliveries.parquet").rename(directory / "part-0.parquet")
    (directory / "deliveries.parquet").mkdir()
    (directory / "part-0.parquet").rename(directory / "deliveries.parquet" / "part-0.parquet")
    assert only(directory).deliveries == 3
