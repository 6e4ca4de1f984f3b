"""Metrics from Spark, against the same worked out in plain Python from the same trace."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from amcast.core import InvalidInput, MessageId
from amcast.lab.confidence import interval
from amcast.lab.measure import measure
from amcast.lab.overlay_order import overlay_order
from amcast.lab.tables import read_all
from amcast.scenarios import Parameters
from tests.lab.small_sweep import SWEEP, write_sweep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Rows = list[dict[str, Any]]
RANKS_O1 = overlay_order({"protocol": "flexcast", "scenario": "aws12", "overlay": "O1"})


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("sweep")
    write_sweep(directory)
    return directory


@pytest.fixture(scope="module")
def metrics(spark: SparkSession, trace: Path) -> dict[str, Rows]:
    found = measure(read_all(spark, trace))
    return {name: [row.asDict() for row in frame.collect()] for name, frame in found.items()}


def table(trace: Path, name: str, run: str) -> Rows:
    rows: Rows = pq.ParquetFile(trace / name / f"run={run}" / "part-0.parquet").read().to_pylist()
    return rows


def only(rows: Rows, protocol: str, **wanted: Any) -> Rows:
    return [
        row
        for row in rows
        if json.loads(row["setting"])["protocol"] == protocol
        and all(row[name] == value for name, value in wanted.items())
    ]


def kept_messages(trace: Path, run: str) -> dict[str, dict[str, Any]]:
    """Messages without each client's first and last tenth, and without flushes."""
    by_client: dict[str, Rows] = defaultdict(list)
    for row in table(trace, "multicasts", run):
        if row["sender"].startswith("c"):
            by_client[row["sender"]].append(row)
    found = {}
    for rows in by_client.values():
        rows.sort(key=lambda row: MessageId.parse(row["msg"]).seq)
        cut = len(rows) // 10
        found.update({row["msg"]: row for row in rows[cut : len(rows) - cut]})
    return found


def latencies(trace: Path, run: str, order: str) -> Iterator[tuple[int, int]]:
    """Destination and microseconds, destinations counted by rank or by arrival."""
    messages = kept_messages(trace, run)
    replies: dict[str, Rows] = defaultdict(list)
    for row in table(trace, "replies", run):
        if row["msg"] in messages:
            replies[row["msg"]].append(row)
    for msg, rows in replies.items():
        rows.sort(
            key=lambda row: row["at_us"] if order == "arrival" else RANKS_O1.index(row["group"])
        )
        for number, row in enumerate(rows, start=1):
            yield number, row["at_us"] - messages[msg]["at_us"]


