"""A proof by SQL that a run is right, for runs too long for the memory of one task.

In tiers, each a grouping in which every machine has a part:

1. counts: each message is delivered exactly once by exactly the processes it is addressed to.
   So integrity, validity and agreement hold;
2. replicas: the processes of a group have the same message at every position, without gaps;
3. certificate: every message has one `ts`, and it rises along each group's sequence. Then no
   cycle is possible, and with all messages everywhere, prefix order follows;
4. real time: it also rises from each message to all that are multicast after its delivery.

A run that fails any of them, or has no `ts`, or has faults, is not wrong but unproven: it is left
to the checker. So this can save memory, and never changes a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from amcast.check import History, Verdict, check
from amcast.lab.verify_runs import Judged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Processes are bits of a number.
PROCESSES_MAX: Final = 63


@dataclass(frozen=True)
class _Members:
    """The bit of each process, and of each group those of its processes."""

    processes: Mapping[str, int]
    groups: Mapping[str, int]


def prove(tables: Mapping[str, DataFrame], run: Judged) -> Verdict | None:
    """The verdict on a run of which everything that it can keep is proven, else None."""
    own = {name: frame.where(frame.run == run.name) for name, frame in tables.items()}
    members = _members(own)
    if members is None or ("faults" in own and not own["faults"].isEmpty()):
        return None
    messages = _messages(own, members)
    if not _all(messages, "complete") or not _replicas_agree(own["deliveries"], members):
        return None
    if not _follows_time(messages):
        return None
    return _verdict(run, own)


def _members(own: Mapping[str, DataFrame]) -> _Members | None:
    """Who is in which group; None if there is anything odd about it."""
    seen = {tuple(row) for row in own["deliveries"].select("process", "group").distinct().collect()}
    listed = set()
    if "processes" in own:
        rows = own["processes"].select("process", "group").distinct().collect()
        listed = {tuple(row) for row in rows}
    pairs = sorted(seen | listed)
    unknown = {group for _, group in seen} - {group for _, group in listed}
    processes = {process: 1 << at for at, (process, _) in enumerate(pairs)}
    if not 0 < len(pairs) <= PROCESSES_MAX or len(processes) < len(pairs) or (listed and unknown):
        return None
    groups: dict[str, int] = {}
    for process, group in pairs:
        groups[group] = groups.get(group, 0) | processes[process]
    return _Members(processes, groups)


def _messages(own: Mapping[str, DataFrame], members: _Members) -> DataFrame:
    """A row for each message: `complete` says whether the first tier is satisfied."""
    from pyspark.sql import functions as F

    wanted = F.aggregate(
        F.transform("dst", lambda group: _bit(members.groups, group)),
        F.lit(0).cast("bigint"),
        lambda all_bits, bits: all_bits.bitwiseOR(bits),
    )
    multicasts, deliveries = own["multicasts"].groupBy("msg"), own["deliveries"].groupBy("msg")
    multicast = multicasts.agg(
        F.count("*").alias("rows"),
        F.min(wanted).alias("wanted"),
        F.min("at_us").alias("sent_us"),
    )
    delivered = deliveries.agg(
        F.count("*").alias("count"),
        F.bit_or(_bit(members.processes, F.col("process"))).alias("by"),
        F.min("at_us").alias("first_us"),
        F.min("ts").alias("ts"),
        F.max("ts").alias("ts_most"),
        F.count("ts").alias("stamped"),
    )
    complete = (
        (F.col("rows") == 1)
        & (F.col("by") == F.col("wanted"))
        & (F.bit_count("by") == F.col("count"))
        & (F.col("ts") == F.col("ts_most"))
        & (F.col("stamped") == F.col("count"))
    )
    return multicast.join(delivered, "msg", "full").withColumn("complete", complete)


def _replicas_agree(deliveries: DataFrame, members: _Members) -> bool:
    """The second tier, and the third: one sequence for a group, along which `ts` rises."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    positions = deliveries.groupBy("group", "seq").agg(
        F.count("*").alias("count"),
        F.bit_or(_bit(members.processes, F.col("process"))).alias("by"),
        (F.min("msg") == F.max("msg")).alias("same"),
        F.min("ts").alias("ts"),
    )
    in_order = Window.partitionBy("group").orderBy("seq")
    before = F.lag("ts").over(in_order)
    right = (
        F.col("same")
        & (F.col("by") == _bit(members.groups, F.col("group")))
        & (F.bit_count("by") == F.col("count"))
        & (F.col("seq") == F.row_number().over(in_order) - 1)
        & F.coalesce(before < F.col("ts"), F.col("seq") == 0)
    )
    return _all(positions.select(right.alias("right")), "right")


def _follows_time(messages: DataFrame) -> bool:
    """The fourth tier: whatever is delivered before a multicast has a lower `ts`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    delivered = messages.select(F.col("first_us").alias("at_us"), F.col("ts").alias("done"))
    sent = messages.select(F.col("sent_us").alias("at_us"), F.col("ts").alias("new"))
    moments = delivered.unionByName(sent, allowMissingColumns=True)
    earlier = Window.orderBy("at_us").rangeBetween(Window.unboundedPreceding, -1)
    highest = F.max("done").over(earlier)
    right = F.col("new").isNull() | highest.isNull() | (highest < F.col("new"))
    return _all(moments.select(right.alias("right")), "right")


def _verdict(run: Judged, own: Mapping[str, DataFrame]) -> Verdict | None:
    """As the checker words it for a run in which nothing happened."""
    silent = History(run.name, run.complete)
    silent.has_packets = run.has_packets
    silent.has_keys = not own["multicasts"].where("keys is not null").isEmpty()
    if run.has_packets and not _is_genuine(own):
        return None
    findings = check(silent, required=run.promised).properties
    return Verdict(run.name, findings, own["multicasts"].count(), own["deliveries"].count())


def _is_genuine(own: Mapping[str, DataFrame]) -> bool:
    """Whether both ends of each packet are a client, a destination or the sender's group."""
    from pyspark.sql import functions as F

    ends = own["packets"].select("source_group", "target_group", F.explode("msgs").alias("msg"))
    about = ends.distinct().join(own["multicasts"].select("msg", "dst", "home"), "msg", "left")

    def allowed(end: str) -> Column:
        inside = F.array_contains("dst", F.col(end)) | F.col(end).eqNullSafe(F.col("home"))
        return F.col(end).isNull() | inside

    right = F.col("dst").isNotNull() & allowed("source_group") & allowed("target_group")
    return _all(about.select(right.alias("right")), "right")


def _bit(bits: Mapping[str, int], name: Column) -> Column:
    from pyspark.sql import functions as F

    pairs = [F.lit(cell) for cell in chain.from_iterable(bits.items())]
    return F.element_at(F.create_map(*pairs), name).cast("bigint")


def _all(frame: DataFrame, column: str) -> bool:
    """Whether it is true in every row; null is not."""
    from pyspark.sql import functions as F

    return frame.where(~F.coalesce(F.col(column), F.lit(False))).isEmpty()
