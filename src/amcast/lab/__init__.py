"""Experiments as a data pipeline on Spark: sweep, verify, measure, model, report.

Importing this starts nothing and loads neither Spark nor pandas; the stages do, when they run.

    from amcast.lab import named, run_experiment
    run_experiment(named("flexcast-overlays").chosen("tiny"), Path("overlays"))
"""

from amcast.lab.experiment import Experiment, named, names, parse
from amcast.lab.plan import PlannedRun, plan
from amcast.lab.run import run_experiment, state
from amcast.lab.session import start
from amcast.lab.tables import read, write

__all__ = [
    "Experiment",
    "PlannedRun",
    "named",
    "names",
    "parse",
    "plan",
    "read",
    "run_experiment",
    "start",
    "state",
    "write",
]
