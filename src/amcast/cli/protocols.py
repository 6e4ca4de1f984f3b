"""`amcast protocols`: what runs and what it promises."""

from __future__ import annotations

import argparse

from amcast.cli.output import print_json, print_table
from amcast.protocols import PROTOCOLS

NAME = "protocols"
SUMMARY = "list the protocols and what each promises"
DESCRIPTION = """\
List the protocols. Genuine: only the destinations of a message help to order it (true), only
those of messages to one group (local), or not (false). Delays: how many message delays an
isolated message to several groups takes, the client being outside them."""
EXAMPLE = "amcast protocols --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    fields = ("name", "genuine", "tolerates", "delays", "source")
    rows = [
        {field: getattr(protocol, field) for field in fields} for protocol in PROTOCOLS.values()
    ]
    if options.json:
        print_json(rows)
    else:
        print_table(
            fields,
            [
                [str(value).lower() if value in (True, False) else value for value in row.values()]
                for row in rows
            ],
        )
    return 0
