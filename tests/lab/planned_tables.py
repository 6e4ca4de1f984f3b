"""The tables that the runs of a plan would leave, with made-up numbers: nothing is simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import count, product
from pathlib import Path
from typing import Any

from amcast.lab.plan import PlannedRun
from amcast.lab.report_data import Results, Row, Setting
from amcast.scenarios import Run

ORDERS = ("overlay", "arrival", "last", "own")
STATISTICS = ("p50", "p90", "p95", "p99", "mean")
SAMPLES = 10_000


class PlannedResults(Results):
    """Every row once that the stages after the sweep could write for these runs."""

    def __init__(self, runs: list[PlannedRun]) -> None:
        super().__init__(Path("nowhere"))
        self.runs = runs
        self._numbers = count(1)

    @cached_property
    def planned(self) -> dict[str, tuple[Setting, PlannedRun]]:
        """Runs that differ in nothing but the seed are one setting."""
        texts = [(setting_text(run.parameters), run) for run in self.runs]
        return {text: (Setting(text), run) for text, run in texts}

    def table(self, name: str) -> list[Row]:
        if name not in self._tables:
            make = {
                "runs": self._runs,
                "latency": self._latency,
                "throughput": self._throughput,
                "traffic": self._traffic,
                "overhead": self._overhead,
                "overhead_summary": self._overhead_summary,
                "kinds": self._kinds,
            }[name]
            self._tables[name] = [
                {"setting": setting, "seeds": 1, **row}
                for setting, run in self.planned.values()
                for row in make(run)
            ]
        return self._tables[name]

    def rows(self, folder: str) -> list[Row]:
        return []

    def _runs(self, run: PlannedRun) -> Iterator[Row]:
        yield {"run": run.run, "seed": run.seed, "protocol": run.parameters["protocol"]}

    def _latency(self, run: PlannedRun) -> Iterator[Row]:
        for scope, order, statistic in product(("local", "global", "all"), ORDERS, STATISTICS):
            for destination in (1, 2, 3) if order in ("overlay", "arrival") else (0,):
                us = float(next(self._numbers))
                yield {
                    **{"scope": scope, "order": order, "statistic": statistic},
                    **{"destination": destination, "us": us, "us_low": us, "us_high": us},
                    **{"samples": SAMPLES, "samples_min": SAMPLES, "pooled_us": us},
                }

    def _throughput(self, run: PlannedRun) -> Iterator[Row]:
        for scope in ("local", "global", "all"):
            yield {"scope": scope, "messages_s": float(next(self._numbers))}

    def _traffic(self, run: PlannedRun) -> Iterator[Row]:
        ends = product(("sent", "received"), ("group", "client", "inside"), groups_of(run))
        for direction, peer, group in ends:
            yield {
                **{"direction": direction, "peer": peer, "group": group, "kind": "all"},
                **{name: float(next(self._numbers)) for name in RATES},
            }

    def _overhead(self, run: PlannedRun) -> Iterator[Row]:
        for group in groups_of(run):
            yield {"group": group, "overhead": 1 / next(self._numbers)}

    def _overhead_summary(self, run: PlannedRun) -> Iterator[Row]:
        yield {name: 1 / next(self._numbers) for name in ("mean", "sd", "most")}

    def _kinds(self, run: PlannedRun) -> Iterator[Row]:
        row = {name: float(next(self._numbers)) for name in ("packets", "bytes", "history_bytes")}
        yield {"kind": "msg", **row}


RATES = ("packets_s", "bytes_s", "packet_bytes")


def groups_of(run: PlannedRun) -> tuple[str, ...]:
    return Run(run.simulation).scenario.groups


def setting_text(parameters: Mapping[str, Any]) -> str:
    """As measuring writes it: every value as text, without what is not set."""
    shown = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in sorted(parameters.items())
        if value is not None
    }
    return json.dumps(shown)