@pytest.mark.parametrize("order", ["overlay", "arrival"])
def test_percentiles_are_exact_and_averaged_over_seeds(
    metrics: dict[str, Rows], trace: Path, order: str
) -> None:
    samples = [[*latencies(trace, f"flexcast-o1-{seed}", order)] for seed in (1, 2)]
    for destination in (1, 2, 3):
        of_seed = [[us for number, us in seed if number == destination] for seed in samples]
        for name, share in (("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99)):
            (row,) = only(
                metrics["latency"],
                "flexcast",
                order=order,
                scope="global",
                destination=destination,
                statistic=name,
            )
            expected = interval([float(np.percentile(values, share)) for values in of_seed])
            assert (row["us"], row["us_low"], row["us_high"]) == pytest.approx(expected)
            assert row["seeds"] == 2
            assert row["samples"] == sum(map(len, of_seed))
            assert row["samples_min"] == min(map(len, of_seed))
            assert row["pooled_us"] == pytest.approx(np.percentile(np.concatenate(of_seed), share))


def test_a_message_is_complete_with_its_last_reply(metrics: dict[str, Rows], trace: Path) -> None:
    of_message: dict[str, int] = {}
    messages = kept_messages(trace, "tree-t1-1")
    for row in table(trace, "replies", "tree-t1-1"):
        if row["msg"] in messages:
            us = row["at_us"] - messages[row["msg"]]["at_us"]
            of_message[row["msg"]] = max(us, of_message.get(row["msg"], 0))
    wanted = {"order": "last", "scope": "all", "statistic": "mean", "seed": 1}
    (row,) = only(metrics["latency_by_seed"], "tree", **wanted)
    assert row["samples"] == len(messages) == len(of_message)
    assert row["us"] == pytest.approx(sum(of_message.values()) / len(of_message))


def test_quantiles_rise_from_the_least_to_the_most(metrics: dict[str, Rows], trace: Path) -> None:
    rows = only(metrics["quantiles"], "flexcast", order="overlay", scope="global", destination=1)
    rows.sort(key=lambda row: row["hundredth"])
    assert [row["hundredth"] for row in rows] == list(range(101))
    values = [row["us"] for row in rows]
    assert values == sorted(values)
    least = [
        min(us for number, us in latencies(trace, f"flexcast-o1-{seed}", "overlay") if number == 1)
        for seed in (1, 2)
    ]
    assert values[0] == pytest.approx(sum(least) / 2)


def test_throughput_counts_complete_messages_in_the_middle(
    metrics: dict[str, Rows], trace: Path
) -> None:
    rates = []
    for seed in (1, 2):
        run = f"skeen-none-{seed}"
        multicasts = {row["msg"]: row for row in table(trace, "multicasts", run)}
        times = [row["at_us"] for row in multicasts.values()]
        tenth = (max(times) - min(times)) // 10
        first, last = min(times) + tenth, max(times) - tenth
        done: dict[str, list[int]] = defaultdict(list)
        for row in table(trace, "replies", run):
            done[row["msg"]].append(row["at_us"])
        assert all(len(found) == len(multicasts[msg]["dst"]) for msg, found in done.items())
        inside = sum(first <= max(found) < last for found in done.values())
        rates.append(inside * 1_000_000 / (last - first))
    (row,) = only(metrics["throughput"], "skeen", scope="all")
    assert (row["messages_s"], row["messages_s_low"], row["messages_s_high"]) == pytest.approx(
        interval(rates)
    )


def test_overhead_is_what_a_group_receives_for_others(
    metrics: dict[str, Rows], trace: Path
) -> None:
    shares: dict[str, list[float]] = defaultdict(list)
    for seed in (1, 2):
        run = f"tree-t1-{seed}"
        received = Counter(row["target_group"] for row in table(trace, "packets", run))
        delivered = Counter(row["group"] for row in table(trace, "deliveries", run))
        for group, count in received.items():
            shares[group].append(1 - delivered[group] / count)
    rows = {row["group"]: row for row in only(metrics["overhead"], "tree")}
    assert set(rows) == set(shares)
    for group, values in shares.items():
        assert rows[group]["overhead"] == pytest.approx(interval(values).mean)
    (summary,) = only(metrics["overhead_summary"], "tree")
    means = [sum(values) / 2 for values in shares.values()]
    assert summary["groups"] == 12
    assert summary["mean"] == pytest.approx(np.mean(means))
    assert summary["sd"] == pytest.approx(np.std(means, ddof=1))
    assert summary["most"] == pytest.approx(max(means))
    assert max(means) > 0.3


@pytest.mark.parametrize("protocol", ["flexcast", "skeen"])
def test_genuine_protocols_have_no_overhead(metrics: dict[str, Rows], protocol: str) -> None:
    assert {row["overhead"] for row in only(metrics["overhead"], protocol)} == {0.0}


def test_traffic_is_counted_at_both_ends(metrics: dict[str, Rows]) -> None:
    for protocol in ("flexcast", "tree", "skeen"):
        among = only(metrics["traffic"], protocol, peer="group")
        for value in ("packets_s", "bytes_s"):
            sent, received = (
                sum(row[value] for row in among if (row["direction"], row["kind"]) == (end, "all"))
                for end in ("sent", "received")
            )
            assert sent == pytest.approx(received)
            assert sent > 0
        for row in among:
            if row["kind"] == "all":
                kinds = [
                    each["packets_s"] * each["seeds"]
                    for each in among
                    if (each["group"], each["direction"]) == (row["group"], row["direction"])
                    and each["kind"] != "all"
                ]
                assert sum(kinds) == pytest.approx(row["packets_s"] * 2)


def test_only_flexcast_carries_history(metrics: dict[str, Rows]) -> None:
    of_kind = {row["kind"]: row for row in only(metrics["kinds"], "flexcast")}
    assert set(of_kind) == {"submit", "msg", "ack", "notif"}
    assert 0 < of_kind["msg"]["history_bytes"] < of_kind["msg"]["bytes"]
    assert of_kind["notif"]["packets"] > 0
    assert of_kind["submit"]["history_bytes"] == 0
    assert {row["history_bytes"] for row in only(metrics["kinds"], "skeen")} == {0.0}


def test_the_parts_of_a_delivery_add_up(metrics: dict[str, Rows], trace: Path) -> None:
    for protocol, overlay in (("flexcast", "o1"), ("tree", "t1"), ("skeen", "none")):
        parts = parts_of(metrics, protocol, "global")
        assert set(parts) == {"propagation", "ordering", "cpu", "batch", "waiting"}
        assert min(parts.values()) >= 0
        means = [mean_delivery_us(trace, f"{protocol}-{overlay}-{seed}", True) for seed in (1, 2)]
        assert sum(parts.values()) == pytest.approx(sum(means) / 2)
    # Timestamps cross the sea once more, and others are waited for; a tree does neither.
    skeen = parts_of(metrics, "skeen", "global")
    assert skeen["ordering"] > 10_000
    assert skeen["waiting"] > 1_000
    assert parts_of(metrics, "tree", "global")["ordering"] == 0


def parts_of(metrics: dict[str, Rows], protocol: str, scope: str) -> dict[str, float]:
    return {row["part"]: row["us"] for row in only(metrics["convoy"], protocol, scope=scope)}


def mean_delivery_us(trace: Path, run: str, is_global: bool) -> float:
    """From the multicast to the first delivery in a group, over all of them that count."""
    first: dict[tuple[str, str], int] = {}
    for row in table(trace, "deliveries", run):
        place = row["msg"], row["group"]
        first[place] = min(row["at_us"], first.get(place, row["at_us"]))
    messages = kept_messages(trace, run)
    took = [
        at_us - messages[msg]["at_us"]
        for (msg, _), at_us in first.items()
        if msg in messages and (len(messages[msg]["dst"]) > 1) == is_global
    ]
    return sum(took) / len(took)


def test_local_messages_wait_for_their_log_and_in_age_for_global_ones(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Replicated groups whose runs count their packets, as the published ones do."""
    sweep = [
        Parameters(
            protocol=protocol, scenario="setup1", groups=4, clients=12, workload="home",
            global_share=0.1, replicas=3, inside_ms=0.83, window=1, messages=600, seed=1,
        )
        for protocol in ("age", "age-star")
    ]  # fmt: skip
    write_sweep(tmp_path, sweep, "counts")
    frame = measure(read_all(spark, tmp_path))["convoy"]
    metrics = {"convoy": [row.asDict() for row in frame.collect()]}
    for protocol in ("age", "age-star"):
        for scope in ("local", "global"):
            mean = mean_delivery_us(tmp_path, f"{protocol}-none-1", scope == "global")
            assert sum(parts_of(metrics, protocol, scope).values()) == pytest.approx(mean)
    local = {protocol: parts_of(metrics, protocol, "local") for protocol in ("age", "age-star")}
    # A decision takes two hops of 0.83 ms, and one at a time is under way.
    assert local["age-star"]["waiting"] == 0
    assert local["age-star"]["batch"] == sum(local["age-star"].values()) >= 1660
    assert local["age"]["batch"] >= 1660
    assert local["age"]["waiting"] > 10_000


def test_processor_and_log_show_as_parts_of_their_own(spark: SparkSession, tmp_path: Path) -> None:
    slow = [
        Parameters(protocol="basecast", log_period_ms=4, cpu_us=300.0, messages=300, seed=1),
        Parameters(protocol="basecast", messages=300, seed=2),
    ]
    write_sweep(tmp_path, slow)
    found = {
        (json.loads(row["setting"])["cpu_us"], row["part"]): row["us"]
        for row in measure(read_all(spark, tmp_path))["convoy"].collect()
        if row["scope"] == "global"
    }
    assert found["300.0", "cpu"] >= 300
    # An entry waits for half a beat on average.
    assert 500 < found["300.0", "batch"] < 4000
    assert found["0.0", "cpu"] == found["0.0", "batch"] == 0


def test_counts_a_second_give_the_same_traffic_as_packets(
    spark: SparkSession, tmp_path: Path
) -> None:
    sweep = [each for each in SWEEP if each.protocol == "skeen"]
    found = {}
    for packets in ("all", "counts"):
        write_sweep(tmp_path / packets, sweep, packets)
        metrics = measure(read_all(spark, tmp_path / packets))
        found[packets] = sum(
            row["bytes_s"]
            for row in metrics["traffic"].collect()
            if (row["kind"], row["direction"], row["peer"]) == ("all", "sent", "group")
        )
        assert ("overhead" in metrics) == (packets == "all")
    # The windows differ by the parts of a second at their ends.
    assert found["counts"] == pytest.approx(found["all"], rel=0.1)


def test_a_trace_of_others_needs_nothing_but_its_messages(spark: SparkSession) -> None:
    tables = {
        "runs": spark.createDataFrame(
            [("r", "theirs", "runtime", "not JSON", None, True)],
            "run string, protocol string, driver string, parameters string, seed bigint, "
            "drained boolean",
        ),
        "multicasts": spark.createDataFrame(
            [("r", f"x:{number}", "x", ["b", "a"], number, 1, None) for number in range(100)],
            "run string, msg string, sender string, dst array<string>, at_us bigint, "
            "bytes bigint, home string",
        ),
        "deliveries": spark.createDataFrame(
            [
                ("r", f"{group}/{replica}", group, number, f"x:{number}", number + delay + replica)
                for number in range(100)
                for replica in (0, 1)
                for group, delay in (("a", 20), ("b", 10))
            ],
            "run string, process string, `group` string, seq bigint, msg string, at_us bigint",
        ),
    }
    rows = measure(tables)["latency"].where("statistic = 'p50' and scope = 'global'").collect()
    assert {(row["order"], row["destination"]): row["us"] for row in rows} == {
        ("overlay", 1): 20,
        ("overlay", 2): 10,
        ("arrival", 1): 10,
        ("arrival", 2): 20,
        ("last", 0): 20,
    }
    with pytest.raises(InvalidInput, match="no table multicasts"):
        measure({"runs": tables["runs"]})
