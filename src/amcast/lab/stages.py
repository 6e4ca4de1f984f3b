"""The stages after the sweep: what each reads, and what it leaves in the directory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from amcast.lab.attempts import Attempt, made_by
from amcast.lab.directory import METRICS, TRACE, VERDICTS, committed_runs, described
from amcast.lab.plan import PlannedRun
from amcast.lab.progress import Progress, silent
from amcast.lab.provenance import run_version, software_of_tables, table_version
from amcast.lab.simulate import simulate as sweep
from amcast.lab.tables import read_all, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STAMPS: Final = ".stages"


def simulate(
    spark: SparkSession,
    runs: Sequence[PlannedRun],
    directory: Path,
    *,
    progress: Progress = silent,
) -> list[Attempt]:
    """Every run in a task of its own, by the code that is here; how each ended."""
    return sweep(spark, runs, Path(directory), version=run_version(), progress=progress)


def verify(spark: SparkSession, directory: Path) -> None:
    """A verdict on every property of every run."""
    from amcast.lab.verify import verify as verdicts

    tables = read_all(spark, directory / TRACE, checked=True)
    write(verdicts(spark, tables), directory, VERDICTS)


def measure(spark: SparkSession, directory: Path) -> None:
    """Latency, throughput, traffic and what else the runs were made for: a table each."""
    from amcast.lab.measure import measure as metrics

    tables = read_all(spark, directory / TRACE, checked=True)
    for name, frame in metrics(tables).items():
        write(frame, directory / METRICS, name)


def report(directory: Path) -> Path:
    """Models fitted to the metrics, and the page. It takes seconds and no Spark."""
    from amcast.lab.model import write_fits
    from amcast.lab.report_write import write as write_page

    write_fits(directory, described(directory).name)
    return write_page(directory)


SPARK_STAGES: Final[Mapping[str, Callable[[SparkSession, Path], None]]] = {
    "verify": verify,
    "measure": measure,
}


class Stages:
    """Each stage is done again only if there are other runs, or other code, than before."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def pending(self) -> list[str]:
        """The stages that have work for Spark. Where nothing was simulated, none has."""
        if not (self._directory / TRACE / "runs").is_dir():
            return []
        return [name for name in SPARK_STAGES if not self._is_fresh(name)]

    def work(self, spark: SparkSession, progress: Progress) -> None:
        """Everything that needs Spark."""
        for name in self.pending():
            progress(name, 0, 1)
            SPARK_STAGES[name](spark, self._directory)
            made = {"of": self._digest(), "software": software_of_tables(spark)}
            stamp = self._directory / STAMPS / name
            stamp.parent.mkdir(exist_ok=True)
            stamp.write_text(json.dumps(made))
            progress(name, 1, 1)

    def _is_fresh(self, name: str) -> bool:
        return _stamp(self._directory, name).get("of") == self._digest()

    def _digest(self) -> str:
        """Of the runs that are finished, of the code that made them, and of that of the stages."""
        made = made_by(self._directory)
        finished = [(run, made.get(run)) for run in sorted(committed_runs(self._directory))]
        return hashlib.sha256(json.dumps([table_version(), finished]).encode()).hexdigest()


def software_of_stages(directory: Path) -> list[dict[str, str]]:
    """What each stage on Spark was done with."""
    return [_stamp(directory, name).get("software", {}) for name in SPARK_STAGES]


def _stamp(directory: Path, name: str) -> dict[str, Any]:
    """What a stage left behind when it was done; empty if that cannot be read."""
    try:
        found = json.loads((directory / STAMPS / name).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
