"""`amcast check`: the verdict on a trace."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from amcast.check import Verdict, check, merge
from amcast.cli.output import mention_in_flight, print_json, print_table, progress_bar, show
from amcast.core import InvalidInput
from amcast.lab.foreign import as_trace
from amcast.scenarios.promises import promised
from amcast.traces import Trace

NAME = "check"
SUMMARY = "prove or refute every ordering property of a trace"
DESCRIPTION = """\
Check a trace: a directory with a Parquet file or folder per table, of which `multicasts` and
`deliveries` are enough, whoever wrote them; JSON lines (deliveries.jsonl) or CSV will do. A
property holds, is violated (with a witness), or is unknown because the trace lacks what it
needs. Only a violated property that the run's protocol promises makes the exit status 1."""
EXAMPLE = "amcast check trace --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the trace")
    add_columns(parser)
    parser.add_argument(
        "--master", metavar="URL", help="check on Spark, such as local[*] or spark://host:7077"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_columns(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--columns",
        type=Path,
        metavar="FILE",
        help="TOML file: what columns of JSON lines or CSV are called",
    )


def run(options: argparse.Namespace) -> int:
    with as_trace(options.directory, options.columns) as directory:
        judge = _on_spark if options.master else _in_this_process
        verdicts = judge(options, directory)
    if not any(verdict.messages or verdict.deliveries for verdict in verdicts):
        raise InvalidInput(
            f"{options.directory} has neither a multicast nor a delivery, so nothing was checked: "
            "name a trace that has"
        )
    merged = merge(verdicts)
    if options.json:
        print_json(merged)
    else:
        _print_verdict(merged)
    return 0 if all(verdict.ok for verdict in verdicts) else 1


def _in_this_process(options: argparse.Namespace, directory: Path) -> list[Verdict]:
    trace = Trace(directory)
    mention_in_flight("check", trace.in_flight)
    promises = {info.run: promised(info) for info in trace.runs}
    verdicts: list[Verdict] = []
    with progress_bar(f"checking {options.directory}") as progress:
        for history in trace.histories():
            verdicts.append(check(history, required=promises[history.run]))
            progress(len(verdicts) / len(promises))
    return verdicts


def _on_spark(options: argparse.Namespace, directory: Path) -> list[Verdict]:
    # A JVM takes seconds and memory, so it is started only if it is asked for.
    from amcast.lab.verify_directory import verify_directory

    with progress_bar(f"checking {options.directory} on {options.master}") as progress:
        verdicts, in_flight = verify_directory(directory, options.master)
        progress(1.0)
    mention_in_flight("check", in_flight)
    return verdicts


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
