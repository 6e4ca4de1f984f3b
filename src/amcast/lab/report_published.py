"""The parts of a page that hold published statements and numbers against ours."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from amcast.lab.published import NOT_COMPARABLE, NOT_REPRODUCED, REPRODUCED, Claim, Value
from amcast.lab.published_formulas import Checked
from amcast.lab.report_compare import FEW, NOT_MEASURED, Compared

CLASSES: Final = {REPRODUCED: "good", NOT_REPRODUCED: "bad"}
WORDS: Final = {
    REPRODUCED: "reproduced",
    NOT_REPRODUCED: "not reproduced",
    NOT_COMPARABLE: "not comparable",
    FEW: "too few samples",
    NOT_MEASURED: "not measured",
}
SIGNS: Final = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", NOT_COMPARABLE: "○"}


def statements(compared: Sequence[Compared]) -> str:
    """Every published statement, what ours says to it, and why they differ."""
    rows = "".join(
        f'<tr><td class="wide">{escape(each.published.statement)}'
        f'<br><span class="soft">{escape(each.published.source)}</span></td>'
        f'{_status(each)}<td class="wide">{escape(each.ours)}</td>'
        f'<td class="wide soft">{escape(each.reason + _surprise(each))}</td></tr>'
        for each in compared
        if isinstance(each.published, Claim)
    )
    if not rows:
        return ""
    head = "<tr><th>published statement</th><th>status</th><th>ours</th><th>why</th></tr>"
    return f'<h2>Statements</h2><div class="scroll"><table>{head}{rows}</table></div>'


def formulas(checked: Sequence[Checked]) -> str:
    """Checks of equations, which say nothing about runs."""
    rows = "".join(
        f'<tr><td class="wide">{escape(each.formula.statement)}'
        f'<br><span class="soft">{escape(each.formula.source)}</span></td>'
        f'<td class="status {"good" if each.holds else "bad"}">{answer(each)}</td>'
        f'<td class="wide">{escape(each.shown)}</td></tr>'
        for each in checked
    )
    if not rows:
        return ""
    return (
        '<h2>Formulas</h2><p class="soft">Checks of equations. They look at no run and are not '
        "counted above.</p>"
        '<div class="scroll"><table><tr><th>published formula</th><th>check</th><th>ours</th></tr>'
        f"{rows}</table></div>"
    )


def answer(checked: Checked) -> str:
    return "holds" if checked.holds else "does not hold"


def numbers(compared: Sequence[Compared]) -> str:
    """Every published number beside ours, those about the same runs together."""
    found = [each for each in compared if isinstance(each.published, Value)]
    if not found:
        return ""
    body = ""
    for subject, group in groupby(found, key=_subject):
        lines = list(group)
        body += f'<tr><th colspan="5">{subject}{_reasons(lines)}</th></tr>'
        body += "".join(_number(each) for each in lines)
    head = (
        '<tr><th></th><th>status</th><th class="number">published</th>'
        '<th class="number">ours</th><th class="number">deviation</th></tr>'
    )
    return (
        "<h2>Numbers</h2>"
        '<p class="soft">Ours are means over seeds, with the half width of their 95 % confidence; '
        "where one seed alone has fewer than 1,000 samples, all seeds are taken together.</p>"
        f'<div class="scroll"><table>{head}{body}</table></div>'
    )


def _number(each: Compared) -> str:
    published = each.published
    assert isinstance(published, Value)
    what = published.statement.partition(": ")[2] or published.statement
    bounds = ""
    if each.found is not None and each.found.low is not None and each.found.high is not None:
        bounds = f' <span class="soft">± {(each.found.high - each.found.low) / 2:.2g}</span>'
    return (
        f"<tr><td>{escape(what)}</td>{_status(each)}"
        f'<td class="number">{published.value:g} {escape(published.unit)}</td>'
        f'<td class="number">{escape(each.ours)}{bounds}</td>'
        f'<td class="number">{deviation(each)}</td></tr>'
    )


def _subject(each: Compared) -> str:
    """What the number is about, and where it was printed."""
    assert isinstance(each.published, Value)
    name, colon, _ = each.published.statement.partition(": ")
    source = f'<span class="soft">{escape(each.published.source)}</span>'
    return f"{escape(name)} · {source}" if colon else source


def _reasons(lines: Sequence[Compared]) -> str:
    """Each reason once, however many numbers it holds for."""
    found = dict.fromkeys(each.reason + _surprise(each) for each in lines)
    return "".join(f'<br><span class="reason">{escape(text)}</span>' for text in found if text)


def _surprise(each: Compared) -> str:
    if each.as_expected or each.published.expected == REPRODUCED:
        return ""
    return (
        f" {'One number' if isinstance(each.published, Value) else 'This'} we expected to be "
        + (f"{each.published.expected}.")
    )


def _status(each: Compared) -> str:
    sign = SIGNS.get(each.status, "")
    kind = CLASSES.get(each.status, "other")
    return f'<td class="status {kind}">{sign} {WORDS[each.status]}</td>'


def deviation(each: Compared) -> str:
    """How far ours is from a published number, in words; nothing for a statement."""
    if each.deviation is None or not isinstance(each.published, Value):
        return ""
    absolute = each.published.absolute
    return f"{each.deviation:+.1f} points" if absolute else f"{each.deviation:+.1%}"
