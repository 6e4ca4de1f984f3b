"""What an interrupt does while Spark works."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD_S = 0.2
# So long may a JVM take to do what it was told, before it is ended.
PATIENCE_S = 15.0


@contextmanager
def interruptible(session: SparkSession, *, owned: bool = False) -> Iterator[None]:
    """An interrupt cancels the jobs of this thread; it is raised once they have ended.

    Raised at once, it could cut a call to the JVM in half, and whatever asks the JVM next, the
    end of the session among it, would wait for ever. A second interrupt is raised at once.
    The JVM of an `owned` session is ended if it does not react.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before == signal.SIG_IGN:
        yield  # Interrupts are the main thread's, and commands in the background have none.
        return
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        asked.set()

    try:
        with _cancelled_when(asked, session, owned):
            signal.signal(signal.SIGINT, ask)
            yield
    except Exception as error:
        if asked.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if asked.is_set():
        raise KeyboardInterrupt


@contextmanager
def _cancelled_when(asked: threading.Event, session: SparkSession, owned: bool) -> Iterator[None]:
    """Once `asked`, the jobs of this thread are cancelled, and whatever jobs follow them."""
    context, tag = session.sparkContext, f"amcast-{uuid4().hex}"
    over = threading.Event()

    def cancel() -> None:
        while not (over.wait(PERIOD_S) or asked.is_set()):
            """Nobody has asked yet."""
        with impatient(session) if owned else nullcontext(), suppress(Exception):
            while not over.wait(PERIOD_S):
                context.cancelJobsWithTag(tag)

    canceller = threading.Thread(target=cancel, name="cancels Spark's jobs", daemon=True)
    context.addJobTag(tag)
    context.setInterruptOnCancel(True)
    canceller.start()
    try:
        yield
    finally:
        over.set()
        canceller.join()
        with suppress(Exception):
            context.removeJobTag(tag)  # Unless the JVM is gone.


@contextmanager
def impatient(session: SparkSession) -> Iterator[None]:
    """What is asked of the JVM meanwhile is done in time, or the JVM is ended.

    Then nobody waits for it any more: every call that is under way fails.
    """
    process = _jvm(session)
    if process is None:
        yield
        return
    timer = threading.Timer(PATIENCE_S, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def has_ended(session: SparkSession) -> bool:
    """Whether the JVM of the session is gone, for instance because there was no memory."""
    process = _jvm(session)
    if process is None:
        return False
    try:
        process.wait(timeout=1.0)  # Its connections end a moment before it does.
    except subprocess.TimeoutExpired:
        return False
    return True


def _jvm(session: SparkSession) -> subprocess.Popen[bytes] | None:
    """The process, unless somebody else started it."""
    return getattr(session.sparkContext._gateway, "proc", None)


def was_cancelled(error: Exception) -> bool:
    """Whether a job ended because somebody cancelled it: no executor failed."""
    return "SPARK_JOB_CANCELLED" in str(error)
