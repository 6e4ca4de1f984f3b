"""A proof by SQL that runs are right, for runs too long for the memory of one task.

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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from amcast.check import History, Verdict, check
from amcast.lab.verify_runs import Judged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Processes are bits of a number.
PROCESSES_MAX: Final = 63

Frames = Mapping[str, "DataFrame"]
# By run, by name: bits.
Bits = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class _Members:
    """For each run, the bit of each process, and of each group those of its processes."""

    processes: Bits
    groups: Bits


def prove(tables: Frames, runs: Sequence[Judged]) -> dict[str, Verdict]:
    """The verdicts on those of the runs of which everything that they can keep is proven."""
    own = _of(tables, runs)
    unproven = _names(own["deliveries"].where("ts is null"))
    if "faults" in own:
        unproven |= _names(own["faults"])
    left = [run for run in runs if run.name not in unproven]
    if not left:
        return {}  # most often: the protocols here write no `ts`
    members = _members(_of(tables, left))
    left = [run for run in left if run.name in members.groups]
    for tier in (_incomplete, _replicas_differ, _against_time):
        if not left:
            return {}
        failed = tier(_of(tables, left), members)
        left = [run for run in left if run.name not in failed]
    own = _of(tables, left)
    if any(run.has_packets for run in left):
        strange = _not_genuine(own)
        left = [run for run in left if not (run.has_packets and run.name in strange)]
    return _verdicts(own, left) if left else {}


def _of(tables: Frames, runs: Iterable[Judged]) -> Frames:
    names = [run.name for run in runs]
    return {name: frame.where(frame.run.isin(names)) for name, frame in tables.items()}


def _members(own: Frames) -> _Members:
    """Who is in which group, in the runs in which there is nothing odd about it."""
    seen, listed = _pairs(own["deliveries"]), _pairs(own.get("processes"))
    processes: dict[str, Mapping[str, int]] = {}
    groups: dict[str, Mapping[str, int]] = {}
    for run, delivering in seen.items():
        known = listed.get(run, set())
        pairs = sorted(delivering | known)
        unknown = {group for _, group in delivering} - {group for _, group in known}
        bits = {process: 1 << at for at, (process, _) in enumerate(pairs)}
        if len(pairs) > PROCESSES_MAX or len(bits) < len(pairs) or (known and unknown):
            continue
        of_groups: dict[str, int] = {}
        for process, group in pairs:
            of_groups[group] = of_groups.get(group, 0) | bits[process]
        processes[run], groups[run] = bits, of_groups
    return _Members(processes, groups)


def _pairs(frame: DataFrame | None) -> dict[str, set[tuple[str, str]]]:
    """The processes of each run, each with its group."""
    found: dict[str, set[tuple[str, str]]] = {}
    rows = [] if frame is None else frame.select("run", "process", "group").distinct().collect()
    for run, process, group in rows:
        found.setdefault(run, set()).add((process, group))
    return found


def _incomplete(own: Frames, members: _Members) -> set[str]:
    """The first tier."""
    return _failing(_messages(own, members), "complete")


def _messages(own: Frames, members: _Members) -> DataFrame:
    """A row for each message: `complete` says whether the first tier is satisfied."""
    from pyspark.sql import functions as F

    wanted = F.aggregate(
        F.transform("dst", lambda group: _bit(members.groups, group)),
        F.lit(0).cast("bigint"),
        lambda all_bits, bits: all_bits.bitwiseOR(bits),
    )
    multicasts = own["multicasts"].groupBy("run", "msg")
    deliveries = own["deliveries"].groupBy("run", "msg")
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
    return multicast.join(delivered, ["run", "msg"], "full").withColumn("complete", complete)


def _replicas_differ(own: Frames, members: _Members) -> set[str]:
    """The second tier, and the third: one sequence for a group, along which `ts` rises."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    positions = (
        own["deliveries"]
        .groupBy("run", "group", "seq")
        .agg(
            F.count("*").alias("count"),
            F.bit_or(_bit(members.processes, F.col("process"))).alias("by"),
            (F.min("msg") == F.max("msg")).alias("same"),
            F.min("ts").alias("ts"),
        )
    )
    in_order = Window.partitionBy("run", "group").orderBy("seq")
    before = F.lag("ts").over(in_order)
    right = (
        F.col("same")
        & (F.col("by") == _bit(members.groups, F.col("group")))
        & (F.bit_count("by") == F.col("count"))
        & (F.col("seq") == F.row_number().over(in_order) - 1)
        & F.coalesce(before < F.col("ts"), F.col("seq") == 0)
    )
    return _failing(positions.select("run", right.alias("right")), "right")


