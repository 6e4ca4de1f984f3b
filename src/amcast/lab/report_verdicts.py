"""What the page says about correctness."""

from __future__ import annotations

from html import escape

from amcast.lab.report_data import Results, Row

WITNESSES_SHOWN = 20


def verdict_sentence(results: Results) -> str:
    """One sentence about all runs."""
    rows = results.rows("verdicts")
    if not rows:
        return ""
    runs = {row["run"] for row in rows}
    broken = [row for row in rows if row["required"] and row["verdict"] == "violated"]
    unknown = [row for row in rows if row["required"] and row["verdict"] == "unknown"]
    checked = f"{len(runs)} runs were checked" if len(runs) > 1 else "One run was checked"
    if broken:
        where = len({row["run"] for row in broken})
        return f"{checked}: a promised property is violated in {where} of them."
    if unknown:
        names = ", ".join(sorted({_spoken(row["property"]) for row in unknown}))
        return f"{checked}: no promised property is violated, but not all are known ({names})."
    return f"{checked}: every property that a protocol promises holds."


def verdict_tables(results: Results) -> str:
    """By protocol and property, how many runs hold, violate or leave it open."""
    rows = results.rows("verdicts")
    if not rows:
        return ""
    protocols = {row["run"]: row["protocol"] for row in results.table("runs")}
    names = sorted({protocols.get(row["run"], "") for row in rows})
    properties = list(dict.fromkeys(sorted(row["property"] for row in rows)))
    head = "".join(f"<th>{escape(name)}</th>" for name in ("property", *names))
    lines = ""
    for found in properties:
        cells = [
            _cell(
                [
                    row
                    for row in rows
                    if row["property"] == found and protocols.get(row["run"], "") == name
                ]
            )
            for name in names
        ]
        lines += f"<tr><td>{escape(_spoken(found))}</td>{''.join(cells)}</tr>"
    return (
        "<h2>Verdicts</h2>"
        '<p class="soft">Runs in which a property holds, of all runs. A property that the '
        "protocol does not promise stands in brackets.</p>"
        f'<div class="scroll"><table><tr>{head}</tr>{lines}</table></div>{_witnesses(rows)}'
    )


def _cell(rows: list[Row]) -> str:
    if not rows:
        return "<td></td>"
    holding = sum(row["verdict"] == "holds" for row in rows)
    unknown = sum(row["verdict"] == "unknown" for row in rows)
    text = f"{holding} of {len(rows)}" + (f", {unknown} unknown" if unknown else "")
    required = any(row["required"] for row in rows)
    broken = any(row["required"] and row["verdict"] == "violated" for row in rows)
    kind = "bad" if broken else "good" if required and holding == len(rows) else "other"
    return f'<td class="{kind}">{text if required else f"({text})"}</td>'


def _witnesses(rows: list[Row]) -> str:
    broken = [row for row in rows if row["required"] and row["verdict"] == "violated"]
    listed = "".join(
        f"<tr><td>{escape(row['run'])}</td><td>{escape(_spoken(row['property']))}</td>"
        f"<td>{escape(row['witness'] or '')}</td></tr>"
        for row in broken[:WITNESSES_SHOWN]
    )
    if not listed:
        return ""
    return (
        "<h3>Violations</h3>"
        f'<div class="scroll"><table><tr><th>run</th><th>property</th><th>witness</th></tr>'
        f"{listed}</table></div>"
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ")
