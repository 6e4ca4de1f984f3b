"""How far the work is, as Spark's status tracker tells it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD_S = 0.5

# Stage, what is done of it, and what there is to do.
Progress = Callable[[str, int, int], None]


def silent(stage: str, done: int, total: int) -> None:
    """Tells nobody."""


@contextmanager
def watched(spark: SparkSession, stage: str, total: int, progress: Progress) -> Iterator[None]:
    """Report the tasks that end in the jobs started meanwhile, `total` of them.

    Leaving by an exception, an interrupt for one, cancels what still runs.
    """
    from py4j.protocol import Py4JError

    context = spark.sparkContext
    group = f"amcast {stage} {uuid4().hex}"
    context.setJobGroup(group, stage, interruptOnCancel=True)
    over = threading.Event()

    def report() -> None:
        # If Spark has ended, the stage itself says so.
        with suppress(Py4JError):
            while not over.wait(PERIOD_S):
                progress(stage, min(total, tasks_done(spark, group)), total)

    progress(stage, 0, total)
    reporter = threading.Thread(target=report, name=f"progress of {stage}", daemon=True)
    reporter.start()
    try:
        yield
        over.set()
        reporter.join()
        progress(stage, total, total)
    except BaseException:
        context.cancelJobGroup(group)
        raise
    finally:
        over.set()
        reporter.join()
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


def tasks_done(spark: SparkSession, group: str) -> int:
    """How many tasks of a group's jobs have ended."""
    tracker = spark.sparkContext.statusTracker()
    done = 0
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info else ():
            found = tracker.getStageInfo(stage)
            done += found.numCompletedTasks if found else 0
    return done
