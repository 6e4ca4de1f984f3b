"""`amcast bench`: how fast it is, against the bars we set ourselves."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Sequence

from amcast.bench import FULL, QUICK, Measure, bench_check, bench_lab, bench_sim, build
from amcast.bench import lab as lab_bench
from amcast.cli.output import print_json, print_table, progress_bar

NAME = "bench"
SUMMARY = "measure speed and memory against their bars"
DESCRIPTION = """\
Measure, in one run of about a minute. `sim` is the simulator with Skeen, 12 groups and 240
clients: events a second, the same model on SimPy, the cost of tracing, memory. `check` is the
check of a million deliveries in one process, beside DuckDB. `lab` is the same on Spark, at a
hundred thousand and a million deliveries, with --full at ten million: growth and memory. Times
are processor time. A missed bar makes the exit status 1."""
SUBJECTS = {"sim": "the simulator", "check": "the checker", "lab": "the checker on Spark"}
EXAMPLE = "amcast bench sim --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=tuple(SUBJECTS), help="what to measure")
    parser.add_argument(
        "--quick", action="store_true", help="tiny runs, to see that it works; bars do not count"
    )
    parser.add_argument("--full", action="store_true", help="lab: ten million deliveries, too")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    with progress_bar(f"measuring {SUBJECTS[options.what]}") as progress:
        measures = _measured(options, progress)
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
        _print_measures(SUBJECTS[options.what], measures)
    return 1 if missed and not options.quick else 0


def _measured(options: argparse.Namespace, progress: Callable[[float], None]) -> list[Measure]:
    if options.what == "check":
        return bench_check(options.quick, progress)
    if options.what == "lab":
        usual = lab_bench.FULL if options.full else lab_bench.USUAL
        return bench_lab(lab_bench.QUICK if options.quick else usual, progress)
    return bench_sim(QUICK if options.quick else FULL, progress)


def _print_measures(subject: str, measures: Sequence[Measure]) -> None:
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
        title=f"{subject}, {build()}, on Python {platform.python_version()}",
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
