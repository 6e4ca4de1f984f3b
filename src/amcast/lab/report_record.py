"""The result of an experiment as a short text in Markdown, to be kept where pages are too large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from amcast.lab.directory import described
from amcast.lab.published import Claim, Value
from amcast.lab.report import software
from amcast.lab.report_compare import Compared, compare
from amcast.lab.report_data import Results
from amcast.lab.report_findings import findings
from amcast.lab.report_published import WORDS
from amcast.lab.report_verdicts import verdict_sentence


def record(directory: Path) -> str:
    """What was run, how it came out, and every published statement and number beside ours."""
    chosen = described(directory)
    results = Results(directory)
    compared = compare(results, chosen.name)
    parts = [
        f"# {chosen.name}",
        f"    amcast lab run {chosen.name} --size {chosen.size} --out {chosen.name}",
        f"Seeds: {len(chosen.seeds)}. {counted(compared)} {verdict_sentence(results)}".strip(),
        "\n".join(f"* {finding}" for finding in findings(results, chosen.name)),
        _claims(compared),
        _values(compared),
        f"Made with {', '.join(f'{name} {version}' for name, version in software().items())}.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def counted(compared: Sequence[Compared]) -> str:
    """How many published things came out how."""
    found = Counter(WORDS[each.status] for each in compared)
    return ", ".join(f"{count} {status}" for status, count in found.items()) + "."


def _claims(compared: Sequence[Compared]) -> str:
    rows = [
        (each.published.statement, WORDS[each.status], each.ours, each.reason)
        for each in compared
        if isinstance(each.published, Claim)
    ]
    return _table(("published statement", "status", "ours", "why"), rows)


def _values(compared: Sequence[Compared]) -> str:
    rows = [
        (
            each.published.statement,
            WORDS[each.status],
            f"{each.published.value:g} {each.published.unit}",
            each.ours,
        )
        for each in compared
        if isinstance(each.published, Value)
    ]
    return _table(("published number", "status", "published", "ours"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
