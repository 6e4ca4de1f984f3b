"""`amcast fuzz`: random schedules, and the shortest story of the first that fails."""

from __future__ import annotations

import argparse
from typing import Any

from amcast.cli.output import print_json, print_table, progress_bar, show
from amcast.cli.sim import add_option
from amcast.core import InvalidInput
from amcast.protocols import PROTOCOLS, protocol_named
from amcast.scenarios import fuzz, fuzz_faults

NAME = "fuzz"
SUMMARY = "random schedules by seed, the first failure minimised"
DESCRIPTION = """\
Run random schedules: few groups, few messages, channels of very different speed, clients inside
and outside the destinations that retry or die half-way. Each seed is one schedule. For half of
the seeds the options of the protocol are drawn as well, unless --option is given. The first that
breaks a promise is made as short as possible and printed as a story, which can be saved
under tests/stories as a golden test.

With --faults each seed is a run of replicated groups in which machines crash and restart, disks
are slow and fail, packets are lost, repeated and late, groups are cut off or away and clients die.
Then all is healed, and what was promised must come true. Of a run that fails, the fewest faults and
messages that still make it fail are printed."""
EXAMPLE = "amcast fuzz --protocol all --runs 1000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--protocol", required=True, metavar="P", help=f"all, or one of {', '.join(PROTOCOLS)}")
    add("--runs", type=int, default=1000, metavar="N", help="how many seeds (default 1000)")
    add("--faults", action="store_true", help="replicated groups in bad times, then healed")
    add("--seed", type=int, default=1, metavar="N", help="the first seed (default 1)")
    add_option(parser, "drawn for half of the seeds")
    add("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    if options.runs < 1:
        raise InvalidInput(f"{options.runs} runs try nothing: use 1 or more")
    wanted = options.protocol
    names = list(PROTOCOLS) if wanted == "all" else [protocol_named(wanted).name]
    results = [_fuzz(name, options) for name in names]
    if options.json:
        print_json(results)
    else:
        _print(results)
    return 1 if any(result["failing_seed"] is not None for result in results) else 0


def _fuzz(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The first seed and up, until one fails."""
    attempt = fuzz_faults if options.faults else fuzz
    chosen = dict(options.options) if options.options else None
    runs = options.runs
    with progress_bar(f"fuzzing {name}") as progress:
        for done in range(runs):
            failure = attempt(name, options.seed + done, chosen)
            if failure is not None:
                return {
                    "protocol": name,
                    "runs": done + 1,
                    "failing_seed": failure.seed,
                    "violations": list(failure.violations),
                    "story": str(failure),
                }
            if done % 50 == 0:
                progress(done / runs)
    return {
        "protocol": name,
        "runs": runs,
        "failing_seed": None,
        "violations": [],
        "story": None,
    }


def _print(results: list[dict[str, Any]]) -> None:
    rows = [
        (
            result["protocol"],
            f"{result['runs']:,}",
            "none" if result["failing_seed"] is None else result["failing_seed"],
            "; ".join(result["violations"]),
        )
        for result in results
    ]
    print_table(("protocol", "runs", "failing seed", "violated"), rows, right=("runs",))
    for result in results:
        if result["story"] is not None:
            show(f"\n{result['story'].rstrip()}")