def _against_time(own: Frames, members: _Members) -> set[str]:
    """The fourth tier: whatever is delivered before a multicast has a lower `ts`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    messages = _messages(own, members)
    delivered = messages.select("run", F.col("first_us").alias("at_us"), F.col("ts").alias("done"))
    sent = messages.select("run", F.col("sent_us").alias("at_us"), F.col("ts").alias("new"))
    moments = delivered.unionByName(sent, allowMissingColumns=True)
    in_time = Window.partitionBy("run").orderBy("at_us")
    highest = F.max("done").over(in_time.rangeBetween(Window.unboundedPreceding, -1))
    right = F.col("new").isNull() | highest.isNull() | (highest < F.col("new"))
    return _failing(moments.select("run", right.alias("right")), "right")


def _not_genuine(own: Frames) -> set[str]:
    """Where an end of a packet is neither a client, nor a destination, nor the sender's group.

    The others are minimal, too: a destination of the message is one of some message.
    """
    from pyspark.sql import functions as F

    packets = own["packets"].withColumn("msg", F.explode("msgs"))
    ends = packets.select("run", "source_group", "target_group", "msg").distinct()
    about = ends.join(own["multicasts"].select("run", "msg", "dst", "home"), ["run", "msg"], "left")

    def allowed(end: str) -> Column:
        inside = F.array_contains("dst", F.col(end)) | F.col(end).eqNullSafe(F.col("home"))
        return F.col(end).isNull() | inside

    right = F.col("dst").isNotNull() & allowed("source_group") & allowed("target_group")
    return _failing(about.select("run", right.alias("right")), "right")


def _verdicts(own: Frames, runs: Iterable[Judged]) -> dict[str, Verdict]:
    """As the checker words it for runs in which nothing happened."""
    with_keys = _names(own["multicasts"].where("keys is not null"))
    multicasts, deliveries = (
        {row["run"]: row["count"] for row in own[name].groupBy("run").count().collect()}
        for name in ("multicasts", "deliveries")
    )
    found: dict[str, Verdict] = {}
    for run in runs:
        silent = History(run.name, run.complete)
        silent.has_packets = run.has_packets
        silent.has_keys = run.name in with_keys
        findings = check(silent, required=run.promised).properties
        found[run.name] = Verdict(run.name, findings, multicasts[run.name], deliveries[run.name])
    return found


def _bit(bits: Bits, name: Column) -> Column:
    """The bit of a name in the run of the row; null if it has none."""
    from pyspark.sql import functions as F

    runs = [
        each
        for run, of_run in bits.items()
        for each in (F.lit(run), F.create_map(*map(F.lit, chain.from_iterable(of_run.items()))))
    ]
    return F.element_at(F.element_at(F.create_map(*runs), F.col("run")), name).cast("bigint")


def _failing(frame: DataFrame, column: str) -> set[str]:
    """The runs in which it is not true in every row; null is not."""
    from pyspark.sql import functions as F

    return _names(frame.where(~F.coalesce(F.col(column), F.lit(False))))


def _names(frame: DataFrame) -> set[str]:
    return {row["run"] for row in frame.select("run").distinct().collect()}
