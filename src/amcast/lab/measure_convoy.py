"""Where the time of a delivery goes, from the packets and milestones of its trace.

    propagation   until the first packet about the message is there
    ordering      from then until the last one before the delivery
    cpu           while that waits for the processor
    batch         until the log of the group takes it up
    waiting       until the delivery: for other messages, which is the convoy effect

The parts add up to the time from multicast to the first delivery in a group. What remote groups
spend on the processor or in their logs stands under ordering: only the packets they then sent
tell of it. `cpu` and `batch` need milestones (`processed`, `decided`), which groups of one
process write; without them, as with replicas, they are part of waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from amcast.lab.measure_names import PARTS
from amcast.lab.measure_seeds import over_seeds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEYS: Final = ["run", "msg", "group"]


def parts(
    kept_messages: DataFrame,
    deliveries: DataFrame,
    packets: DataFrame,
    milestones: DataFrame | None,
) -> DataFrame:
    """One row a group that delivers: run, setting, seed, scope, group, msg, and us by part."""
    first = deliveries.groupBy(*KEYS).agg(F.min("at_us").alias("at_us"))
    delivered = first.join(
        kept_messages.select("run", "msg", "setting", "seed", "scope", "multicast_us"),
        on=["run", "msg"],
        how="inner",
    )
    arrivals = packets.select(
        "run", F.explode("msgs").alias("msg"), F.col("target_group").alias("group"), "received_us"
    )
    timed = _with_latest(delivered, arrivals, "received_us", "first_us", "received")
    for kind in ("processed", "decided"):
        if milestones is None:
            timed = timed.withColumn(kind, F.lit(None).cast("bigint"))
        else:
            group = F.substring_index("process", "/", 1).alias("group")
            reached_us = F.col("at_us").alias("reached_us")
            reached = milestones.where(F.col("kind") == kind)
            reached = reached.select("run", "msg", group, reached_us)
            timed = _with_latest(timed, reached, "reached_us", None, kind)
    return _split(timed)


def _with_latest(
    delivered: DataFrame, events: DataFrame, time: str, first: str | None, last: str
) -> DataFrame:
    """Add the time of the last event before each delivery, and of the first one."""
    known = events.join(delivered.select(*KEYS, "at_us"), on=KEYS, how="inner")
    before = known.where(F.col(time) <= F.col("at_us")).groupBy(*KEYS)
    wanted = [F.max(time).alias(last)] + ([F.min(time).alias(first)] if first else [])
    return delivered.join(before.agg(*wanted), on=KEYS, how="left")


def _split(timed: DataFrame) -> DataFrame:
    """Each step ends no earlier than the one before it. Who was sent nothing had it at once."""
    steps = timed.select(
        "run",
        "setting",
        "seed",
        "scope",
        "group",
        "msg",
        F.col("multicast_us").alias("t0"),
        F.greatest("multicast_us", "first_us").alias("t1"),
        F.greatest("multicast_us", "received").alias("t2"),
        F.greatest("multicast_us", "received", "processed").alias("t3"),
        F.greatest("multicast_us", "received", "processed", "decided").alias("t4"),
        F.col("at_us").alias("t5"),
    )
    differences = (
        (F.col(f"t{number + 1}") - F.col(f"t{number}")).alias(name)
        for number, name in enumerate(PARTS)
    )
    return steps.select("run", "setting", "seed", "scope", "group", "msg", *differences)


def convoy(split: DataFrame) -> DataFrame:
    """The mean of each part, over seeds, and its share of the whole."""
    total = sum((F.sum(part) for part in PARTS[1:]), F.sum(PARTS[0]))
    summed = split.groupBy("run", "setting", "seed", "scope").agg(
        F.count("msg").alias("deliveries"),
        total.alias("whole"),
        *(F.sum(part).alias(part) for part in PARTS),
    )
    long = summed.unpivot(
        ["setting", "seed", "scope", "deliveries", "whole"], list(PARTS), "part", "sum_us"
    )
    rated = long.select(
        "setting",
        "seed",
        "scope",
        "part",
        (F.col("sum_us") / F.col("deliveries")).alias("us"),
        F.when(F.col("whole") > 0, F.col("sum_us") / F.col("whole")).alias("share"),
    )
    return over_seeds(rated, ("setting", "scope", "part"), "us", "share")
