"""Which figures a page has: those that its tables have the data for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from amcast.lab.published import STATISTICS, values
from amcast.lab.report_charts import Plot, dots, lines
from amcast.lab.report_data import Results, Row
from amcast.lab.report_plots_groups import convoys, overheads, traffic
from amcast.lab.report_plots_lines import AXIS_TITLES, line_plots
from amcast.lab.report_plots_models import model_plots

ORDERS: Final = {"overlay": "in the order of the overlay", "arrival": "in the order of arrival"}
ORDINALS: Final = {1: "First", 2: "Second", 3: "Third"}


# What an experiment is about comes first; else it is latency.
FIRST: Final = {
    "flexcast-overhead": "overhead",
    "flexcast-traffic": "traffic",
    "convoy-model": "convoy",
    "convoy-local": "latency-local",
    "disaster-cost": "latency-global",
}


def plots(results: Results, experiment: str) -> list[Plot]:
    """All figures, the most telling first."""
    first = FIRST.get(experiment, "")
    return sorted(_all(results, experiment), key=lambda plot: not plot.name.startswith(first))


def _all(results: Results, experiment: str) -> Iterator[Plot]:
    if results.axis is not None:
        yield from _against_axis(results)
    elif results.table("latency"):
        yield from _by_destination(results, experiment)
        yield from _distributions(results)
    yield from model_plots(results)
    yield from overheads(results)
    yield from convoys(results)
    yield from traffic(results)


def _ms(us: float | None) -> float | None:
    return None if us is None else round(us / 1000, 3)


def _low_ms(us: float | None) -> float | None:
    """Few seeds have wide bounds, but no latency is negative."""
    return None if us is None else _ms(max(us, 0.0))


def _by_destination(results: Results, experiment: str) -> Iterator[Plot]:
    """Percentiles until each destination's reply, both ways of counting them."""
    printed = {
        (str(sorted(value.where.items())), *value.details): value.value
        for value in values()
        if value.experiment == experiment and value.measure == "latency_ms"
    }
    wheres = {
        str(sorted(value.where.items())): value.where
        for value in values()
        if value.experiment == experiment and value.measure == "latency_ms"
    }
    for order, words in ORDERS.items():
        for destination, ordinal in ORDINALS.items():
            rows: list[Row] = []
            for row in results.where("latency", {}, order=order, scope="global"):
                if row["destination"] != destination or row["statistic"] not in STATISTICS:
                    continue
                key = next((k for k, w in wheres.items() if row["setting"].matches(w)), "")
                published = printed.get((key, destination, row["statistic"]))
                rows.append(
                    {
                        "label": results.label(row["setting"]),
                        "shade": row["statistic"],
                        "value": _ms(row["us"]),
                        "low": _low_ms(row["us_low"]),
                        "high": _ms(row["us_high"]),
                        "published": published if order == "overlay" else None,
                        "samples": row["samples"],
                    }
                )
            if rows:
                hollow = any(row["published"] is not None for row in rows)
                note = "Hollow diamonds are published values." if hollow else ""
                yield Plot(
                    f"latency-{order}-{destination}",
                    f"{ordinal} destination, {words}",
                    note,
                    rows,
                    dots(rows, results.labels, "latency, ms", STATISTICS, hollow),
                )


def _distributions(results: Results) -> Iterator[Plot]:
    for destination, ordinal in ORDINALS.items():
        rows = [
            {
                "label": results.label(row["setting"]),
                "value": _ms(row["us"]),
                "share": row["hundredth"],
                "low": _low_ms(row["us_low"]),
                "high": _ms(row["us_high"]),
            }
            for row in results.where("quantiles", {}, order="overlay", scope="global")
            if row["destination"] == destination
        ]
        if rows:
            axes = (("value", "latency, ms"), ("share", "share of replies, %"))
            yield Plot(
                f"distribution-{destination}",
                f"Distribution until the {ordinal.lower()} destination",
                "",
                rows,
                lines(rows, results.labels, *axes, points=False, sideways=True),
            )


def _against_axis(results: Results) -> Iterator[Plot]:
    """Throughput and latency as the load, or the number of destinations, grows."""
    assert results.axis is not None
    x = ("x", AXIS_TITLES[results.axis])
    rows = [
        _point(results, row, row["messages_s"], row["messages_s_low"], row["messages_s_high"])
        for row in results.where("throughput", {}, scope="all")
    ]
    y = ("value", "messages a second")
    yield from line_plots("throughput", "Throughput", rows, results.labels, x, y)
    for scope in ("local", "global"):
        rows = []
        for row in results.where("latency", {}, scope=scope, statistic="mean"):
            if row["order"] == _order(results):
                bounds = (_low_ms(row["us_low"]), _ms(row["us_high"]))
                rows.append(_point(results, row, _ms(row["us"]), *bounds))
        if rows:
            title = f"Mean latency of {scope} messages"
            y = ("value", "latency, ms")
            yield from line_plots(f"latency-{scope}", title, rows, results.labels, x, y)
            yield from _against_throughput(results, rows, scope)


def _against_throughput(results: Results, rows: Sequence[Row], scope: str) -> Iterator[Plot]:
    """The same latency over what was achieved, which is how the papers draw it."""
    if results.axis == "sizes":
        return
    achieved = {
        (results.label(row["setting"]), results.axis_value(row["setting"])): row["messages_s"]
        for row in results.where("throughput", {}, scope="all")
    }
    moved = [
        {**row, "x": round(achieved[row["label"], row["x"]], 3)}
        for row in rows
        if (row["label"], row["x"]) in achieved
    ]
    yield from line_plots(
        f"latency-{scope}-by-throughput",
        f"Mean latency of {scope} messages over throughput",
        sorted(moved, key=lambda row: (row["label"], row["x"])),
        results.labels,
        ("x", "messages a second"),
        ("value", "latency, ms"),
    )


def _order(results: Results) -> str:
    """Clients inside a group wait for it alone, others for the last reply."""
    own = any(row["order"] == "own" for row in results.table("latency"))
    return "own" if own else "last"


def _point(results: Results, row: Row, value: Any, low: Any, high: Any) -> Row:
    setting = row["setting"]
    return {
        "label": results.label(setting),
        "x": results.axis_value(setting),
        "value": value,
        "low": low,
        "high": high,
    }
