"""What a simulated run tells about its packets and about where the time goes."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from amcast.scenarios import Parameters, Run

Moments = defaultdict[tuple[str, str], set[int]]


def trace(directory: Path, **parameters: object) -> Path:
    Run(Parameters(messages=100, **parameters)).write(directory / "trace")  # type: ignore[arg-type]
    return directory / "trace"


def rows(directory: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(directory / f"{table}.parquet").to_pylist()
    return found


@pytest.mark.parametrize(
    ("protocol", "carrying", "not_carrying"),
    [
        ("tree", {"submit", "down"}, set()),
        ("flexcast", {"submit", "msg"}, {"ack", "notif"}),
        ("skeen-coordinator", {"submit", "start", "proposal"}, {"final"}),
        ("ang", {"submit", "bundle"}, set()),
        ("adt", {"submit", "tell"}, {"ack"}),
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
    assert all((row["history_bytes"] or 0) < row["bytes"] for row in packets)


def test_milestones_are_the_first_and_the_last_packet_before_a_delivery(tmp_path: Path) -> None:
    directory = trace(tmp_path, protocol="skeen")
    milestones = rows(directory, "milestones")
    assert {row["kind"] for row in milestones} == {"received"}
    noted: Moments = defaultdict(set)
    for row in milestones:
        noted[row["process"], row["msg"]].add(row["at_us"])
    arrived: Moments = defaultdict(set)
    for row in rows(directory, "packets"):
        for msg in row["msgs"]:
            arrived[row["target"], msg].add(row["received_us"])
    deliveries = rows(directory, "deliveries")
    for row in deliveries:
        place = row["process"], row["msg"]
        before = [at_us for at_us in arrived[place] if at_us <= row["at_us"]]
        assert noted[place] == {min(before), max(before)}
    assert len(noted) == len(deliveries)


def test_a_processor_that_takes_time_leaves_milestones(tmp_path: Path) -> None:
    milestones = rows(trace(tmp_path, protocol="skeen", cpu_us=500.0), "milestones")
    assert {row["kind"] for row in milestones} == {"received", "processed"}
    first, processed = {}, {}
    for row in milestones:
        place = row["process"], row["msg"]
        if row["kind"] == "processed":
            processed[place] = row["at_us"]
        else:
            first[place] = min(row["at_us"], first.get(place, row["at_us"]))
    # Some came when the processor was free.
    assert min(at_us - first[place] for place, at_us in processed.items()) == 500


def test_a_log_with_a_beat_leaves_milestones_on_it(tmp_path: Path) -> None:
    milestones = rows(trace(tmp_path, protocol="basecast", log_period_ms=2.0), "milestones")
    assert {row["kind"] for row in milestones} == {"received", "decided"}
    assert {row["at_us"] % 2000 for row in milestones if row["kind"] == "decided"} == {0}


def test_the_log_of_replicas_leaves_milestones(tmp_path: Path) -> None:
    """Two hops between replicas after a message came to the leader, the log has it."""
    directory = trace(tmp_path, protocol="sequencer", replicas=3, inside_ms=0.5)
    milestones = {
        (row["msg"], row["process"], row["kind"]): row for row in rows(directory, "milestones")
    }
    decided = {key[:2]: row["at_us"] for key, row in milestones.items() if key[2] == "decided"}
    took = {at_us - milestones[*key, "received"]["at_us"] for key, at_us in decided.items()}
    assert decided
    assert min(took) == 1000


def test_counts_are_enough_for_milestones(tmp_path: Path) -> None:
    run = Run(Parameters(messages=100, protocol="skeen"))
    for packets in ("all", "counts", "off"):
        run.write(tmp_path / packets, packets=packets)  # type: ignore[arg-type]
    assert rows(tmp_path / "all", "milestones") == rows(tmp_path / "counts", "milestones")
    assert not (tmp_path / "off" / "milestones.parquet").exists()


@pytest.mark.parametrize("packets", ["off", "all"])
def test_bytes_take_time_at_replicas_too(tmp_path: Path, packets: str) -> None:
    ended = []
    for cost in (0.0, 1000.0):
        run = Run(
            Parameters(protocol="skeen", messages=20, replicas=3, cpu_us_per_kb=cost, clients=1)
        )
        run.write(tmp_path / str(cost), packets=packets)  # type: ignore[arg-type]
        ended.append(max(row["at_us"] for row in rows(tmp_path / str(cost), "replies")))
    # A hundred bytes or more of each message come to every leader, at a microsecond each.
    assert ended[1] > ended[0] + 20 * 100
