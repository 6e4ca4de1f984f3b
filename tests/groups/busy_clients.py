"""Many clients that keep groups busy, in virtual time."""

from __future__ import annotations

from collections.abc import Sequence

from amcast.scenarios import Parameters, Run
from amcast.sim import Outcome

SLOWDOWN_MAX = 2


def run(replicas: int) -> Outcome:
    return Run(Parameters(protocol="ang", replicas=replicas, clients=60, messages=600)).simulate()


def waits_for_ever_longer() -> Sequence[str]:
    """Whether replies come much later because groups are replicated, on average."""
    slowdown = run(3).latencies.all.mean / run(1).latencies.all.mean
    return (
        [] if slowdown < SLOWDOWN_MAX else [f"latency: replies take {slowdown:.0f} times as long"]
    )
