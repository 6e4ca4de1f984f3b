"""The command line: one parser, the exit codes, and nothing that computes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from amcast.cli import bench, check, explore, fuzz, lab, overlay, protocols, sim
from amcast.core import InvalidInput

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

COMMANDS = (protocols, overlay, sim, check, explore, fuzz, lab, bench)

EPILOG = """\
exit status: 0 done, or all promises hold; 1 a promised property is violated, a run failed
or a benchmark missed its bar; 2 bad input; 130 interrupted

example:
  amcast sim --protocol skeen --scenario aws12 --out trace && amcast check trace
"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="amcast",
        description="Atomic multicast: simulate, explore and check ordering protocols.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"amcast {version('amcast')}")
    commands = parser.add_subparsers(metavar="command", required=True, parser_class=Parser)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.NAME,
            help=command.SUMMARY,
            description=command.DESCRIPTION,
            epilog=f"example:\n  {command.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, prog=sub.prog)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except InvalidInput as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"{options.prog}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"{options.prog}: {error}: make room there, or write elsewhere", file=sys.stderr)
        return FAILED
    return status
