"""The story of `make demo`: three protocols over twelve AWS regions, simulated and checked."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from amcast.check import PROPERTIES, Verdict, check
from amcast.cli.output import print_table, progress_bar, show
from amcast.scenarios import Parameters, Run
from amcast.sim import Outcome
from amcast.traces import read_histories

DIRECTORY = Path("demo")
CLIENTS = 240
DURATION_S = 20.0
CONTENDERS = {
    name: Parameters(
        protocol=protocol,
        overlay=overlay,
        scenario="aws12",
        workload="gtpcc",
        clients=CLIENTS,
        duration_s=DURATION_S,
    )
    for name, protocol, overlay in (
        ("skeen", "skeen", None),
        ("tree T1", "tree", "T1"),
        ("flexcast O1", "flexcast", "O1"),
    )
}


def main() -> int:
    show(
        f"{CLIENTS} clients in twelve AWS regions run gTPC-C for {DURATION_S:g} virtual seconds.\n"
        "Skeen asks only the groups a message is for; the tree orders on the way down; FlexCast\n"
        "sends straight to the destinations, along with the history that they need.\n"
    )
    outcomes: dict[str, Outcome] = {}
    verdicts: dict[str, Verdict] = {}
    for name, parameters in CONTENDERS.items():
        directory = DIRECTORY / parameters.protocol
        # The demo's own directory: a second demo starts afresh.
        shutil.rmtree(directory, ignore_errors=True)
        run = Run(parameters)
        with progress_bar(f"simulating {name}") as progress:
            outcomes[name] = run.write(directory, progress=progress)
        (history,) = read_histories(directory)
        verdicts[name] = check(history, required=run.promises)
    _print_outcomes(outcomes)
    _print_verdicts(verdicts)
    show("\nThe traces are in demo/. For a witness: .venv/bin/amcast check demo/skeen")
    return 0 if all(verdict.ok for verdict in verdicts.values()) else 1


def _print_outcomes(outcomes: dict[str, Outcome]) -> None:
    measures = ("messages/s", "p50 ms", "p90 ms", "p99 ms", "packets each")
    rows = []
    for name, outcome in outcomes.items():
        latency = outcome.latencies.all
        percentiles = (f"{latency.percentile(share) / 1000:,.0f}" for share in (0.5, 0.9, 0.99))
        each = f"{outcome.packets / outcome.messages:.2f}"
        rows.append((name, f"{outcome.messages / DURATION_S:,.0f}", *percentiles, each))
    print_table(("protocol", *measures), rows, right=measures)


def _print_verdicts(verdicts: dict[str, Verdict]) -> None:
    rows = []
    for name in PROPERTIES:
        found = [verdict.properties[name] for verdict in verdicts.values()]
        cells = (each.verdict + ("" if each.required else " (not promised)") for each in found)
        rows.append((name.replace("_", " "), *cells))
    print_table(("property", *verdicts), rows)


if __name__ == "__main__":
    sys.exit(main())
