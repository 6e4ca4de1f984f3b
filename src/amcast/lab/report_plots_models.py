"""Figures of equations and of random graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from amcast.lab.confidence import interval
from amcast.lab.report_charts import Plot
from amcast.lab.report_data import Results, Row
from amcast.lab.report_plots_lines import line_plot

# What is drawn of random graphs: its column, its title, and what it is divided by.
GRAPHS: Final = {
    "depth": ("depth_total", "Depth of the last member", "edges", "groups"),
    "extra": ("extra_total", "Extra nodes on the way", "sites a group", "groups"),
    "load": ("load_propagation", "Load of the busiest site, propagation", "messages", None),
}
METHODS: Final = {
    "load_propagation": "propagation",
    "load_two_phase": "two-phase, at receivers",
    "load_centralised": "centralised",
}
SMALL_GROUPS: Final = 5
SITES: Final = 200


def model_plots(results: Results) -> Iterator[Plot]:
    """Those of the fits and of computed rows that an experiment has."""
    yield from _convoy(results)
    rows = results.rows("computed/rows")
    if rows:
        yield from _graphs(rows)


def _convoy(results: Results) -> Iterator[Plot]:
    curve = results.rows("fits/curve")
    if curve:
        rows = [
            {"label": f"{row['protocol']}, {word}", "x": row["rate"], "value": round(row[key], 3)}
            for row in curve
            for word, key in (
                ("simulated", "simulated_ms"),
                ("model", "model_ms"),
                ("fitted", "fitted_ms"),
            )
        ]
        yield _drawn(
            "convoy-curve", "Latency over load: equations and simulation", rows,
            ("messages a minute", "latency until delivery, ms"),
            "The model without batches, the model with the batch size that fits best, and our "
            "runs.",
        )  # fmt: skip
    for name, title, x, y in (
        ("shares", "The convoy effect over load", "messages in the window", "share of 2 delta"),
        ("conflict", "Probability that two messages meet", "groups", "probability"),
        ("commuting", "The convoy where messages commute", "share of commuting pairs",
         "wait, share of the wait without"),
    ):  # fmt: skip
        rows = [
            {"label": row["label"], "x": row["x"], "value": round(row["y"], 6)}
            for row in results.rows(f"fits/{name}")
        ]
        if rows:
            yield _drawn(f"convoy-{name}", title, rows, (x, y))


def _graphs(rows: Sequence[Row]) -> Iterator[Plot]:
    """Graphs 1 to 5 of the 1988 paper, by number of sites and by size of groups."""
    for name, (column, title, unit, divisor) in GRAPHS.items():
        small = [row for row in rows if row["group_size"] == SMALL_GROUPS]
        drawn = _means(small, "sites", "groups", column, divisor)
        yield _drawn(
            f"{name}-by-sites", f"{title} (groups of {SMALL_GROUPS})", drawn, ("sites", unit)
        )
        some = [row for row in rows if row["sites"] == SITES]
        drawn = _means(some, "group_size", "groups", column, divisor)
        if len({row["x"] for row in drawn}) > 1:
            yield _drawn(
                f"{name}-by-size", f"{title} ({SITES} sites)", drawn, ("members of a group", unit)
            )
    yield from _methods(rows)


def _methods(rows: Sequence[Row]) -> Iterator[Plot]:
    most = max(row["groups"] for row in rows)
    some = [row for row in rows if row["groups"] == most and row["group_size"] == SMALL_GROUPS]
    drawn = [
        {**row, "label": word}
        for column, word in METHODS.items()
        for row in _means(some, "sites", "groups", column, None)
    ]
    yield _drawn(
        "load-methods", f"Load of the busiest site by method ({most} groups of {SMALL_GROUPS})",
        drawn, ("sites", "messages"),
    )  # fmt: skip


def _means(rows: Sequence[Row], x: str, series: str, column: str, divisor: str | None) -> list[Row]:
    """Means over repetitions with 95 % confidence."""
    values: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        value = row[column] / row[divisor] if divisor else float(row[column])
        values.setdefault((row[series], row[x]), []).append(value)
    drawn = []
    for (number, at), found in sorted(values.items()):
        mean, low, high = interval(found)
        drawn.append(
            {
                "label": f"{number} groups",
                "x": at,
                "value": round(mean, 4),
                "low": None if low is None else max(0.0, round(low, 4)),
                "high": None if high is None else round(high, 4),
            }
        )
    return drawn


def _by_number(label: str) -> tuple[float, str]:
    """Labels that begin with a number by its size, the others by their letters."""
    first = label.split()[0]
    return (float(first), label) if first.isdecimal() else (0.0, label)


def _drawn(
    name: str, title: str, rows: Sequence[Mapping[str, Any]], axes: tuple[str, str], note: str = ""
) -> Plot:
    labels = sorted(dict.fromkeys(row["label"] for row in rows), key=_by_number)
    x, y = axes
    plain = [dict(row) for row in rows]
    return line_plot(name, title, plain, labels, ("x", x), ("value", y), note)
