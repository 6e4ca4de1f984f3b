"""The kinds of charts a page has: dots, lines with bands, bars. All read well on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from amcast.lab.report_data import Row

# Colours that people with any kind of sight can tell apart, as Okabe and Ito chose them.
COLOURS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#6b6b6b",
    "#11a579", "#b22222", "#3969ac", "#a5aa99",
)  # fmt: skip
HEIGHT: Final = 260
ROW_HEIGHT: Final = 40
# So many values on an axis can each have a tick.
TICKS_MAX: Final = 10
# The width of figures in files; on the page a chart is as wide as its place.
FILE_WIDTH: Final = 640


@dataclass(frozen=True)
class Plot:
    """One figure: its name in files, what it shows, and the rows it was made of."""

    name: str
    title: str
    note: str
    rows: Sequence[Row]
    chart: Any

    def spec(self, width: int | str = "container") -> dict[str, Any]:
        found: dict[str, Any] = self.chart.properties(width=width).to_dict()
        found["config"] = CONFIG
        if width == "container":
            found["autosize"] = {"type": "fit-x", "contains": "padding"}
        else:
            found["title"] = self.title
        return found


CONFIG: Final = {
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
    "background": "#ffffff",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleColor": "#444",
        "labelColor": "#444",
        "gridColor": "#e8e8e8",
        "domainColor": "#999",
        "tickColor": "#999",
        "labelLimit": 150,
        "labelOverlap": True,
        "labelSeparation": 6,
        "labelFlush": False,
    },
    "axisX": {"labelPadding": 7},
    "legend": {
        "orient": "top",
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "labelLimit": 220,
        "columns": 2,
        "symbolStrokeWidth": 3,
        "symbolOpacity": 1,
    },
    "title": {"fontSize": 14, "anchor": "start"},
}


def colours(labels: Sequence[str]) -> alt.Scale:
    chosen = [COLOURS[number % len(COLOURS)] for number in range(len(labels))]
    return alt.Scale(domain=list(labels), range=chosen)


def legend(labels: Sequence[str], title: str | None = None) -> alt.Legend | None:
    """None needed for a single label."""
    if len(labels) < 2:
        return None
    longest = max(map(len, labels))
    # As many beside each other as fit into a narrow figure.
    columns = 1 if longest > 19 else 2 if longest > 11 else 3
    return alt.Legend(title=title, columns=columns, symbolLimit=0)


def _chart(rows: Sequence[Row]) -> Any:
    # What is not there needs no place on the page.
    values = [{name: cell for name, cell in row.items() if cell is not None} for row in rows]
    return alt.Chart(alt.Data(values=values))  # type: ignore[no-untyped-call]


def _across(rows: Sequence[Row], x: tuple[str, str], *, log_x: bool) -> Any:
    """The axis to the right, with a tick for each value if those are few and whole."""
    column, title = x
    scale = alt.Scale(type="log", nice=False) if log_x else alt.Scale(zero=False)
    marks = sorted({row[column] for row in rows if row[column] is not None})
    whole = all(float(mark).is_integer() for mark in marks)
    few = {"values": marks} if log_x and whole and len(marks) <= TICKS_MAX else {"tickCount": 6}
    axis = alt.Axis(format=".3~s" if marks and marks[-1] >= 10_000 else ",.6~g", **few)
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=axis)


def lines(
    rows: Sequence[Row],
    labels: Sequence[str],
    x: tuple[str, str],
    y: tuple[str, str],
    *,
    points: bool = True,
    log_x: bool = False,
    sideways: bool = False,
) -> Any:
    """Lines by label, with the band of 95 % confidence over seeds where there is one.

    `sideways` says that the bounds are of x; usually they are of y.
    A click on the legend shows one label alone.
    """
    chosen = alt.selection_point(fields=["label"], bind="legend")
    data = _chart(rows)
    across = _across(rows, x, log_x=log_x)
    colour = alt.Color("label:N", scale=colours(labels), legend=legend(labels))
    faded = alt.condition(chosen, alt.value(1.0), alt.value(0.12))
    tooltip = [
        alt.Tooltip("label:N", title="what"),
        alt.Tooltip(f"{x[0]}:Q", title=x[1], format=".4~g"),
        alt.Tooltip(f"{y[0]}:Q", title=y[1], format=".4~g"),
    ]
    line = data.mark_line(point={"size": 45} if points else False, strokeWidth=2).encode(
        x=across, y=alt.Y(f"{y[0]}:Q", title=y[1]), color=colour, opacity=faded, tooltip=tooltip
    )
    layers = [line.add_params(chosen)]
    if any(row.get("low") is not None for row in rows):
        if sideways:
            bounds = {"x": alt.X("low:Q", title=x[1]), "x2": "high:Q", "y": alt.Y(f"{y[0]}:Q")}
        else:
            bounds = {"x": across, "y": alt.Y("low:Q", title=y[1]), "y2": "high:Q"}
        area = data.mark_area(opacity=0.18).encode(
            **bounds,
            color=colour,
            opacity=alt.condition(chosen, alt.value(0.2), alt.value(0.03)),
        )
        layers.insert(0, area)
    return alt.layer(*layers).properties(height=HEIGHT)


def dots(
    rows: Sequence[Row], labels: Sequence[str], x: str, shades: Sequence[str], published: bool
) -> Any:
    """A row a label and a dot a statistic, with bars over seeds; published ones are hollow."""
    data = _chart(rows)
    down = alt.Y("label:N", sort=list(labels), title=None, axis=alt.Axis(labelLimit=170))
    offset = alt.YOffset("shade:N", sort=list(shades))
    scale = alt.Scale(domain=list(shades), range=list(COLOURS[: len(shades)]))
    colour = alt.Color("shade:N", scale=scale, legend=legend(shades))
    whose = [
        alt.Tooltip("label:N", title="what"),
        alt.Tooltip("shade:N", title="statistic"),
        alt.Tooltip("value:Q", title=f"ours, {x}", format=".4~g"),
        alt.Tooltip("published:Q", title=f"published, {x}", format=".4~g"),
    ]
    ours = data.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("value:Q", title=x), y=down, yOffset=offset, color=colour, tooltip=whose
    )
    layers = [ours]
    if any(row.get("low") is not None for row in rows):
        layers.append(
            data.mark_rule(strokeWidth=2).encode(
                x=alt.X("low:Q", title=x), x2="high:Q", y=down, yOffset=offset, color=colour
            )
        )
    if published:
        layers.append(
            data.mark_point(shape="diamond", size=90, strokeWidth=1.8, filled=False).encode(
                x=alt.X("published:Q", title=x), y=down, yOffset=offset, color=colour, tooltip=whose
            )
        )
    height = max(120, ROW_HEIGHT * len({row["label"] for row in rows}))
    return alt.layer(*layers).properties(height=height)


def stacked(rows: Sequence[Row], labels: Sequence[str], parts: Sequence[str], x: str) -> Any:
    """Horizontal bars made of parts, of which `parts` names all there could be."""
    used = [part for part in parts if any(row["part"] == part for row in rows)]
    scale = alt.Scale(domain=used, range=[COLOURS[parts.index(part)] for part in used])
    return (
        _chart(rows)
        .mark_bar()
        .encode(
            y=alt.Y("label:N", sort=list(labels), title=None, axis=alt.Axis(labelLimit=170)),
            x=alt.X("value:Q", title=x, stack=True),
            color=alt.Color("part:N", scale=scale, legend=alt.Legend(title=None, columns=3)),
            order=alt.Order("position:Q"),
            tooltip=[
                alt.Tooltip("label:N", title="what"),
                alt.Tooltip("part:N", title="part"),
                alt.Tooltip("value:Q", title=x, format=".4~g"),
                alt.Tooltip("share:Q", title="share", format=".1%"),
            ],
        )
        .properties(height=max(90, ROW_HEIGHT * len({row["label"] for row in rows})))
    )


def bars(rows: Sequence[Row], labels: Sequence[str], categories: Sequence[str], y: str) -> Any:
    """Upright bars, a group of them for each category."""
    return (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X(
                "category:N",
                sort=list(categories),
                title=None,
                axis=alt.Axis(labelAngle=-40, labelOverlap=False),
            ),
            xOffset=alt.XOffset("label:N", sort=list(labels)),
            y=alt.Y("value:Q", title=y),
            color=alt.Color("label:N", scale=colours(labels), legend=legend(labels)),
            tooltip=[
                alt.Tooltip("label:N", title="what"),
                alt.Tooltip("category:N", title="group"),
                alt.Tooltip("value:Q", title=y, format=".4~g"),
            ],
        )
        .properties(height=HEIGHT)
    )
