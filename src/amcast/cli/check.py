"""`amcast check`: the verdict on a trace."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from amcast.check import check, merge
from amcast.cli.output import print_json, print_table, progress_bar, show
from amcast.protocols import PROTOCOLS
from amcast.traces import RunInfo, read_histories, read_runs

NAME = "check"
SUMMARY = "prove or refute every ordering property of a trace"
DESCRIPTION = """\
Check a trace: a directory with a Parquet file or folder per table, of which `multicasts` and
`deliveries` are enough, whoever wrote them. A property holds, is violated (with a witness), or
is unknown because the trace lacks what it needs. Only a violated property that the run's
protocol promises makes the exit status 1."""
EXAMPLE = "amcast check trace --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the trace")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    runs = read_runs(options.directory)
    promises = {run.run: _promises(run) for run in runs}
    verdicts = []
    with progress_bar(f"checking {options.directory}") as progress:
        for history in read_histories(options.directory):
            verdicts.append(check(history, required=promises.get(history.run)))
            progress(len(verdicts) / len(runs))
    merged = merge(verdicts)
    if options.json:
        print_json(merged)
    else:
        _print_verdict(merged)
    return 0 if all(verdict.ok for verdict in verdicts) else 1


def _promises(run: RunInfo) -> tuple[str, ...] | None:
    """What the run's protocol promises; None if we do not know the protocol."""
    if run.protocol is None or run.protocol not in PROTOCOLS:
        return None
    chosen = run.parameters.get("options")
    return PROTOCOLS[run.protocol].promises_with(chosen if isinstance(chosen, dict) else {})


def _print_verdict(merged: dict[str, Any]) -> None:
    rows = [
        (
            name.replace("_", " "),
            found["verdict"],
            "yes" if found["required"] else "no",
            found["witness"] or "",
        )
        for name, found in merged["properties"].items()
    ]
    print_table(("property", "verdict", "promised", "witness"), rows)
    runs = "1 run" if merged["runs"] == 1 else f"{merged['runs']:,} runs"
    show(f"{runs}, {merged['messages']:,} messages, {merged['deliveries']:,} deliveries")
