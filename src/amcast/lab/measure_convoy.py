"""Where the time of a delivery goes, from the milestones of its trace.

    propagation   until the first packet about the message is there
    ordering      from then until the last one before the delivery
    cpu           while that waits for the processor
    batch         until the log of the group takes it up
    waiting       until the delivery: for other messages, which is the convoy effect

The parts add up to the time from multicast to the first delivery in a group. What a group does on
the processor or in its log before its last packet comes stands under ordering, and so does what
remote groups do: only the packets they then sent tell of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from amcast.lab.measure_names import PARTS
from amcast.lab.measure_seeds import over_seeds

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KEYS: Final = ["run", "msg", "group"]
OF_A_DELIVERY: Final = ("setting", "seed", "scope", "multicast_us", "at_us")


def parts(kept_messages: DataFrame, deliveries: DataFrame, milestones: DataFrame) -> DataFrame:
    """One row a group that delivers: run, setting, seed, scope, group, msg, and us by part."""
    first = deliveries.groupBy(*KEYS).agg(F.min("at_us").alias("at_us"))
    delivered = first.join(
        kept_messages.select("run", "msg", "setting", "seed", "scope", "multicast_us"),
        on=["run", "msg"],
        how="inner",
    )
    group = F.substring_index("process", "/", 1).alias("group")
    reached = milestones.select("run", "msg", group, "kind", F.col("at_us").alias("reached_us"))
    before = reached.join(delivered, on=KEYS, how="inner").where("reached_us <= at_us")
    # A run that kept no milestones has nothing to be split. The rest is the same for all rows of
    # a delivery: to group it along saves a join of tables that are the largest there are.
    return _split(
        before.groupBy(*KEYS).agg(
            *(F.first(name).alias(name) for name in OF_A_DELIVERY),
            F.min(_time_of("received")).alias("first"),
            *(F.max(_time_of(kind)).alias(kind) for kind in ("received", "processed", "decided")),
        )
    )


def _time_of(kind: str) -> Column:
    return F.when(F.col("kind") == kind, F.col("reached_us"))


def _split(timed: DataFrame) -> DataFrame:
    """Each step ends no earlier than the one before it."""
    steps = timed.select(
        "run",
        "setting",
        "seed",
        "scope",
        "group",
        "msg",
        F.col("multicast_us").alias("t0"),
        F.greatest("multicast_us", "first").alias("t1"),
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
