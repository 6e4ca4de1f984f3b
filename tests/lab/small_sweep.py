"""A small sweep's trace, written without Spark: what the later stages are tested with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from amcast.scenarios import Parameters, Run
from amcast.traces import TraceWriter

SWEEP = tuple(
    Parameters(
        protocol=protocol,
        scenario="aws12",
        overlay=overlay,
        workload="gtpcc-evaluation",
        clients=24,
        duration_s=4,
        seed=seed,
    )
    for protocol, overlay in (("flexcast", "O1"), ("tree", "T1"), ("skeen", None))
    for seed in (1, 2)
)


def write_run(directory: Path, parameters: Parameters, packets: str = "all") -> str:
    """Simulate a run and put its tables where a sweep has them; the run's name."""
    run = Run(parameters)
    overlay = (parameters.overlay or "none").lower()
    name = f"{parameters.protocol}-{overlay}-{parameters.seed}"
    draft = directory / f".{name}"
    with TraceWriter(
        draft,
        run=name,
        protocol=parameters.protocol,
        driver="sim",
        parameters=msgspec.to_builtins(parameters),
        seed=parameters.seed,
        packets=packets,  # type: ignore[arg-type]
    ) as writer:
        outcome = run.simulate(writer)
        writer.finish(drained=outcome.drained)
    for path in draft.glob("*.parquet"):
        place = directory / path.stem / f"run={name}"
        place.mkdir(parents=True)
        path.rename(place / "part-0.parquet")
    draft.rmdir()
    return name


def write_sweep(
    directory: Path, sweep: Sequence[Parameters] = SWEEP, packets: str = "all"
) -> list[str]:
    return [write_run(directory, parameters, packets) for parameters in sweep]
