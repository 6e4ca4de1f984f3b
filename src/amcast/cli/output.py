"""How results and progress look."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table


def show(text: str) -> None:
    """Print a result; what the terminal cannot show is spelt out.

    A reader that went away, as with `| head`, is no error: the exit status still counts.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        # What could not be written must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise


def print_json(value: object) -> None:
    show(json.dumps(value, indent=2))


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    title: str | None = None,
    right: Sequence[str] = (),
) -> None:
    """A table on standard output; the columns in `right` hold numbers."""
    if title is not None:
        show(title)
    table = Table(header_style="bold")
    for column in columns:
        # A wide cell is folded, never cut: a witness that ends in dots is none.
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    # The first column names the row; the others make room for it.
    table.columns[0].width = max(map(len, (columns[0], *(str(row[0]) for row in rows))))
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    console = Console(highlight=False, emoji=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    show(captured.get().rstrip("\n"))


def mention_in_flight(command: str, runs: Sequence[str]) -> None:
    """Say on standard error that these were left out."""
    if runs:
        which = f"run {runs[0]} has" if len(runs) == 1 else f"{len(runs):,} runs have"
        print(
            f"amcast {command}: {which} rows but no row in runs, as if still being written: "
            "left out",
            file=sys.stderr,
        )


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error; what it yields takes the share that is done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _progress_lines(label)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(label, total=1.0)
        yield lambda share: progress.update(task, completed=share)


def _progress_lines(label: str) -> Callable[[float], None]:
    """For a log file: a line for every tenth that is done."""
    told = 0

    def update(share: float) -> None:
        nonlocal told
        if int(share * 10) > told:
            told = int(share * 10)
            print(f"{label}: {told * 10} %", file=sys.stderr, flush=True)

    return update
