"""The page itself: what stands where, and in which words."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from amcast.lab.experiment import Chosen
from amcast.lab.published_formulas import check_formulas
from amcast.lab.report_charts import Plot
from amcast.lab.report_compare import STATUSES, Compared
from amcast.lab.report_data import Results
from amcast.lab.report_published import CLASSES, WORDS, formulas, numbers, statements
from amcast.lab.report_verdicts import verdict_sentence, verdict_tables

TINY = "A tiny run shows that everything works; its numbers mean little."


def page(
    chosen: Chosen,
    results: Results,
    compared: Sequence[Compared],
    plots: Sequence[Plot],
    *,
    findings: Sequence[str],
    tables: Sequence[tuple[str, str, Sequence[str], Sequence[Sequence[str]]]],
    about: Mapping[str, str],
) -> str:
    """The whole page as text. The same results always make the same text."""
    parts = [
        _top(chosen, results, compared, findings),
        statements(compared),
        _figures(plots),
        numbers(compared),
        formulas(check_formulas(chosen.name)),
        *(_section(title, note, head, rows) for title, note, head, rows in tables),
        verdict_tables(results),
        _missing(chosen, results),
        _about(chosen, results, about),
    ]
    specs = json.dumps({plot.name: plot.spec() for plot in plots}, separators=(",", ":"))
    template = Template(files("amcast.lab").joinpath("report_page.html").read_text("utf-8"))
    return template.substitute(
        title=escape(chosen.title),
        body="\n".join(part for part in parts if part),
        # Nothing in it may look like the end of the script.
        specs=specs.replace("</", "<\\/"),
        library=_library(),
    )


def _top(
    chosen: Chosen, results: Results, compared: Sequence[Compared], findings: Sequence[str]
) -> str:
    source = f"{escape(chosen.source)} · " if chosen.source else ""
    counts = {status: sum(each.status == status for each in compared) for status in STATUSES}
    tiles = "".join(
        f'<li><b class="{CLASSES.get(status, "other")}">{count}</b>{escape(WORDS[status])}</li>'
        for status, count in counts.items()
        if count
    )
    caution = TINY if chosen.size == "tiny" else ""
    sentences = (*findings, _in_a_sentence(counts), caution)
    lead = " ".join(escape(each) for each in sentences if each)
    return (
        f"<h1>{escape(chosen.title)}</h1>"
        f'<p class="soft">{source}experiment <code>{escape(chosen.name)}</code> at size '
        f"{escape(chosen.size)}</p>"
        f'<p class="lead">{lead}</p><p>{escape(verdict_sentence(results))}</p>'
        + (f'<ul class="tiles">{tiles}</ul>' if tiles else "")
    )


def _in_a_sentence(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    if not total:
        return ""
    rest = [f"{count} {WORDS[name]}" for name, count in counts.items() if count]
    return f"Of {total} published numbers and statements: {', '.join(rest)}."


def _figures(plots: Sequence[Plot]) -> str:
    if not plots:
        return ""
    figures = "".join(
        f"<figure><h3>{escape(plot.title)}</h3>"
        + (f'<p class="soft">{escape(plot.note)}</p>' if plot.note else "")
        + f'<div class="plot" id="plot-{plot.name}" data-picture="{plot.name}.svg">'
        f'<noscript><img src="{plot.name}.svg" alt="{escape(plot.title)}"></noscript></div>'
        f'<p class="soft"><a href="{plot.name}.svg">SVG</a> · '
        f'<a href="{plot.name}.csv">CSV</a></p></figure>'
        for plot in plots
    )
    return (
        "<h2>Figures</h2>"
        '<p class="soft">Means over seeds, with 95 % confidence where there are several. Point at '
        "a mark for its numbers; a click on a line's name shows it alone.</p>"
        f'<div class="figures">{figures}</div>'
    )


def _missing(chosen: Chosen, results: Results) -> str:
    failed = [row for row in results.rows("attempts") if row["status"] != "done"]
    finished = {row["run"] for row in results.rows("attempts") if row["status"] == "done"}
    failed = [row for row in failed if row["run"] not in finished]
    parts = ""
    if chosen.missing:
        rows = [(gap.what, gap.reason) for gap in chosen.missing]
        parts += _section("What is missing", "", ("what", "why"), rows)
    if failed:
        ended = [(row["run"], row["status"], str(row["error"])) for row in failed]
        parts += _section("Runs that failed", "", ("run", "status", "error"), ended)
    return parts


def _about(chosen: Chosen, results: Results, about: Mapping[str, str]) -> str:
    runs = results.table("runs")
    settings = [
        (results.label(each), each.text, str(sum(row["setting"] is each for row in runs)))
        for each in results.settings
    ]
    note = "" if about else "What made the results was not written down."
    parts = _section("Software", note, ("what", "version"), list(about.items()))
    if settings:
        seeds = ", ".join(map(str, chosen.seeds))
        listing = _section("", "", ("name", "parameters", "runs"), settings)
        parts = (
            f"<h2>Parameters</h2><p>Seeds: {seeds}.</p><details><summary>All {len(settings)} "
            f"settings</summary>{listing}</details>{parts}"
        )
    return parts


def _section(title: str, note: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heading = f"<h2>{escape(title)}</h2>" if title else ""
    below = f'<p class="soft">{escape(note)}</p>' if note else ""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    table = f'<div class="scroll"><table><tr>{cells}</tr>{lines}</table></div>'
    return f"{heading}{below}{table}"


@cache
def _library() -> str:
    """The plotting library for the browser, small enough to be part of every page."""
    import vl_convert

    return base64.b64encode(
        gzip.compress(
            vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode(), mtime=0
        )
    ).decode()
