"""How experiments, their progress and their differences look."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from amcast.cli.output import print_json, print_table, show
from amcast.lab.progress import Progress as Report
from amcast.lab.run import State

if TYPE_CHECKING:
    from amcast.lab.compare import Comparison

FAILURES_SHOWN = 10
DIFFERENCES_SHOWN = 20


@contextmanager
def stage_bars() -> Iterator[Report]:
    """A bar for each stage, on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _stage_lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console) as bars:
        tasks = {"spark": bars.add_task("start Spark", total=1)}

        def report(stage: str, done: int, total: int) -> None:
            # The first word of any stage means that Spark has started.
            bars.update(tasks["spark"], completed=1)
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


def _stage_lines() -> Report:
    """For a log file: a line for every tenth of a stage."""
    told: dict[str, int] = {}

    def report(stage: str, done: int, total: int) -> None:
        tenth = 10 * done // max(total, 1)
        if told.get(stage) != tenth:
            told[stage] = tenth
            print(f"{stage}: {done} of {total}", file=sys.stderr, flush=True)

    return report


def print_state(
    found: State, directory: Path, *, as_json: bool, computed: int | None = None
) -> None:
    page = directory / "report" / "index.html"
    if as_json:
        print_json(
            {
                "experiment": found.chosen.name,
                "size": found.chosen.size,
                "runs": found.runs,
                "finished": found.finished,
                **({} if computed is None else {"computed": computed}),
                "failed": [asdict(each) for each in found.failed],
                "violated": [asdict(each) for each in found.violated],
                "page": str(page) if page.exists() else None,
            }
        )
        return
    now = "" if computed is None else f", {computed:,} of them computed now"
    show(
        f"{found.chosen.name}, size {found.chosen.size}: {found.finished:,} of {found.runs:,} "
        f"runs are finished{now}"
    )
    if found.failed:
        print_table(
            ("run", "status", "seed", "error"),
            [(each.run, each.status, each.seed, each.error) for each in found.failed][
                :FAILURES_SHOWN
            ],
            title=f"{len(found.failed):,} runs failed",
        )
    if found.violated:
        print_table(
            ("run", "property", "witness"),
            [(each.run, each.property, each.witness) for each in found.violated][:FAILURES_SHOWN],
            title=f"{len(found.violated):,} promised properties are violated",
        )
    elif found.verified:
        show(f"all promises hold in the {found.verified:,} runs that were verified")
    for gap in found.chosen.missing:
        show(f"not part of it: {gap.what}, because {gap.reason}")
    if page.exists():
        show(f"the page is {page}")


def print_differences(found: Comparison, *, as_json: bool) -> None:
    if as_json:
        print_json({**asdict(found), "differences": [asdict(each) for each in found.differences]})
        return
    for name, (first, second) in found.changed.items():
        show(f"{name}: {first} in the first, {second} in the second")
    show(
        f"{found.equal:,} values are equal, {len(found.differences):,} differ; "
        f"{found.only_first:,} are only in the first, {found.only_second:,} only in the second"
    )
    if found.differences:
        print_table(
            ("table", "value", "of", "first", "second", "change"),
            [
                (
                    each.table,
                    each.name,
                    each.key,
                    f"{each.first:,.6g}",
                    f"{each.second:,.6g}",
                    f"{each.share:+.1%}{' (clear)' if each.clear else ''}",
                )
                for each in found.differences[:DIFFERENCES_SHOWN]
            ],
            title=f"the {min(DIFFERENCES_SHOWN, len(found.differences))} largest changes",
            right=("first", "second", "change"),
        )
