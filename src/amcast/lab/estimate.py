"""What an experiment will take, before it is run: short trials of it, scaled up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from amcast.lab.experiment import SIMULATION
from amcast.lab.plan import PlannedRun
from amcast.lab.simulate import attempt_run
from amcast.scenarios import Run

TRIAL_MESSAGES: Final = 100
# A run that ends by time is tried for so long; shorter trials see too little of its load.
TRIAL_S: Final = 2.0
# Then every protocol has at least one trial, and that is enough.
TRIALS_S: Final = 20.0
# Starting Spark, and the stages after the sweep.
FIXED_S: Final = 30.0


@dataclass(frozen=True)
class Estimate:
    """How much is to be done."""

    runs: int
    minutes: float
    megabytes: float


@dataclass(frozen=True)
class Cost:
    """What one message costs, or where a run ends by time, one second of it."""

    seconds: float
    size_bytes: float


def estimate(runs: Sequence[PlannedRun], cores: int) -> Estimate:
    """Tries runs with a few messages, in this process, and takes the rest to be like them."""
    costs = _costs(runs)
    known = {run: cost for run, (_, cost) in costs.items()}
    usual = {
        name: _mean(cost for other, cost in costs.values() if other == name)
        for name in {name for name, _ in costs.values()}
    }
    seconds, size = 0.0, 0.0
    for planned in runs:
        cost = known.get(_family(planned)) or usual[_protocol(planned)]
        length = _length(planned)
        seconds += cost.seconds * length
        size += cost.size_bytes * length
    minutes = (FIXED_S + seconds / max(1, min(cores, len(runs)))) / 60
    return Estimate(len(runs), minutes if runs else 0.0, size / 1e6)


def _costs(runs: Sequence[PlannedRun]) -> dict[str, tuple[str, Cost]]:
    """Runs that differ in nothing but the seed -> their protocol and cost."""
    found: dict[str, tuple[str, Cost]] = {}
    started = time.monotonic()
    tried: set[str] = set()
    # The names of runs are as good as random: whatever is tried is a fair choice.
    for planned in sorted(runs, key=lambda run: run.run):
        protocol, family = _protocol(planned), _family(planned)
        in_time = time.monotonic() < started + TRIALS_S
        if family not in found and (in_time or protocol not in tried):
            found[family] = (protocol, _try(planned))
            tried.add(protocol)
    return found


def _try(planned: PlannedRun) -> Cost:
    """Run a little of it somewhere else and look what came out."""
    if planned.kind == SIMULATION:
        planned = replace(planned, parameters={**planned.parameters, **_shortened(planned)})
    with TemporaryDirectory(prefix="amcast-") as place:
        started = time.process_time()
        attempt_run(planned, Path(place), "")
        seconds = time.process_time() - started
        size = sum(path.stat().st_size for path in Path(place).rglob("*") if path.is_file())
    return Cost(seconds / _length(planned), size / _length(planned))


def _shortened(planned: PlannedRun) -> dict[str, float]:
    simulation = planned.simulation
    if simulation.duration_s is not None:
        return {"duration_s": min(TRIAL_S, simulation.duration_s)}
    # Every client gets a turn, so that messages meet each other as they will.
    return {"messages": max(TRIAL_MESSAGES, simulation.clients)}


def _length(planned: PlannedRun) -> float:
    """In seconds or messages, whichever ends the run."""
    if planned.kind != SIMULATION:
        return 1.0
    return planned.simulation.duration_s or Run(planned.simulation).plan.messages or 1.0


def _protocol(planned: PlannedRun) -> str:
    return str(planned.parameters.get("protocol", planned.kind))


def _family(planned: PlannedRun) -> str:
    return f"{planned.kind} {sorted(planned.parameters.items(), key=str)}"


def _mean(costs: Iterable[Cost]) -> Cost:
    found = list(costs)
    return Cost(
        sum(cost.seconds for cost in found) / len(found),
        sum(cost.size_bytes for cost in found) / len(found),
    )
