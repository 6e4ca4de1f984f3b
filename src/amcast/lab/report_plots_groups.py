"""Figures of single groups: overhead, the parts of a delivery's time, traffic."""

from __future__ import annotations

from collections.abc import Iterator

from amcast.lab.measure_names import PARTS
from amcast.lab.report_charts import Plot, bars, lines, stacked
from amcast.lab.report_data import Results, Row
from amcast.lab.report_plots_lines import AXIS_TITLES, line_plots


def _ms(us: float | None) -> float | None:
    return None if us is None else round(us / 1000, 3)


def overheads(results: Results) -> Iterator[Plot]:
    """Only where some protocol has overhead."""
    found = results.table("overhead")
    if not any(row["overhead"] > 0 for row in found):
        return
    rows = [
        {
            "label": results.label(row["setting"]),
            "category": row["group"],
            "value": round(100 * row["overhead"], 3),
        }
        for row in found
        if row["overhead"] > 0
    ]
    order = found[0]["setting"].order()
    categories = [group for group in order if any(row["category"] == group for row in rows)]
    used = [label for label in results.labels if any(row["label"] == label for row in rows)]
    alone = f" Only {used[0]} has any." if len(used) == 1 else ""
    yield Plot(
        "overhead",
        "What groups handle for others",
        "Of the messages that a group receives, the share that is not for it. Groups without any "
        f"are left out.{alone}",
        rows,
        bars(rows, used, categories, "overhead, %"),
    )


def convoys(results: Results) -> Iterator[Plot]:
    """Where the time of a delivery goes."""
    for scope in ("local", "global"):
        rows = [
            {
                "label": _with_axis(results, row),
                "part": row["part"],
                "position": PARTS.index(row["part"]),
                "value": _ms(row["us"]),
                "share": row["share"],
            }
            for row in results.where("convoy", {}, scope=scope)
        ]
        if rows:
            rows.sort(key=lambda row: (row["label"], row["position"]))
            labels = list(dict.fromkeys(row["label"] for row in rows))
            yield Plot(
                f"convoy-{scope}",
                f"Where the time of {scope} messages goes",
                "From the multicast to a delivery, on average. Waiting for other messages is the "
                "convoy effect.",
                rows,
                stacked(_seen(rows), labels, PARTS, "mean, ms"),
            )


def _seen(rows: list[Row]) -> list[Row]:
    """Without the parts that take no time anywhere."""
    seen = {row["part"] for row in rows if row["value"]}
    return [row for row in rows if row["part"] in seen]


def _with_axis(results: Results, row: Row) -> str:
    label = results.label(row["setting"])
    value = results.axis_value(row["setting"])
    return label if value is None else f"{label}, {value:g}"


def traffic(results: Results) -> Iterator[Plot]:
    """By group, as Figure 8 of the FlexCast paper has it; over loads, only their mean."""
    found = results.where("traffic", {}, direction="received", peer="group", kind="all")
    if results.axis is not None:
        yield from _traffic_against_axis(results)
        return
    drawn = {
        "packets_s": ("Messages received from other groups", "messages a second", 1),
        "packet_bytes": ("Mean size of a message", "bytes", 1),
        "bytes_s": ("Traffic received from other groups", "KB a second", 1000),
    }
    for column, (title, unit, divisor) in drawn.items():
        rows = [
            {
                "label": results.label(row["setting"]),
                "group": row["group"],
                "x": row["setting"].order().index(row["group"]) + 1,
                "value": round(row[column] / divisor, 3),
                "low": _scaled(row[f"{column}_low"], divisor),
                "high": _scaled(row[f"{column}_high"], divisor),
            }
            for row in found
        ]
        if rows:
            rows.sort(key=lambda row: (row["label"], row["x"]))
            axes = (("x", "place of the group in the overlay"), ("value", unit))
            chart = lines(rows, results.labels, *axes)
            yield Plot(f"traffic-{column.replace('_', '-')}", title, "", rows, chart)


def _traffic_against_axis(results: Results) -> Iterator[Plot]:
    assert results.axis is not None
    sums: dict[tuple[str, float | None], list[float]] = {}
    for row in results.where("traffic", {}, direction="sent", peer="group", kind="all"):
        key = (results.label(row["setting"]), results.axis_value(row["setting"]))
        sums.setdefault(key, []).append(row["bytes_s"])
    rows = [
        {"label": label, "x": x, "value": round(sum(found) / len(found) / 1000, 3)}
        for (label, x), found in sorted(
            sums.items(), key=lambda item: (item[0][0], item[0][1] or 0)
        )
    ]
    if rows:
        x = ("x", AXIS_TITLES[results.axis])
        y = ("value", "KB a second and group")
        yield from line_plots(
            "traffic-sent", "Traffic sent to other groups", rows, results.labels, x, y
        )


def _scaled(value: float | None, divisor: int) -> float | None:
    return None if value is None else round(value / divisor, 3)
