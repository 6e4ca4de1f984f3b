"""The runs that `verify` judges, and what is known about each before its rows are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from amcast.core import InvalidInput
from amcast.scenarios.promises import promised
from amcast.traces import RunInfo, parse_parameters

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Judged:
    """One run: what it is to keep, and what its rows mean."""

    name: str
    # The properties that its protocol promises; None if nobody knows.
    promised: tuple[str, ...] | None
    complete: bool
    has_packets: bool


def listed_runs(tables: Mapping[str, DataFrame], seen: Collection[str]) -> list[Judged]:
    """The runs of the table `runs`; without one, all of which something was `seen`."""
    # A run that only counted its packets has rows in traffic instead.
    counted = _names(tables["traffic"]) if "traffic" in tables else frozenset()
    with_packets = "packets" in tables
    if "runs" not in tables:
        return [
            Judged(name, None, True, with_packets and name not in counted) for name in sorted(seen)
        ]
    infos: dict[str, Judged] = {}
    columns = ("run", "protocol", "driver", "parameters", "seed", "drained")
    for run, protocol, driver, text, seed, drained in tables["runs"].select(*columns).collect():
        if run in infos:
            raise InvalidInput(
                f"run {run} is listed more than once in runs: give every run its own name"
            )
        parameters = parse_parameters("the trace", run, text)
        info = RunInfo(run, protocol, driver, parameters, seed, drained)
        has_packets = with_packets and run not in counted
        infos[run] = Judged(run, promised(info), bool(drained), has_packets)
    return [infos[run] for run in sorted(infos)]


def _names(frame: DataFrame) -> frozenset[str]:
    return frozenset(row.run for row in frame.select("run").distinct().collect())
