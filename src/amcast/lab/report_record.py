"""The result of an experiment as a short text in Markdown, to be kept where pages are too large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

from amcast.lab.directory import described
from amcast.lab.experiment import Chosen, named, names
from amcast.lab.published import Claim, Value
from amcast.lab.published_formulas import Checked, check_formulas
from amcast.lab.report_compare import Compared, compare
from amcast.lab.report_data import Results
from amcast.lab.report_findings import findings
from amcast.lab.report_published import WORDS, answer, deviation
from amcast.lab.report_verdicts import verdict_sentence
from amcast.lab.report_write import made_with


def record(directory: Path) -> str:
    """What was run, how it came out, and every published statement and number beside ours."""
    chosen = described(directory)
    results = Results(directory)
    compared = compare(results, chosen.name)
    parts = [
        f"# {chosen.name}",
        f"    {command(chosen)}",
        " ".join(
            each
            for each in (
                f"Seeds: {len(chosen.seeds)}.",
                counted(compared),
                verdict_sentence(results),
            )
            if each
        ),
        "\n".join(f"* {finding}" for finding in findings(results, chosen.name)),
        _claims(compared),
        _values(compared),
        _reasons(compared),
        _formulas(check_formulas(chosen.name)),
        _software(made_with(directory)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def command(chosen: Chosen) -> str:
    """What the user typed, or would have to, with what was set apart from the size."""
    if chosen.ingested:
        return f"amcast lab ingest DIR --out {chosen.name}"
    words = [f"amcast lab run {chosen.name} --size {chosen.size}"]
    if chosen.name in names():
        usual = named(chosen.name).chosen(chosen.size)
        if chosen.seeds != usual.seeds:
            words.append(f"--seeds {len(chosen.seeds)}")
        words += [f"--set {quote(f'{name}={value}')}" for name, value in _settings(chosen, usual)]
    return " ".join((*words, f"--out {chosen.name}"))


def _settings(chosen: Chosen, usual: Chosen) -> Iterator[tuple[str, object]]:
    """What all sweeps have, and would not all have without being set."""
    if chosen.packets != usual.packets:
        yield "packets", chosen.packets
    sweeps = [sweep.values for sweep in chosen.sweeps]
    for name, value in sweeps[0].items():
        shared = all(name in values and values[name] == value for values in sweeps)
        if shared and any(sweep.values.get(name) != value for sweep in usual.sweeps):
            yield name, value


def _software(about: Mapping[str, str]) -> str:
    listed = ", ".join(f"{name} {version}" for name, version in about.items())
    return f"Made with {listed}." if listed else ""


def counted(compared: Sequence[Compared]) -> str:
    """How many published things came out how."""
    found = Counter(WORDS[each.status] for each in compared)
    listed = ", ".join(f"{count} {status}" for status, count in found.items())
    return f"{listed}." if listed else ""


def _claims(compared: Sequence[Compared]) -> str:
    rows = [
        (each.published.statement, WORDS[each.status], each.ours, each.reason)
        for each in compared
        if isinstance(each.published, Claim)
    ]
    return _table(("published statement", "status", "ours", "why"), rows)


def _formulas(checked: Sequence[Checked]) -> str:
    rows = [(each.formula.statement, answer(each), each.shown) for each in checked]
    return _table(("published formula, checked without any run", "check", "ours"), rows)


def _values(compared: Sequence[Compared]) -> str:
    rows = [
        (
            each.published.statement,
            WORDS[each.status],
            f"{each.published.value:g} {each.published.unit}",
            each.ours,
            deviation(each),
        )
        for each in compared
        if isinstance(each.published, Value)
    ]
    return _table(("published number", "status", "published", "ours", "deviation"), rows)


def _reasons(compared: Sequence[Compared]) -> str:
    """Why numbers differ, each reason once, with what it holds for."""
    found: dict[str, dict[str, None]] = {}
    for each in compared:
        if isinstance(each.published, Value) and each.reason:
            subject = each.published.statement.partition(": ")[0]
            found.setdefault(each.reason, {})[subject] = None
    return "\n".join(f"* {', '.join(subjects)}: {reason}" for reason, subjects in found.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
