"""`amcast check`: the verdict on a trace."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from amcast.check import Verdict, check, merge
from amcast.cli.output import print_json, print_table, progress_bar, show
from amcast.core import InvalidInput
from amcast.lab.foreign import foreign_files, ingest, read_mapping
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
    parser.add_argument(
        "--columns",
        type=Path,
        metavar="FILE",
        help="TOML file: what columns of JSON lines or CSV are called",
    )
    parser.add_argument(
        "--master", metavar="URL", help="check on Spark, such as local[*] or spark://host:7077"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    with _as_trace(options) as directory:
        judge = _on_spark if options.master else _in_this_process
        verdicts = judge(options, directory)
    merged = merge(verdicts)
    if options.json:
        print_json(merged)
    else:
        _print_verdict(merged)
    return 0 if all(verdict.ok for verdict in verdicts) else 1


@contextmanager
def _as_trace(options: argparse.Namespace) -> Iterator[Path]:
    """The directory itself, or a copy with trace tables of what others wrote in it."""
    files = foreign_files(options.directory)
    if not files and options.columns:
        raise InvalidInput(
            f"{options.directory} has no files such as deliveries.jsonl or deliveries.csv: "
            "leave --columns out, or name another directory"
        )
    if not files:
        yield options.directory
        return
    mapping = read_mapping(options.columns) if options.columns else {}
    with TemporaryDirectory(prefix="amcast-") as copy:
        try:
            yield ingest(options.directory, mapping, Path(copy))
        except InvalidInput as error:
            raise InvalidInput(str(error).replace(copy, str(options.directory))) from error


def _in_this_process(options: argparse.Namespace, directory: Path) -> list[Verdict]:
    trace = Trace(directory)
    _mention(trace.in_flight)
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
    _mention(in_flight)
    return verdicts


def _mention(in_flight: Sequence[str]) -> None:
    if in_flight:
        count = len(in_flight)
        runs = f"run {in_flight[0]} has" if count == 1 else f"{count:,} runs have"
        print(
            f"amcast check: {runs} rows but no row in runs, as if still being written: left out",
            file=sys.stderr,
        )


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
