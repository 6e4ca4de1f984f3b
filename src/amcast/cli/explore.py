"""`amcast explore`: every interleaving of a small world."""

from __future__ import annotations

import argparse
import sys

from amcast.cli.output import print_json, print_table, show
from amcast.cli.sim import add_option
from amcast.core import InvalidInput
from amcast.protocols import PROTOCOLS, protocol_named
from amcast.scenarios import explorer
from amcast.sim import Exploration
from amcast.sim.explore import STATES_MAX
from amcast.sim.story import read_keys

NAME = "explore"
SUMMARY = "check every interleaving of a few messages"
DESCRIPTION = """\
Let a few messages arrive in every possible order and check each outcome. Arrivals at different
groups commute, so schedules fall into classes that no process can tell apart; equal states are
visited once. Both counts are exact. A bound on states keeps it finite: if it is reached, the
exploration is not complete, says so, and the exit status is 1."""
EXAMPLE = "amcast explore --protocol skeen --groups 3 --dst g1,g2 --dst g2,g3 --dst g1,g3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--protocol", required=True, metavar="P", help=f"one of {', '.join(PROTOCOLS)}")
    add("--groups", type=int, default=3, metavar="N", help="how many groups (default 3)")
    add("--overlay", metavar="O", help="as in amcast sim")
    add(
        "--dst",
        action="append",
        metavar="G,G",
        help="the destinations of a message; give one for each message",
    )
    add(
        "--keys",
        action="append",
        type=_keys,
        metavar="K,K",
        help="what a message conflicts on, - for nothing; none, or one for each --dst",
    )
    add("--inside", action="store_true", help="each client belongs to its first destination")
    add("--max-states", type=int, default=STATES_MAX, metavar="N", help=f"default {STATES_MAX:,}")
    add_option(parser)
    add("--json", action="store_true", help="print JSON")


def _keys(text: str) -> tuple[str, ...]:
    try:
        return read_keys(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(options: argparse.Namespace) -> int:
    if not options.dst:
        raise InvalidInput("there is no message to explore: give --dst g1,g2 for each one")
    if options.max_states < 1:
        raise InvalidInput(f"a bound of {options.max_states} states sees nothing: use 1 or more")
    exploring = explorer(
        protocol_named(options.protocol),
        options.groups,
        [wanted.split(",") for wanted in options.dst],
        overlay=options.overlay,
        options=dict(options.options),
        keys=options.keys or (),
        inside=options.inside,
        states_max=options.max_states,
    )
    found = exploring.explore(_tell_states)
    if options.json:
        print_json(
            {
                "states": found.states,
                "transitions": found.transitions,
                "schedules": found.schedules,
                "classes": found.classes,
                "endings": found.endings,
                "complete": found.complete,
                "bound": options.max_states,
                "violations": list(found.violations),
                "story": None if found.story is None else str(found.story),
            }
        )
    else:
        _print(options, found)
    return 0 if found.complete and not found.violations else 1


def _tell_states(states: int) -> None:
    if states % 100_000 == 0:
        print(f"{states:,} states ...", file=sys.stderr, flush=True)


def _print(options: argparse.Namespace, found: Exploration) -> None:
    rows = [
        ("states", f"{found.states:,}"),
        ("transitions", f"{found.transitions:,}"),
        ("different endings", f"{found.endings:,}"),
    ]
    if found.complete:
        rows[2:2] = [
            ("schedules", f"{found.schedules:,}"),
            ("classes of commuting schedules", f"{found.classes:,}"),
        ]
    print_table(("", "number"), rows, right=("number",))
    if found.violations:
        show(f"violated: {'; '.join(found.violations)}\n\n{found.story}")
    elif not found.complete:
        show(
            f"not complete: stopped at the bound of {options.max_states:,} states; "
            "what was seen holds. Give a higher --max-states, or fewer messages."
        )
    else:
        show(f"{options.protocol} keeps its promises in every interleaving.")
