"""What a simulated run tells about its packets and about where the time goes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from amcast.scenarios import Parameters, Run


def trace(directory: Path, **parameters: object) -> Path:
    Run(Parameters(messages=100, **parameters)).write(directory / "trace")  # type: ignore[arg-type]
    return directory / "trace"


def rows(directory: Path, table: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(directory / f"{table}.parquet").to_pylist()
    return found


@pytest.mark.parametrize(
    ("protocol", "carrying", "not_carrying"),
    [
        ("tree", {"submit", "down"}, set()),
        ("flexcast", {"submit", "msg"}, {"ack", "notif"}),
        ("skeen-coordinator", {"submit", "start", "proposal"}, {"final"}),
        ("ang", {"submit", "bundle"}, set()),
    ],
)
def test_packets_say_whether_they_carry_the_payload(
    tmp_path: Path, protocol: str, carrying: set[str], not_carrying: set[str]
) -> None:
    packets = rows(trace(tmp_path, protocol=protocol), "packets")
    kinds = {(row["kind"], row["payload"]) for row in packets}
    assert {kind for kind, payload in kinds if payload} <= carrying
    assert {kind for kind, payload in kinds if not payload} <= not_carrying
    assert len({kind for kind, _ in kinds}) > 1


def test_only_flexcast_tells_about_other_messages(tmp_path: Path) -> None:
    packets = rows(trace(tmp_path, protocol="flexcast"), "packets")
    sizes = [row["history_bytes"] for row in packets if row["kind"] == "msg"]
    assert all(isinstance(size, int) and size > 0 for size in sizes)
    assert {row["history_bytes"] for row in packets if row["kind"] == "submit"} == {None}
    assert all((row["history_bytes"] or 0) < row["bytes"] for row in packets)  # type: ignore[operator]


def test_a_processor_that_takes_time_leaves_milestones(tmp_path: Path) -> None:
    directory = trace(tmp_path, protocol="skeen", cpu_us=500.0)
    milestones = rows(directory, "milestones")
    packets = rows(directory, "packets")
    assert {row["kind"] for row in milestones} == {"processed"}
    # Each packet is processed once, half a millisecond or more after it came.
    assert len(milestones) == len(packets)
    arrived = Counter((row["target"], msg) for row in packets for msg in row["msgs"])  # type: ignore[attr-defined]
    assert arrived == Counter((row["process"], row["msg"]) for row in milestones)
    first = min(row["at_us"] for row in milestones)  # type: ignore[type-var]
    assert first == min(row["received_us"] for row in packets) + 500  # type: ignore[operator,type-var]


def test_a_log_with_a_beat_leaves_milestones_on_it(tmp_path: Path) -> None:
    milestones = rows(trace(tmp_path, protocol="basecast", log_period_ms=2.0), "milestones")
    assert {row["kind"] for row in milestones} == {"decided"}
    assert {row["at_us"] % 2000 for row in milestones} == {0}  # type: ignore[operator]


def test_where_nothing_takes_time_there_are_no_milestones(tmp_path: Path) -> None:
    assert rows(trace(tmp_path, protocol="basecast"), "milestones") == []
