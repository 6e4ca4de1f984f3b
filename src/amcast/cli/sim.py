"""`amcast sim`: one simulated run, written as a trace."""

from __future__ import annotations

import argparse
from pathlib import Path

from amcast.cli.output import print_json, print_table, progress_bar, show
from amcast.protocols import PROTOCOLS
from amcast.scenarios import SCENARIOS, Parameters, Run
from amcast.sim import Histogram, Outcome
from amcast.workloads import WORKLOAD_NAMES

NAME = "sim"
SUMMARY = "simulate a protocol and write the trace"
DESCRIPTION = """\
Run a protocol in virtual time over a modelled network. One seed gives one run: the trace is
equal to the byte whenever it is repeated. The directory appears when the run is complete."""
EXAMPLE = (
    "amcast sim --protocol tree --scenario aws12 --overlay T1 --workload gtpcc-evaluation \\\n"
    "    --clients 240 --duration-s 60 --out trace"
)
SHARES = (0.5, 0.9, 0.95, 0.99)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--protocol", required=True, metavar="P", help=f"one of {', '.join(PROTOCOLS)}")
    add("--scenario", default="uniform", metavar="S", help=f"one of {', '.join(SCENARIOS)}")
    add("--groups", type=int, metavar="N", help="how many groups (default 3)")
    add("--replicas", type=int, default=1, metavar="R", help="processes a group: 1, 3, 5, 7")
    add(
        "--overlay",
        metavar="O",
        help="tree: star, star:g2, chain, binary, edges such as g1>g2,g1>g3, or one that the "
        "scenario names (aws12: T1, T2, T3; wan1, wan2: C1, C2); sequencer: the centre; "
        "flexcast: ranks such as g1,g3,g2, or O1, O2; propagation: sets such as g1+g2,g2+g3",
    )
    add("--workload", default="uniform", metavar="W", help=f"one of {', '.join(WORKLOAD_NAMES)}")
    add("--locality", type=float, default=0.9, metavar="F", help="gTPC-C: share of the nearest")
    add("--global-share", type=float, metavar="F", help="home: messages to two groups (0.1)")
    add("--sizes", type=_sizes, metavar="N,N", help="uniform: numbers of destinations (1,2)")
    add("--keys", type=int, metavar="N", help="messages conflict when they share one of N keys")
    _add_load(parser)
    add("--crashes", type=int, default=0, metavar="N", help="crashes, each restarted (3 replicas)")
    add("--lost-groups", type=int, default=0, metavar="N", help="adt: groups lost for ever")
    add(
        "--outages",
        type=int,
        default=0,
        metavar="N",
        help="times that a whole group is down, missed and back: adt, and propagation with "
        "--option failures=leave-out",
    )
    add("--latency-scale", type=float, default=1.0, metavar="F", help="multiply all delays")
    add("--jitter", type=float, metavar="F", help="share of a delay that varies (the scenario's)")
    add("--cpu-us", type=float, default=0.0, metavar="F", help="processor time per message")
    add("--cpu-us-per-kb", type=float, default=0.0, metavar="F", help="and per kilobyte of it")
    add("--log-period-ms", type=float, default=0.0, metavar="F", help="time between log instances")
    add("--flush-ms", type=float, default=100.0, metavar="F", help="between flushes, or changes")
    add("--inside-ms", type=float, default=0.05, metavar="F", help="between replicas of a group")
    add("--sync-ms", type=float, default=0.0, metavar="F", help="until a disk has written")
    add("--window", type=int, default=8, metavar="N", help="open slots of a group's log")
    add_option(parser)
    add("--seed", type=int, default=1, metavar="N", help="everything random comes from it")
    add("--packets", choices=("all", "counts", "off"), default="all", help="what to record of them")
    add("--out", type=Path, required=True, metavar="DIR", help="where the trace goes")
    add("--json", action="store_true", help="print JSON")


def add_option(parser: argparse.ArgumentParser, otherwise: str = "its own") -> None:
    """For every command that makes a protocol; `otherwise` says what happens without."""
    parser.add_argument(
        "--option",
        dest="options",
        type=_option,
        action="append",
        default=[],
        metavar="K=V",
        help=f"a choice that the protocol leaves open, such as eta=4 (default {otherwise})",
    )


def _add_load(parser: argparse.ArgumentParser) -> None:
    """How much clients send, and when."""
    add = parser.add_argument
    add("--clients", type=int, default=6, metavar="N", help="how many clients (default 6)")
    add("--rate", type=float, metavar="F", help="messages a second of each client, open loop")
    add(
        "--wait-for",
        choices=("all", "home"),
        default="all",
        help="whose replies a client waits for: all, or its nearest group's if that gets one",
    )
    add("--messages", type=int, metavar="N", help="messages in all (default 1000)")
    add("--duration-s", type=float, metavar="F", help="or: how long clients send")


def run(options: argparse.Namespace) -> int:
    names = Parameters.__struct_fields__
    chosen = {name: getattr(options, name) for name in names} | {"options": dict(options.options)}
    parameters = Parameters(**chosen)
    simulated = Run(parameters)
    with progress_bar(f"simulating {parameters.protocol} on {parameters.scenario}") as progress:
        outcome = simulated.write(options.out, packets=options.packets, progress=progress)
    if options.json:
        print_json(summary(outcome))
    else:
        print_outcome(parameters, outcome, options.out)
    return 0 if outcome.drained else 1


def summary(outcome: Outcome) -> dict[str, object]:
    """An outcome in plain values."""
    latencies = outcome.latencies
    return {
        "messages": outcome.messages,
        "completed": outcome.completed,
        "deliveries": outcome.deliveries,
        "packets": outcome.packets,
        "events": outcome.events,
        "virtual_s": outcome.ended_us / 1e6,
        "drained": outcome.drained,
        "latency_ms": {
            "all": _percentiles(latencies.all),
            **{str(rank + 1): _percentiles(found) for rank, found in latencies.by_rank.items()},
        },
    }


def print_outcome(parameters: Parameters, outcome: Outcome, where: Path) -> None:
    print_table(
        ("destination", "replies", *(f"p{share * 100:g} ms" for share in SHARES)),
        [
            _row("all", outcome.latencies.all),
            *(_row(str(rank + 1), found) for rank, found in outcome.latencies.by_rank.items()),
        ],
        title=f"{parameters.protocol} on {parameters.scenario}: latency by destination, in the "
        "order of the groups",
        right=("replies", *(f"p{share * 100:g} ms" for share in SHARES)),
    )
    show(
        f"{outcome.messages:,} messages, {outcome.deliveries:,} deliveries, "
        f"{outcome.packets:,} packets between groups, {outcome.ended_us / 1e6:,.2f} s of virtual "
        f"time, {outcome.events:,} events; trace in {where}"
    )
    if not outcome.drained:
        show("stopped before it was quiet: the protocol is busy, but clients get no replies")


def _row(name: str, found: Histogram) -> tuple[str, ...]:
    if not found.total:
        return (name, "0", *("-" for _ in SHARES))
    return (name, f"{found.total:,}", *(f"{value:,.1f}" for value in _percentiles(found).values()))


def _percentiles(found: Histogram) -> dict[str, float]:
    if not found.total:
        return {}
    return {f"p{share * 100:g}": found.percentile(share) / 1000 for share in SHARES}


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers, such as 1,2") from None


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is no choice: write name=value, such as eta=4")
    return name, value
