"""Named networks and set-ups, and the one way to run a protocol on them."""

from amcast.scenarios.catalogue import SCENARIOS, Scenario, numbered_groups, scenario_named
from amcast.scenarios.run import Parameters, Run

__all__ = ["SCENARIOS", "Parameters", "Run", "Scenario", "numbered_groups", "scenario_named"]
