"""What a writer leaves behind, and what it leaves alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from amcast.core import InvalidInput, MessageId
from amcast.traces import TABLES, TraceWriter

Write = Callable[..., Path]

SCRIPT = """
import sys
from pathlib import Path
from amcast.core import MessageId
from amcast.traces import TraceWriter
about = {"run": "r", "protocol": "p", "driver": "sim", "parameters": {}, "seed": 1}
with TraceWriter(Path(sys.argv[1]), **about) as w:
    for number in range(200_000):
        w.delivery("g1/0", "g1", number, MessageId("c1", number), number)
    print("written", flush=True)
    sys.stdin.read()
"""


def make(directory: Path, **options: object) -> TraceWriter:
    about = {"run": "r", "protocol": "p", "driver": "sim", "parameters": {}, "seed": 1}
    return TraceWriter(directory, **{**about, **options})  # type: ignore[arg-type]


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_equal_runs_make_equal_bytes(ours: Write) -> None:
    assert files(ours("a")) == files(ours("b"))


@pytest.mark.parametrize("packets", ["all", "counts", "off"])
def test_every_table_is_written_as_the_schema_says(ours: Write, packets: str) -> None:
    directory = ours(packets=packets)
    without = {
        "all": {"traffic"},
        "counts": {"packets"},
        "off": {"packets", "traffic", "milestones"},
    }
    wanted = set(TABLES) - without[packets]
    assert {path.name for path in directory.iterdir()} == {f"{name}.parquet" for name in wanted}
    for name in wanted:
        found = pq.read_schema(directory / f"{name}.parquet")
        for column in TABLES[name].required:
            assert found.field(column.name).type == column.type


def test_counted_packets_add_up_per_second(ours: Write) -> None:
    rows = pq.read_table(ours(packets="counts") / "traffic.parquet").to_pylist()
    start = {"run": "r", "source_group": "g1", "target_group": "g2", "kind": "start"}
    assert {**start, "second": 0, "packets": 1, "bytes": 64} in rows
    assert {**start, "second": 2, "packets": 1, "bytes": 64} in rows
    assert sum(row["packets"] for row in rows) == 3


def test_a_very_late_packet_is_counted_too(tmp_path: Path) -> None:
    with make(tmp_path / "t", packets="counts") as writer:
        for second in (0, 500, 0, 501):
            writer.packet("a", "b", "g1", "g2", "k", (), second * 1_000_000, None, 8)
        writer.finish(True)
    rows = pq.read_table(tmp_path / "t" / "traffic.parquet").to_pylist()
    assert sum(row["packets"] for row in rows if row["second"] == 0) == 2


def test_an_exception_leaves_nothing(tmp_path: Path) -> None:
    def run() -> None:
        with make(tmp_path / "t") as writer:
            writer.process("g1/0", "g1")
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        run()
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_finish_leaves_nothing(tmp_path: Path) -> None:
    with make(tmp_path / "t") as writer:
        writer.process("g1/0", "g1")
    assert list(tmp_path.iterdir()) == []


def test_a_value_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    def run() -> None:
        with make(tmp_path / "t") as writer:
            writer.reply(MessageId("c", 1), "g1", 2**63)
            writer.finish(True)

    with pytest.raises(OverflowError):
        run()
    assert list(tmp_path.iterdir()) == []


def test_finishing_twice_is_a_mistake(tmp_path: Path) -> None:
    with make(tmp_path / "t") as writer:
        writer.finish(True)
        with pytest.raises(RuntimeError, match="finished already"):
            writer.finish(True)
    assert (tmp_path / "t" / "runs.parquet").exists()


def test_a_killed_writer_leaves_no_trace_and_the_next_one_cleans_up(
    tmp_path: Path, ours: Write
) -> None:
    directory = tmp_path / "ours"
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        with pytest.raises(InvalidInput, match="is being written by another run"):
            ours()
        os.kill(child.pid, signal.SIGKILL)
    assert not directory.exists()
    ours()
    assert list(tmp_path.iterdir()) == [directory]
    assert pq.read_table(directory / "deliveries.parquet").num_rows == 3


def test_two_writers_in_one_process_do_not_mix(tmp_path: Path) -> None:
    with make(tmp_path / "t") as writer:
        with pytest.raises(InvalidInput, match="is being written by another run"):
            make(tmp_path / "t")
        writer.finish(True)
    assert (tmp_path / "t" / "runs.parquet").exists()


def test_a_directory_with_a_run_is_refused(tmp_path: Path, ours: Write) -> None:
    before = files(ours())
    with pytest.raises(InvalidInput, match="already holds a run: choose another directory"):
        ours(run="other")
    assert files(tmp_path / "ours") == before


def test_a_directory_with_a_folder_of_runs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t" / "runs").mkdir(parents=True)
    with pytest.raises(InvalidInput, match="already holds a run"):
        make(tmp_path / "t")


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InvalidInput, match=r"is not empty, it holds notes\.txt: choose a new"):
        make(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="is not a directory"):
        make(tmp_path / "file")
    with pytest.raises(InvalidInput, match="is not a directory"):
        make(tmp_path / "file" / "below")


def test_a_mount_point_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    with pytest.raises(InvalidInput, match="is a mount point: choose a directory inside it"):
        make(tmp_path)


def test_an_empty_directory_a_link_and_missing_parents_will_do(tmp_path: Path, ours: Write) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    ours("link")
    ours("deep/er/down")
    assert (tmp_path / "link").is_symlink()
    assert files(tmp_path / "empty") == files(tmp_path / "deep/er/down")


def test_a_directory_filled_during_the_run_is_kept(tmp_path: Path) -> None:
    directory = tmp_path / "t"
    with make(directory) as writer:
        directory.mkdir()
        (directory / "notes.txt").write_text("mine")
        with pytest.raises(InvalidInput, match="was filled or taken away during the run"):
            writer.finish(True)
    assert list(tmp_path.iterdir()) == [directory]
    assert files(directory) == {"notes.txt": b"mine"}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"packets": "some"}, "packets = 'some' is not known: use all, counts or off"),
        ({"seed": 2**63}, "does not fit into 64 bits"),
    ],
)
def test_bad_options_are_refused(tmp_path: Path, option: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make(tmp_path / "t", **option)
    assert list(tmp_path.iterdir()) == []
