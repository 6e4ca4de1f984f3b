"""`amcast bench`: how fast it is, against the bars we set ourselves."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence

from amcast.bench import FULL, QUICK, Measure, bench_sim, build
from amcast.cli.output import print_json, print_table, progress_bar

NAME = "bench"
SUMMARY = "measure speed and memory against their bars"
DESCRIPTION = """\
Measure, in one run of at most a minute. `sim` is the simulator with Skeen, 12 groups and 240
clients: events a second, the same model on SimPy, the cost of tracing, memory. Times are
processor time, the best of several rounds that take turns. A missed bar makes the exit
status 1."""
EXAMPLE = "amcast bench sim --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("sim",), help="what to measure")
    parser.add_argument(
        "--quick", action="store_true", help="tiny runs, to see that it works; bars do not count"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    with progress_bar("measuring the simulator") as progress:
        measures = bench_sim(QUICK if options.quick else FULL, progress)
    missed = [measure.name for measure in measures if measure.verdict == "miss"]
    if options.json:
        print_json(
            {
                "what": options.what,
                "build": build(),
                "python": platform.python_version(),
                "quick": options.quick,
                "measures": [measure.as_dict() for measure in measures],
                "missed": missed,
            }
        )
    else:
        _print_measures(measures)
    return 1 if missed and not options.quick else 0


def _print_measures(measures: Sequence[Measure]) -> None:
    print_table(
        ("measure", "value", "bar", "ratio", "verdict"),
        [
            (
                measure.name,
                _number(measure.value, measure.unit),
                _bar(measure),
                "" if measure.ratio is None else f"{measure.ratio:.2f}",
                measure.verdict or "",
            )
            for measure in measures
        ],
        title=f"the simulator, {build()}, on Python {platform.python_version()}",
        right=("value", "bar", "ratio"),
    )


def _bar(measure: Measure) -> str:
    if measure.bar is None:
        return ""
    least = "at least" if measure.better == "more" else "at most"
    return f"{least} {_number(measure.bar, measure.unit)}"


def _number(value: float, unit: str) -> str:
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
    return f"{text} {unit}".rstrip()
