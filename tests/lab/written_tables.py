"""An experiment's directory with made-up metrics: what a page is tested with, without Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from amcast.lab.published import values

DESCRIPTION = """\
name = "{name}"
title = "A <title> & more"
source = "somebody"
size = "tiny"
packets = "off"
seeds = [1, 2]

[[sweep]]
protocol = "tree"

[[missing]]
what = "three replicas"
reason = "there is one"
"""


def setting(**values: Any) -> str:
    return json.dumps({name: str(value) for name, value in sorted(values.items())})


def write_table(directory: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    folder = directory / name
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), folder / "part-0.parquet")


def latency_row(where: Mapping[str, Any], ms: float, **more: Any) -> dict[str, Any]:
    return {
        "setting": setting(scenario="aws12", **where),
        "scope": "global",
        "order": "overlay",
        "destination": 1,
        "statistic": "p90",
        "seeds": 2,
        "us": ms * 1000,
        "us_low": ms * 990,
        "us_high": ms * 1010,
        "samples_min": 5000,
        "samples": 10000,
        "pooled_us": ms * 1000,
        **more,
    }


def write_latencies(
    directory: Path, factor: float = 1.0, samples: int = 10_000, name: str = "flexcast-overlays"
) -> None:
    """Metrics that differ from the published ones by a factor."""
    (directory).mkdir(parents=True, exist_ok=True)
    (directory / "experiment.toml").write_text(DESCRIPTION.format(name=name))
    published = [
        value for value in values() if value.experiment == name and value.measure == "latency_ms"
    ]
    rows = [
        latency_row(
            value.where,
            value.value * factor,
            destination=value.details[0],
            statistic=value.details[1],
            samples=samples,
            samples_min=samples // 2,
            order=order,
        )
        for value in published
        for order in ("overlay", "arrival")
    ]
    write_table(directory / "metrics", "latency", rows)
    settings = sorted({row["setting"] for row in rows})
    runs = [
        {"run": f"r{number}-{seed}", "setting": text, "seed": seed, "protocol": "tree"}
        for number, text in enumerate(settings)
        for seed in (1, 2)
    ]
    write_table(directory / "metrics", "runs", runs)
    verdicts = [
        {
            "run": run["run"],
            "property": property,
            "verdict": "holds",
            "required": property != "genuineness",
            "witness": None,
        }
        for run in runs
        for property in ("acyclic_order", "genuineness")
    ]
    verdicts[0]["witness"] = ""
    write_table(directory, "verdicts", verdicts)
