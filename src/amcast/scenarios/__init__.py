"""Named networks and set-ups, and the one way to run a protocol on them."""

from amcast.scenarios.catalogue import SCENARIOS, Scenario, numbered_groups, scenario_named
from amcast.scenarios.run import Parameters, Run, simulate
from amcast.scenarios.small_worlds import (
    explorer,
    fuzz,
    fuzz_faults,
    fuzz_faults_protocol,
    fuzz_protocol,
)

__all__ = [
    "SCENARIOS",
    "Parameters",
    "Run",
    "Scenario",
    "explorer",
    "fuzz",
    "fuzz_faults",
    "fuzz_faults_protocol",
    "fuzz_protocol",
    "numbered_groups",
    "scenario_named",
    "simulate",
]
