"""Experiments as a data pipeline on Spark: sweep, verify, measure, model, report.

Importing this starts nothing and loads neither Spark nor pandas; the stages do, when they run.

    from amcast.lab import named, run_experiment
    run_experiment(named("flexcast-overlays").chosen("tiny"), Path("overlays"))

`simulate`, `verify`, `measure`, `fit` and `report` are the stages one by one, for notebooks.
Some are called like the module that they are in: here, the names mean the functions.
"""

from amcast.lab.experiment import Experiment, named, names, parse
from amcast.lab.ingest import ingest_trace
from amcast.lab.measure import measure
from amcast.lab.model import fit
from amcast.lab.plan import PlannedRun, plan
from amcast.lab.run import run_experiment, state
from amcast.lab.session import start
from amcast.lab.stages import report, simulate
from amcast.lab.tables import read, read_all, write
from amcast.lab.verify import verify

__all__ = [
    "Experiment",
    "PlannedRun",
    "fit",
    "ingest_trace",
    "measure",
    "named",
    "names",
    "parse",
    "plan",
    "read",
    "read_all",
    "report",
    "run_experiment",
    "simulate",
    "start",
    "state",
    "verify",
    "write",
]
