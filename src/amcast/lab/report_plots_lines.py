"""Lines over an axis that an experiment turns up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from amcast.lab.report_charts import Plot, lines
from amcast.lab.report_data import Row

AXIS_TITLES: Final = {
    "rate": "messages a second and client",
    "clients": "clients",
    "clients_per_group": "clients a group",
    "sizes": "destinations of a message",
}
# An axis that spans more than this factor is logarithmic.
LOG_FROM: Final = 20
LABELS_MAX: Final = 8
# A line of more values than this is drawn without a dot for each.
POINTS_MAX: Final = 30


def line_plots(
    name: str,
    title: str,
    rows: Sequence[Row],
    labels: Sequence[str],
    x: tuple[str, str],
    y: tuple[str, str],
) -> Iterator[Plot]:
    """One figure, or where it would be crowded one for each set-up, a line for each protocol.

    A set-up that was not turned up makes a point and no line: it is left out.
    """
    if len({row["label"] for row in rows}) <= LABELS_MAX:
        if rows:
            yield line_plot(name, title, rows, labels, x, y)
        return
    panels: dict[str, list[Row]] = {}
    for row in rows:
        protocol, _, rest = row["label"].partition(", ")
        panels.setdefault(rest, []).append({**row, "label": protocol})
    panels = {rest: each for rest, each in panels.items() if len({row["x"] for row in each}) > 1}
    leading = list(dict.fromkeys(label.partition(", ")[0] for label in labels))
    for number, (rest, members) in enumerate(sorted(panels.items()), start=1):
        about = f"{title} ({rest})" if rest else title
        yield line_plot(f"{name}-{number}", about, members, leading, x, y)


def line_plot(
    name: str,
    title: str,
    rows: Sequence[Row],
    labels: Sequence[str],
    x: tuple[str, str],
    y: tuple[str, str],
    note: str = "",
) -> Plot:
    """The figure, with only the labels that it has rows for."""
    across = [row["x"] for row in rows if row["x"]]
    wide = bool(across) and max(across) / min(across) > LOG_FROM
    used = [label for label in labels if any(row["label"] == label for row in rows)]
    dotted = len(rows) <= POINTS_MAX * max(1, len(used))
    return Plot(name, title, note, rows, lines(rows, used, x, y, log_x=wide, points=dotted))
