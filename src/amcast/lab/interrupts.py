"""What an interrupt does while Spark works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD_S = 0.2


@contextmanager
def interruptible(session: SparkSession) -> Iterator[None]:
    """An interrupt cancels the jobs of this thread; it is raised once they have ended.

    Raised at once, it could cut a call to the JVM in half, and whatever asks the JVM next, the
    end of the session among it, would wait for ever. A second interrupt is raised at once.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before == signal.SIG_IGN:
        yield  # Interrupts are the main thread's, and commands in the background have none.
        return
    context, tag = session.sparkContext, f"amcast-{uuid4().hex}"
    asked, over = threading.Event(), threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        asked.set()

    def cancel() -> None:
        """Again and again: the next job may start after the last was cancelled."""
        asked.wait()
        while not over.wait(PERIOD_S):
            context.cancelJobsWithTag(tag)

    canceller = threading.Thread(target=cancel, name="cancels Spark's jobs", daemon=True)
    context.addJobTag(tag)
    context.setInterruptOnCancel(True)
    canceller.start()
    signal.signal(signal.SIGINT, ask)
    try:
        yield
    except Exception as error:
        if asked.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
        interrupted = asked.is_set()
        over.set()
        asked.set()
        canceller.join()
        context.removeJobTag(tag)
    if interrupted:
        raise KeyboardInterrupt


def was_cancelled(error: Exception) -> bool:
    """Whether a job ended because somebody cancelled it: no executor failed."""
    return "SPARK_JOB_CANCELLED" in str(error)
