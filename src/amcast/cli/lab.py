"""`amcast lab`: experiments on Spark, from a file to a page."""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from amcast.cli.check import add_columns
from amcast.cli.lab_output import print_state, stage_bars
from amcast.cli.output import mention_in_flight, print_json, print_table, show
from amcast.core import InvalidInput
from amcast.lab.attempts import outdated_runs
from amcast.lab.experiment import SIZES, Chosen, named, names
from amcast.lab.ingest import ingest_trace
from amcast.lab.plan import plan
from amcast.lab.run import missing_runs, run_experiment, state
from amcast.lab.stages import report

NAME = "lab"
SUMMARY = "run experiments on Spark, and report on them"
DESCRIPTION = """\
Experiments as a data pipeline: simulate every combination of a TOML file on Spark, verify,
measure, and write a page with the published numbers beside ours. A second run in the same
directory computes only what is missing. No Java is needed beforehand."""
EXAMPLE = "amcast lab run flexcast-overlays --size quick --out overlays"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="command", required=True)
    for add in (_add_list, _add_run, _add_ingest, _add_report, _add_show, _add_compare):
        add(commands)


def run(options: argparse.Namespace) -> int:
    status: int = options.lab(options)
    return status


def _command(commands: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _add_list(commands: Any) -> None:
    parser = _command(commands, "list", "the experiments there are", "amcast lab list")
    parser.set_defaults(lab=_list)


def _list(options: argparse.Namespace) -> int:
    rows = []
    for name in names():
        experiment = named(name)
        found: dict[str, object] = {"name": name, "title": experiment.title}
        found["source"] = experiment.source
        try:
            found["runs"] = {size: len(plan(experiment.chosen(size))) for size in experiment.sizes}
            found["unavailable"] = None
        except InvalidInput as error:
            found |= {"runs": {}, "unavailable": str(error)}
        found["missing"] = [f"{gap.what}: {gap.reason}" for gap in experiment.missing]
        rows.append(found)
    if options.json:
        print_json(rows)
        return 0
    print_table(
        ("experiment", *SIZES, "what"),
        [_listed(found) for found in rows],
        title="experiments, and how many runs they have in each size",
        right=SIZES,
    )
    return 0


def _listed(found: dict[str, Any]) -> tuple[str, ...]:
    counts = (str(found["runs"].get(size, "-")) for size in SIZES)
    what = f"{found['source']}: {found['title']}" if found["source"] else found["title"]
    if found["unavailable"]:
        what += f"; unavailable: {found['unavailable']}"
    return (found["name"], *counts, what)


def _add_run(commands: Any) -> None:
    parser = _command(
        commands, "run", "run what is missing of an experiment", f"{EXAMPLE} --seeds 3"
    )
    add = parser.add_argument
    add("experiment", metavar="NAME|FILE.toml", help="see `amcast lab list`")
    add("--size", choices=SIZES, help="how much of it (default quick)")
    add("--seeds", type=int, metavar="N", help="how many seeds, from 1")
    add(
        "--set",
        dest="settings",
        type=_setting,
        action="append",
        default=[],
        metavar="K=V",
        help="a parameter for all runs, such as clients=120 or locality=[0.9,0.99]",
    )
    add("--dry-run", action="store_true", help="only say what it would take")
    _add_places(parser)
    parser.set_defaults(lab=_run)


def _add_places(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--master", default="local[*]", metavar="URL", help="where Spark runs (default local[*])")
    add("--out", type=Path, required=True, metavar="DIR", help="where everything goes")


def _run(options: argparse.Namespace) -> int:
    chosen = named(options.experiment).chosen(
        options.size, seeds=options.seeds, settings=dict(options.settings)
    )
    outdated = len(outdated_runs(options.out))
    if outdated:
        made = "One finished run was" if outdated == 1 else f"{outdated:,} finished runs were"
        print(f"{made} made by other code than this: computed again", file=sys.stderr)
    if options.dry_run:
        return _dry_run(options, chosen)
    try:
        with stage_bars() as progress:
            found, computed = run_experiment(
                chosen, options.out, master=options.master, progress=progress
            )
    except KeyboardInterrupt:
        show(f"what is finished is kept: the same command goes on from there ({options.out})")
        raise
    print_state(found, options.out, as_json=options.json, computed=computed)
    return 1 if found.failed or found.violated else 0


def _dry_run(options: argparse.Namespace, chosen: Chosen) -> int:
    from amcast.lab.estimate import estimate

    found = estimate(missing_runs(chosen, options.out), os.cpu_count() or 1)
    runs = len(plan(chosen))
    if options.json:
        print_json(
            {
                "runs": runs,
                "missing": found.runs,
                "minutes": round(found.minutes, 2),
                "megabytes": round(found.megabytes, 3),
            }
        )
    else:
        show(
            f"{runs:,} runs, {found.runs:,} to compute: about {found.minutes:,.1f} minutes "
            f"on this machine and {found.megabytes:,.0f} MB in {options.out}"
        )
    return 0


def _add_ingest(commands: Any) -> None:
    parser = _command(
        commands,
        "ingest",
        "verify, measure and report a trace that was written elsewhere",
        "amcast lab ingest shop --columns shop.toml --out shop-lab",
    )
    parser.add_argument("directory", type=Path, metavar="TRACE", help="as `amcast check` reads it")
    add_columns(parser)
    _add_places(parser)
    parser.set_defaults(lab=_ingest)


def _ingest(options: argparse.Namespace) -> int:
    with stage_bars() as progress:
        found, computed, in_flight = ingest_trace(
            options.directory,
            options.out,
            columns=options.columns,
            master=options.master,
            progress=progress,
        )
    mention_in_flight("lab ingest", in_flight)
    print_state(found, options.out, as_json=options.json, computed=computed)
    return 1 if found.violated else 0


def _add_report(commands: Any) -> None:
    parser = _command(commands, "report", "write the page again", "amcast lab report overlays")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.set_defaults(lab=_report)


def _report(options: argparse.Namespace) -> int:
    state(options.directory)
    page = report(options.directory)
    if options.json:
        print_json({"page": str(page)})
    else:
        show(f"the page is {page}")
    return 0


def _add_show(commands: Any) -> None:
    parser = _command(commands, "show", "what a directory holds", "amcast lab show overlays")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--markdown", action="store_true", help="the result as a text to keep")
    parser.set_defaults(lab=_show)


def _show(options: argparse.Namespace) -> int:
    found = state(options.directory)
    if options.markdown:
        from amcast.lab.report_record import record

        print(record(options.directory), end="")
    else:
        print_state(found, options.directory, as_json=options.json)
    return 1 if found.failed or found.violated else 0


def _add_compare(commands: Any) -> None:
    parser = _command(
        commands, "compare", "the metrics of two directories", "amcast lab compare before after"
    )
    parser.add_argument("first", type=Path, metavar="A")
    parser.add_argument("second", type=Path, metavar="B")
    parser.set_defaults(lab=_compare)


def _compare(options: argparse.Namespace) -> int:
    from amcast.cli.lab_output import print_differences
    from amcast.lab.compare import compare

    print_differences(compare(options.first, options.second), as_json=options.json)
    return 0


def _setting(text: str) -> tuple[str, Any]:
    """A value as TOML writes it; what is no TOML is text."""
    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is no setting: write name=value")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value
