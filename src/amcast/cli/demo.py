"""The story of `make demo`: three protocols over twelve AWS regions, from a sweep to a page."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from amcast.cli.lab_output import print_state, stage_bars
from amcast.cli.output import print_table, show
from amcast.core import InvalidInput
from amcast.lab.experiment import named
from amcast.lab.run import run_experiment

DIRECTORY = Path("demo")
EXPERIMENT = "demo"
SIZE = "quick"
SHARES = ("p50", "p90", "p99")

STORY = """\
Clients in twelve AWS regions run gTPC-C: each transaction goes to two or three regions that
are near. Skeen asks only the groups a message is for; the tree orders on the way down;
FlexCast sends straight to the destinations, along with the history that they need.

The sweep runs on Spark, started here from the Python packages: simulate, verify, measure.
"""


def main() -> int:
    show(STORY)
    # The demo's own directory: a second demo starts afresh.
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    try:
        with stage_bars() as progress:
            found, computed = run_experiment(
                named(EXPERIMENT).chosen(SIZE), DIRECTORY, progress=progress
            )
    except InvalidInput as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    _print_latencies()
    print_state(found, DIRECTORY, as_json=False, computed=computed)
    return 1 if found.failed or found.violated else 0


def _print_latencies() -> None:
    """Until the last destination's reply, which is when a client goes on."""
    from amcast.lab.report_data import Setting, read_rows

    speed = {
        row["setting"]: row["messages_s"]
        for row in read_rows(DIRECTORY / "metrics" / "throughput")
        if row["scope"] == "all"
    }
    latency: dict[str, dict[str, float]] = {}
    for row in read_rows(DIRECTORY / "metrics" / "latency"):
        if (row["scope"], row["order"]) == ("all", "last"):
            latency.setdefault(row["setting"], {})[row["statistic"]] = row["us"] / 1000
    rows = []
    for text, found in latency.items():
        chosen = Setting(text).values
        name = " ".join(chosen[key] for key in ("protocol", "overlay") if key in chosen)
        rows.append((name, f"{speed[text]:,.0f}", *(f"{found[share]:,.0f}" for share in SHARES)))
    measures = ("messages/s", *(f"{share} ms" for share in SHARES))
    print_table(("protocol", *measures), sorted(rows), right=measures)


if __name__ == "__main__":
    sys.exit(main())
