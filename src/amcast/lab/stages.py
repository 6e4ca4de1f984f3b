"""The stages after the sweep: what each reads, and what it leaves in the directory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from amcast.lab.directory import METRICS, TRACE, VERDICTS, committed_runs, described
from amcast.lab.progress import Progress
from amcast.lab.tables import read_all, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STAMPS: Final = ".stages"


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
    from amcast.lab.report import write as write_page

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
            stamp = self._directory / STAMPS / name
            stamp.parent.mkdir(exist_ok=True)
            stamp.write_text(self._digest())
            progress(name, 1, 1)

    def _is_fresh(self, name: str) -> bool:
        stamp = self._directory / STAMPS / name
        return stamp.exists() and stamp.read_text() == self._digest()

    def _digest(self) -> str:
        finished = sorted(committed_runs(self._directory))
        return hashlib.sha256(json.dumps([version("amcast"), finished]).encode()).hexdigest()
