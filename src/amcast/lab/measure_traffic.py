"""What runs send: throughput, traffic by group and kind, and the overhead of not being genuine.

Rates count what happens between a tenth and nine tenths of the time in which clients send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from amcast.lab.measure_seeds import over_seeds

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

TRIMMED: Final = 10
US_PER_S: Final = 1_000_000
ENDS: Final = ("run", "group", "direction", "peer", "kind")


def windows(multicasts: DataFrame, described: DataFrame) -> DataFrame:
    """Run, setting, seed, and the time that counts: from `from_us` on, before `to_us`."""
    senders = multicasts.join(F.broadcast(described), on="run", how="inner").where(
        F.col("sender") != F.col("flush_client")
    )
    spans = senders.groupBy("run", "setting", "seed").agg(
        F.min("at_us").alias("first"), F.max("at_us").alias("last")
    )
    tenth = F.floor((F.col("last") - F.col("first")) / TRIMMED)
    return spans.select(
        "run",
        "setting",
        "seed",
        (F.col("first") + tenth).alias("from_us"),
        (F.col("last") - tenth).alias("to_us"),
    ).where("to_us > from_us")


def throughput(multicasts: DataFrame, replies: DataFrame, windows: DataFrame) -> DataFrame:
    """Messages a second whose last reply came in the window; local, global and all."""
    sizes = multicasts.select("run", "msg", F.size("dst").alias("destinations"))
    done = replies.groupBy("run", "msg").agg(
        F.max("at_us").alias("done_us"), F.count("group").alias("replied")
    )
    complete = (
        done.join(sizes, on=["run", "msg"], how="inner")
        .where("replied = destinations")
        .join(F.broadcast(windows), on="run", how="inner")
        .where("done_us >= from_us and done_us < to_us")
    )
    scope = F.when(F.col("destinations") == 1, "local").otherwise("global")
    counted = complete.select(
        "run",
        "setting",
        "seed",
        (F.col("to_us") - F.col("from_us")).alias("window_us"),
        F.explode(F.array(scope, F.lit("all"))).alias("scope"),
    )
    rates = counted.groupBy("run", "setting", "seed", "scope", "window_us").agg(
        (F.count("seed") * US_PER_S / F.col("window_us")).alias("messages_s")
    )
    return over_seeds(rates, ("setting", "scope"), "messages_s")


def counted_packets(packets: DataFrame, windows: DataFrame) -> DataFrame:
    """Packets and bytes in the window by group, direction, peer and kind; and its length."""
    inside = packets.join(F.broadcast(windows), on="run", how="inner").where(
        "sent_us >= from_us and sent_us < to_us"
    )
    length = (F.col("to_us") - F.col("from_us")).alias("window_us")
    rows = inside.select(
        "run", length, "source_group", "target_group", "kind", F.lit(1).alias("packets"), "bytes"
    )
    return _by_end(rows)


def counted_traffic(traffic: DataFrame, windows: DataFrame) -> DataFrame:
    """The same from counts a second: whole seconds inside the window, none in short runs."""
    first = F.ceil(F.col("from_us") / US_PER_S)
    last = F.floor(F.col("to_us") / US_PER_S)
    seconds = windows.withColumn("first", first).withColumn("last", last).where("last > first")
    inside = traffic.join(F.broadcast(seconds), on="run", how="inner").where(
        "second >= first and second < last"
    )
    length = ((F.col("last") - F.col("first")) * US_PER_S).alias("window_us")
    rows = inside.select("run", length, "source_group", "target_group", "kind", "packets", "bytes")
    return _by_end(rows)


def _by_end(rows: DataFrame) -> DataFrame:
    """Each packet once where it was sent and once where it went; clients are no groups.

    `peer` is who has the other end: a client, another group, or the same one (inside).
    """
    ends = F.array(
        _end("source_group", "sent", "target_group"),
        _end("target_group", "received", "source_group"),
    )
    both = rows.select("run", "window_us", F.explode(ends).alias("end"), "kind", "packets", "bytes")
    known = both.select("run", "window_us", "end.*", "kind", "packets", "bytes")
    return (
        known.where(F.col("group").isNotNull())
        .groupBy(*ENDS, "window_us")
        .agg(F.sum("packets").alias("packets"), F.sum("bytes").alias("bytes"))
    )


def _end(group: str, direction: str, other: str) -> Column:
    same = F.col(other) == F.col(group)
    peer = F.when(F.col(other).isNull(), "client").when(same, "inside").otherwise("group")
    return F.struct(
        F.col(group).alias("group"), F.lit(direction).alias("direction"), peer.alias("peer")
    )


def traffic(counted: DataFrame, windows: DataFrame) -> DataFrame:
    """Packets a second, bytes a second and bytes a packet, by group and kind, over seeds.

    The kind `all` is all kinds together. A group without packets of a kind has none of it.
    """
    both = counted.withColumn("kind", F.explode(F.array("kind", F.lit("all"))))
    summed = both.groupBy(*ENDS, "window_us").agg(
        F.sum("packets").alias("packets"), F.sum("bytes").alias("bytes")
    )
    rated = summed.join(F.broadcast(windows.select("run", "setting", "seed")), on="run").select(
        "setting",
        "seed",
        *ENDS[1:],
        (F.col("packets") * US_PER_S / F.col("window_us")).alias("packets_s"),
        (F.col("bytes") * US_PER_S / F.col("window_us")).alias("bytes_s"),
        (F.col("bytes") / F.col("packets")).alias("packet_bytes"),
    )
    keys = ("setting", *ENDS[1:])
    return over_seeds(rated, keys, "packets_s", "bytes_s", "packet_bytes")


def overhead(packets: DataFrame, deliveries: DataFrame, described: DataFrame) -> DataFrame:
    """By group, 1 - delivered / received messages: what it handled only for others, over seeds.

    A message counts as received once, whatever the number of packets that carry it.
    """
    ours = F.broadcast(described)
    payloads = packets.where(F.col("payload") & F.col("received_us").isNotNull()).select(
        "run", F.col("target_group").alias("group"), F.explode("msgs").alias("msg")
    )
    received = (
        payloads.distinct()
        .join(ours, on="run", how="inner")
        .where(~F.col("msg").startswith(F.concat("flush_client", F.lit(":"))))
        .groupBy("run", "setting", "seed", "group")
        .agg(F.count("msg").alias("received"))
    )
    delivered = (
        deliveries.join(ours, on="run", how="inner")
        .where(~F.col("msg").startswith(F.concat("flush_client", F.lit(":"))))
        .groupBy("run", "group")
        .agg(F.countDistinct("msg").alias("delivered"))
    )
    shares = received.join(delivered, on=["run", "group"], how="left").select(
        "setting",
        "seed",
        "group",
        (1 - F.coalesce("delivered", F.lit(0)) / F.col("received")).alias("overhead"),
    )
    return over_seeds(shares, ("setting", "group"), "overhead")


def overhead_summary(overheads: DataFrame) -> DataFrame:
    """Mean, standard deviation and maximum over the groups, as published."""
    ordered = F.array_sort(F.collect_list("overhead"))
    gathered = overheads.groupBy("setting").agg(
        F.min("seeds").alias("seeds"), F.count("overhead").alias("groups"), ordered.alias("all")
    )
    total = F.aggregate("all", F.lit(0.0), lambda sum, x: sum + x)
    mean = gathered.withColumn("mean", total / F.col("groups"))
    squares = F.aggregate(
        F.transform("all", lambda x: (x - F.col("mean")) * (x - F.col("mean"))),
        F.lit(0.0),
        lambda sum, x: sum + x,
    )
    spread = F.when(F.col("groups") > 1, F.sqrt(squares / (F.col("groups") - 1)))
    return mean.select(
        "setting", "seeds", "groups", "mean", spread.alias("sd"), F.array_max("all").alias("most")
    )


def kinds(packets: DataFrame, multicasts: DataFrame, described: DataFrame) -> DataFrame:
    """What a message costs: packets and bytes a message by kind, history bytes among them.

    What the replicas of a group tell each other is left out. Packets of the flush client's
    messages count, since the protocol needs them; they are no messages themselves.
    """
    messages = (
        multicasts.join(F.broadcast(described), on="run", how="inner")
        .where(F.col("sender") != F.col("flush_client"))
        .groupBy("run", "setting", "seed")
        .agg(F.count("msg").alias("messages"))
    )
    history = F.sum(F.coalesce("history_bytes", F.lit(0)))
    between = F.col("source_group").isNull() | (F.col("source_group") != F.col("target_group"))
    sums = (
        packets.where(between)
        .groupBy("run", "kind")
        .agg(
            F.count("kind").alias("packets"),
            F.sum("bytes").alias("bytes"),
            history.alias("history"),
        )
    )
    rated = sums.join(F.broadcast(messages), on="run", how="inner").select(
        "setting",
        "seed",
        "kind",
        *((F.col(name) / F.col("messages")).alias(name) for name in ("packets", "bytes")),
        (F.col("history") / F.col("messages")).alias("history_bytes"),
    )
    return over_seeds(rated, ("setting", "kind"), "packets", "bytes", "history_bytes")
