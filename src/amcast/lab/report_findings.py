"""The result in a sentence or two, and small tables that need no figure."""

from __future__ import annotations

from collections.abc import Sequence

from amcast.lab.model_graphs import broadcast, point_to_point
from amcast.lab.report_data import Results, Row, mean_over_groups

LABELS_NAMED_MAX = 5
SITES = 200

Table = tuple[str, str, Sequence[str], Sequence[Sequence[str]]]


def findings(results: Results, experiment: str) -> list[str]:
    """What came out, in words; the numbers that were published are counted elsewhere."""
    if experiment == "flexcast-overhead":
        return _burdens(results)
    if experiment == "flexcast-traffic":
        return _traffic(results)
    if results.rows("fits/curve"):
        return _model_and_runs(results)
    if results.axis is not None:
        return _at_the_top(results)
    return _first_replies(results)


def _first_replies(results: Results) -> list[str]:
    rows = results.where(
        "latency", {}, order="overlay", scope="global", destination=1, statistic="p90"
    )
    if len(rows) < 2:
        return []
    ordered = sorted(rows, key=lambda row: float(row["us"]))
    best, worst = ordered[0], ordered[-1]
    return [
        f"Nine of ten first replies to global messages come within {_ms(best)} with "
        f"{results.label(best['setting'])}, and within {_ms(worst)} with "
        f"{results.label(worst['setting'])}."
    ]


def _burdens(results: Results) -> list[str]:
    rows = results.table("overhead")
    if not rows:
        return []
    most = max(rows, key=lambda row: float(row["overhead"]))
    return [
        f"Of the messages that reach {most['group']} under {results.label(most['setting'])}, "
        f"{most['overhead']:.0%} are for others; no group bears more."
    ]


def _traffic(results: Results) -> list[str]:
    found: dict[str, list[Row]] = {}
    for row in results.where("traffic", {}, direction="received", peer="group", kind="all"):
        found.setdefault(results.label(row["setting"]), []).append(row)
    if not found:
        return []
    means = {label: mean_over_groups(rows, "bytes_s") / 1000 for label, rows in found.items()}
    listed = ", ".join(
        f"{means[label]:.1f} KB with {label}" for label in sorted(means, key=means.__getitem__)
    )
    return [f"A group receives from others each second: {listed}."]


def _at_the_top(results: Results) -> list[str]:
    rows = results.where("throughput", {}, scope="all")
    if not rows or results.axis == "sizes":
        return []
    local = _local_at_the_top(results)
    if local:
        return [f"At the highest load, local messages take on average {local}."]
    top = max(rows, key=lambda row: float(row["messages_s"]))
    return [
        f"The highest throughput, {top['messages_s']:,.0f} messages a second, has "
        f"{results.label(top['setting'])}."
    ]


def _local_at_the_top(results: Results) -> str:
    """Of clients inside groups, if few enough settings are compared to name them all."""
    rows = results.where("latency", {}, order="own", scope="local", statistic="mean")
    if not rows or len(results.labels) > LABELS_NAMED_MAX:
        return ""
    highest = max(results.axis_value(row["setting"]) or 0 for row in rows)
    at_top = [row for row in rows if results.axis_value(row["setting"]) == highest]
    return ", ".join(
        f"{row['us'] / 1000:.1f} ms with {results.label(row['setting'])}"
        for row in sorted(at_top, key=lambda row: float(row["us"]))
    )


def _model_and_runs(results: Results) -> list[str]:
    rows = [row for row in results.rows("fits/curve") if row["protocol"] == "skeen"]
    if not rows:
        return []
    top = max(rows, key=lambda row: float(row["rate"]))
    return [
        f"At {top['rate']:,.0f} messages a minute the equations say {top['model_ms']:.0f} ms until "
        f"a delivery, and simulated Skeen takes {top['simulated_ms']:.0f} ms."
    ]


def tables(results: Results) -> list[Table]:
    """All that the tables of an experiment allow."""
    made = (_kinds(results), _costs(results), _methods(results))
    return [table for table in made if table[3]]


def _kinds(results: Results) -> Table:
    """What a message costs, by kind of packet."""
    rows = [
        (
            _label(results, row),
            row["kind"],
            f"{row['packets']:.2f}",
            f"{row['bytes']:.1f}",
            f"{row['history_bytes']:.1f}" if row["history_bytes"] else "",
        )
        for row in sorted(
            results.table("kinds"), key=lambda row: (_label(results, row), -row["packets"])
        )
    ]
    head = ("what", "kind of packet", "packets a message", "bytes a message", "history bytes")
    note = "History is what a packet tells about other messages than the one it orders."
    return ("What a message costs", note, head, rows)


def _costs(results: Results) -> Table:
    rows = [
        (
            row["protocol"],
            row["published_delays"],
            f"{row['delays_2']:g}, {row['delays_3']:g}",
            row["published_messages"],
            f"{row['messages_2']}, {row['messages_3']}",
            row["note"],
        )
        for row in results.rows("fits/costs")
    ]
    head = ("protocol", "delays, published", "measured", "messages, published", "measured", "note")
    note = "One message alone to two and to three of four groups, from a process of one of them."
    return ("Delays and messages of Figure 1", note, head, rows)


def _methods(results: Results) -> Table:
    """Tables 1 and 2 of the 1988 paper, with the depth and extra nodes that were found."""
    families: dict[tuple[int, int], list[Row]] = {}
    for row in results.rows("computed/rows"):
        if row["sites"] == SITES:
            families.setdefault((row["group_size"], row["groups"]), []).append(row)
    rows = []
    for (size, groups), found in sorted(families.items()):
        total = sum(row["groups"] for row in found)
        depth = sum(row["depth_total"] for row in found) / total
        extra = sum(row["extra_total"] for row in found) / total
        costs = point_to_point(size, depth, extra)
        delays = [f"{cost.latencies:.3g} L + {cost.processing:.3g} P" for cost in costs.values()]
        messages = [f"{cost.messages:.3g}" for cost in costs.values()]
        shared = " / ".join(f"{cost.messages:.3g}" for cost in broadcast(size, depth).values())
        rows.append((f"{groups} of {size}", " / ".join(messages), " / ".join(delays), shared))
    head = ("groups", "messages", "delay at most", "messages and delays, broadcast")
    note = (
        f"Two-phase / centralised / propagation, {SITES} sites, with mean depth and extra nodes. "
        "L is the latency of a message, P the time to put one on the network."
    )
    return ("The formulas of Tables 1 and 2", note, head, rows)


def _label(results: Results, row: Row) -> str:
    label = results.label(row["setting"])
    value = results.axis_value(row["setting"])
    return label if value is None else f"{label}, {value:g}"


def _ms(row: Row) -> str:
    return f"{row['us'] / 1000:.0f} ms"
