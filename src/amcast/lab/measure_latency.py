"""Latency by destination: exact percentiles of each run, then their mean over seeds.

A sample is one reply: from the multicast until the sender has the reply of one destination.
Each client's first and last tenth of messages are left out, as in the published evaluations.

`order` says how the destinations of a message are counted: `overlay` (by their place in the
overlay), `arrival` (as replies come in), `last` (the reply that completes the message) or `own`
(of the group that the sender is in; only clients inside a group have one).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F

from amcast.lab.measure_runs import UNKNOWN_PLACE
from amcast.lab.measure_seeds import over_seeds

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# One in so many messages of a client is left out at either end.
TRIMMED: Final = 10
PERCENTILES: Final = {"p50": 50, "p90": 90, "p95": 95, "p99": 99}
KEYS: Final = ("setting", "scope", "order", "destination")


def kept(multicasts: DataFrame, described: DataFrame) -> DataFrame:
    """The messages that count: of real clients, without each one's first and last tenth."""
    by_client = Window.partitionBy("run", "sender")
    in_order = by_client.orderBy("at_us", "msg")
    of_clients = multicasts.join(F.broadcast(described), on="run", how="inner").where(
        F.col("sender") != F.col("flush_client")
    )
    numbered = of_clients.withColumn("number", F.row_number().over(in_order) - 1).withColumn(
        "trimmed", F.floor(F.count("msg").over(by_client) / TRIMMED)
    )
    total = F.count("msg").over(by_client)
    inside = (F.col("number") >= F.col("trimmed")) & (F.col("number") < total - F.col("trimmed"))
    return (
        numbered.withColumn("inside", inside)
        .where("inside")
        .select(
            "run",
            "msg",
            "setting",
            "seed",
            "home",
            F.col("at_us").alias("multicast_us"),
            F.size("dst").alias("destinations"),
            F.when(F.size("dst") == 1, "local").otherwise("global").alias("scope"),
        )
    )


def replies_of(deliveries: DataFrame) -> DataFrame:
    """Where nobody wrote replies down: a group's first delivery stands for one."""
    return deliveries.groupBy("run", "msg", "group").agg(F.min("at_us").alias("at_us"))


def samples(kept_messages: DataFrame, replies: DataFrame, places: DataFrame) -> DataFrame:
    """One row a reply and way of counting: setting, run, seed, scope, order, destination, us."""
    of_message = Window.partitionBy("run", "msg")
    place = F.coalesce("place", F.lit(UNKNOWN_PLACE))
    counted = (
        replies.join(kept_messages, on=["run", "msg"], how="inner")
        .join(F.broadcast(places), on=["run", "group"], how="left")
        .withColumn("by_place", F.row_number().over(of_message.orderBy(place, "group")))
        .withColumn("by_arrival", F.row_number().over(of_message.orderBy("at_us", "group")))
    )
    last = F.col("by_arrival") == F.col("destinations")
    own = F.coalesce(F.col("group") == F.col("home"), F.lit(False))
    ways = F.array(
        _way("scope", "overlay", F.col("by_place")),
        _way("scope", "arrival", F.col("by_arrival")),
        *(F.when(last, _way(scope, "last", F.lit(0))) for scope in ("scope", "all")),
        *(F.when(own, _way(scope, "own", F.lit(0))) for scope in ("scope", "all")),
    )
    latency = (F.col("at_us") - F.col("multicast_us")).alias("latency_us")
    exploded = counted.select(
        "run", "setting", "seed", latency, F.explode(F.array_compact(ways)).alias("way")
    )
    return exploded.select("run", "setting", "seed", "way.*", "latency_us")


def _way(scope: str, order: str, destination: Column) -> Column:
    which = F.lit("all") if scope == "all" else F.col(scope)
    return F.struct(
        which.alias("scope"),
        F.lit(order).alias("order"),
        destination.cast("int").alias("destination"),
    )


def summarised(sampled: DataFrame) -> DataFrame:
    """Each run in one pass: keys, run, seed, samples, mean, and `q`, all hundredths."""
    return sampled.groupBy("run", "seed", *KEYS).agg(*_statistics())


def by_seed(summaries: DataFrame) -> DataFrame:
    """Every statistic of every run: keys, run, seed, samples, statistic, us."""
    return _unpivoted(summaries, ("run", "seed", *KEYS, "samples"))


def latency(by_seed_rows: DataFrame, sampled: DataFrame) -> DataFrame:
    """Over seeds, beside the same statistic of all samples thrown together."""
    keys = (*KEYS, "statistic")
    fewest = F.min("samples").alias("samples_min")
    means = over_seeds(by_seed_rows, keys, "us", also=[fewest])
    together = sampled.groupBy(*KEYS).agg(*_statistics())
    pooled = _unpivoted(together, (*KEYS, "samples")).withColumnRenamed("us", "pooled_us")
    return means.join(pooled, on=list(keys), how="inner")


def quantiles(summaries: DataFrame) -> DataFrame:
    """The distribution: the latency that a share of the samples does not exceed, over seeds."""
    drawn = summaries.where(F.col("order").isin("overlay", "arrival", "last")).where(
        F.col("scope") != "all"
    )
    rows = drawn.select("run", "seed", *KEYS, F.posexplode("q").alias("hundredth", "us"))
    return over_seeds(rows, (*KEYS, "hundredth"), "us")


def _statistics() -> list[Column]:
    shares = F.array(*(F.lit(number / 100) for number in range(101)))
    return [
        F.count("latency_us").alias("samples"),
        # Integers are added up, and divided once.
        (F.sum("latency_us") / F.count("latency_us")).alias("mean"),
        F.percentile("latency_us", shares).alias("q"),
    ]


def _unpivoted(summaries: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    percentiles = [F.col("q")[hundredth].alias(name) for name, hundredth in PERCENTILES.items()]
    wide = summaries.select(*keys, "mean", *percentiles)
    return wide.unpivot(list(keys), [*PERCENTILES, "mean"], "statistic", "us")
