"""From trace tables to metrics. Every stage is a function from frames to frames.

    runs            run, setting, seed, protocol
    latency         by setting, scope, way of counting destinations and statistic
    latency_by_seed the same for each run
    quantiles       the distributions, in hundredths
    throughput      messages a second
    traffic         packets and bytes by group, direction, peer and kind
    kinds           packets and bytes a message by kind
    overhead        what each group handled for others; overhead_summary over all groups
    convoy          where the time of a delivery goes

A trace without packets has no `overhead` and `kinds`; with counts it has `traffic`. One without
milestones has no `convoy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from amcast.core import InvalidInput

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NEEDED = ("runs", "multicasts", "deliveries")


def measure(tables: Mapping[str, DataFrame]) -> dict[str, DataFrame]:
    """The metrics that these tables allow, by name."""
    from amcast.lab import measure_convoy, measure_latency, measure_traffic
    from amcast.lab.measure_runs import described, places

    for name in NEEDED:
        if name not in tables:
            raise InvalidInput(f"the trace has no table {name}: metrics cannot be made without it")
    runs, multicasts = described(tables["runs"]), tables["multicasts"]
    replies = tables.get("replies")
    if replies is None:
        replies = measure_latency.replies_of(tables["deliveries"])
    kept = measure_latency.kept(multicasts, runs)
    sampled = measure_latency.samples(kept, replies, places(tables["runs"]))
    # Small, and three tables are made of it.
    summaries = measure_latency.summarised(sampled).persist()
    by_seed = measure_latency.by_seed(summaries)
    windows = measure_traffic.windows(multicasts, runs)
    found = {
        "runs": runs.select("run", "setting", "seed", "protocol"),
        "latency_by_seed": by_seed,
        "latency": measure_latency.latency(by_seed, sampled),
        "quantiles": measure_latency.quantiles(summaries),
        "throughput": measure_traffic.throughput(multicasts, replies, windows),
        **_of_packets(tables, runs, windows),
    }
    milestones = tables.get("milestones")
    if milestones is not None:
        split = measure_convoy.parts(kept, tables["deliveries"], milestones)
        found["convoy"] = measure_convoy.convoy(split)
    return found


def _of_packets(
    tables: Mapping[str, DataFrame], runs: DataFrame, windows: DataFrame
) -> dict[str, DataFrame]:
    from amcast.lab import measure_traffic

    packets = tables.get("packets")
    if packets is None:
        counts = tables.get("traffic")
        if counts is None:
            return {}
        counted = measure_traffic.counted_traffic(counts, windows)
        return {"traffic": measure_traffic.traffic(counted, windows)}
    counted = measure_traffic.counted_packets(packets, windows)
    overheads = measure_traffic.overhead(packets, tables["deliveries"], runs)
    return {
        "traffic": measure_traffic.traffic(counted, windows),
        "kinds": measure_traffic.kinds(packets, tables["multicasts"], runs),
        "overhead": overheads,
        "overhead_summary": measure_traffic.overhead_summary(overheads),
    }
