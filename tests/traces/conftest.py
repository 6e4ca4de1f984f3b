"""Traces to read: one of ours, and one as another system would write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amcast.core import MessageId
from amcast.traces import TraceWriter
from amcast.traces.writer import Packets

Columns = dict[str, list[object] | pa.Array]
Write = Callable[..., Path]

FIRST, SECOND = MessageId("c1", 1), MessageId("c2", 1)

FOREIGN: dict[str, Columns] = {
    "multicasts": {
        "run": ["x", "x"],
        "msg": ["order-17", "pay/4"],
        "sender": ["shop", "shop"],
        "dst": [["eu", "us"], ["us"]],
        "at_us": [10, 20],
        "bytes": [100, 100],
    },
    "deliveries": {
        "run": ["x", "x", "x"],
        "process": ["eu/0", "us/0", "us/0"],
        "group": ["eu", "us", "us"],
        "seq": [0, 0, 1],
        "msg": ["order-17", "order-17", "pay/4"],
        "at_us": [15, 16, 25],
    },
}


def write_ours(
    directory: Path, *, run: str = "r", packets: Packets = "all", drained: bool = True
) -> Path:
    """A small run with a row in every table."""
    with TraceWriter(
        directory,
        run=run,
        protocol="skeen",
        driver="sim",
        parameters={"groups": 2, "a": "ü"},
        seed=7,
        packets=packets,
    ) as writer:
        writer.process("g1/0", "g1")
        writer.process("g2/0", "g2")
        writer.multicast(FIRST, "c1", ("g1", "g2"), 10, 64, home="g1", keys=("k",))
        writer.multicast(SECOND, "c2", ("g2",), 20, 64)
        writer.packet("c1", "g1/0", None, "g1", "submit", (FIRST,), 10, 11, 64)
        writer.packet("g1/0", "g2/0", "g1", "g2", "start", (FIRST, SECOND), 11, None, 64)
        writer.packet("g1/0", "g2/0", "g1", "g2", "start", (), 2_000_011, 2_000_015, 64)
        writer.delivery("g1/0", "g1", 0, FIRST, 30)
        writer.delivery("g2/0", "g2", 0, FIRST, 31)
        writer.delivery("g2/0", "g2", 1, SECOND, 32)
        writer.reply(FIRST, "g1", 40)
        writer.fault("g1/0", "crash", 50)
        writer.fault("g1/0", "rollback", 60, seq=3)
        writer.finish(drained)
    return directory


@pytest.fixture
def ours(tmp_path: Path) -> Write:
    """Writes the small run at a path below the test's directory."""
    return lambda name="ours", **options: write_ours(tmp_path / name, **options)


@pytest.fixture
def foreign(tmp_path: Path) -> Write:
    """Writes the foreign trace, with the tables given in place of its own; None leaves one out."""

    def write(**tables: Columns | None) -> Path:
        directory = tmp_path / "foreign"
        directory.mkdir(exist_ok=True)
        for name, columns in {**FOREIGN, **tables}.items():
            if columns is not None:
                pq.write_table(pa.table(columns), directory / f"{name}.parquet")
        return directory

    return write


def changed(name: str, **columns: list[object] | pa.Array | None) -> Columns:
    """A foreign table with some columns replaced, added, or, by None, left out."""
    merged = {**FOREIGN[name], **columns}
    return {column: values for column, values in merged.items() if values is not None}


@pytest.fixture
def change() -> Callable[..., Columns]:
    return changed
