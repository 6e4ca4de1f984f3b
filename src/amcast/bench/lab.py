"""How `verify` on Spark grows with the trace, in time and in memory.

The time is processor time of the JVM and its Python workers, since other programs share the
machine. The memory is the most that the JVM, its workers and this process held together.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from amcast.bench.measure import Measure
from amcast.core import InvalidInput

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MEMORY_BAR_MB: Final = 4096
# Ten times the deliveries may take at most so many times as long.
GROWTH, GROWTH_BAR = 10, 12.0
SAMPLES_PER_SECOND: Final = 5

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Load:
    """So many deliveries, split over so many runs."""

    deliveries: int
    runs: int = 1

    @property
    def name(self) -> str:
        runs = "one run" if self.runs == 1 else f"{self.runs} runs"
        return f"{self.deliveries:,} deliveries in {runs}"


QUICK: Final = (Load(1_000), Load(10_000))
USUAL: Final = (Load(100_000), Load(1_000_000))
FULL: Final = (*USUAL, Load(10_000_000), Load(10_000_000, 100))


def bench_lab(loads: Sequence[Load], progress: Progress) -> list[Measure]:
    """Verify each trace; the first one also once before, to warm up."""
    from amcast.lab import start

    if not Path("/proc/self/stat").exists():
        raise InvalidInput("the benchmark reads /proc: run it on Linux")
    spark = start("local[2]")
    try:
        with TemporaryDirectory(prefix="amcast-bench-") as name:
            _verify(spark, _written(Path(name) / "warm", loads[0]), loads[0])
            spent: dict[Load, Spent] = {}
            for number, load in enumerate(loads):
                directory = _written(Path(name) / str(number), load)
                with _watched() as spent[load]:
                    _verify(spark, directory, load)
                progress((number + 1) / len(loads))
    finally:
        spark.stop()
    return _measures(spent)


class Spent:
    """What the process and all that descend from it used during a while."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.peak_mb = 0.0


def _measures(spent: dict[Load, Spent]) -> list[Measure]:
    measures = [
        Measure(f"processor time, {load.name}", used.seconds, "s") for load, used in spent.items()
    ]
    single = [load for load in spent if load.runs == 1]
    for load, longer in pairwise(single):
        ratio = spent[longer].seconds / spent[load].seconds
        name = f"{GROWTH} times longer, to {longer.deliveries:,}"
        measures.append(Measure(name, ratio, "x", GROWTH_BAR, "less"))
    peak = max(used.peak_mb for used in spent.values())
    return [*measures, Measure("peak memory, all together", peak, "MB", MEMORY_BAR_MB, "less")]


def _written(directory: Path, load: Load) -> Path:
    """By another process: what this one holds is measured."""
    program = "from amcast.bench.long_trace import main; main()"
    arguments = (str(directory), str(load.deliveries), str(load.runs))
    subprocess.run([sys.executable, "-c", program, *arguments], check=True)
    return directory


def _verify(spark: SparkSession, directory: Path, load: Load) -> None:
    from amcast.lab.tables import read_all
    from amcast.lab.verify import verdicts

    judged, _ = verdicts(spark, read_all(spark, directory))
    assert [verdict.ok for verdict in judged] == [True] * load.runs, "not the trace that was made"


@contextmanager
def _watched() -> Iterator[Spent]:
    """Look at the family of this process several times a second."""
    spent = Spent()
    done = threading.Event()
    used: dict[int, float] = {}
    before = {pid: _seconds(pid) for pid in _family()}

    def watch() -> None:
        while not done.wait(1 / SAMPLES_PER_SECOND):
            family = _family()
            # A worker that has ended still counts with what it was seen to use.
            used.update({pid: _seconds(pid) for pid in family})
            spent.peak_mb = max(spent.peak_mb, sum(map(_resident_mb, family)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield spent
    finally:
        time.sleep(2 / SAMPLES_PER_SECOND)
        done.set()
        watcher.join()
        spent.seconds = sum(total - before.get(pid, 0.0) for pid, total in used.items())


def _family() -> list[int]:
    """This process and all that descend from it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            fields = _stat(int(entry.name))
            if fields:
                parents[int(entry.name)] = int(fields[1])
    family = [os.getpid()]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid]
    return family


def _stat(pid: int) -> list[str]:
    """The fields behind the name, which may hold anything; empty if the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _seconds(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _resident_mb(pid: int) -> float:
    fields = _stat(pid)
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20 if fields else 0.0
