"""An interrupt ends what Spark is doing, and leaves the session as good as before."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from amcast.lab.interrupts import interruptible, was_cancelled

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture
def interrupts() -> Iterator[None]:
    """As in a terminal: whoever started the tests may have switched interrupts off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def sleeping(spark: SparkSession) -> DataFrame:
    """Two tasks that take far too long."""

    def sleep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(300)
            yield batch

    return spark.range(0, 2, 1, 2).mapInArrow(sleep, "id bigint")


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def sleep_and_be_interrupted(spark: SparkSession) -> None:
    threading.Timer(1.0, interrupt).start()
    sleeping(spark).collect()


def interrupt_twice(reached: list[str]) -> None:
    interrupt()
    reached.append("the first waits")
    interrupt()
    reached.append("the second does not")


@pytest.mark.spark
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_cancels_the_jobs_and_is_raised_then(spark: SparkSession) -> None:
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as caught, interruptible(spark):
        sleep_and_be_interrupted(spark)
    assert isinstance(caught.value.__cause__, Exception)
    assert was_cancelled(caught.value.__cause__)
    assert signal.getsignal(signal.SIGINT) == handler
    # Whoever asks next gets an answer, and is not cancelled.
    assert spark.range(3).count() == 3
    assert not was_cancelled(ValueError("an executor died"))


@pytest.mark.spark
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_between_jobs_is_not_lost(spark: SparkSession) -> None:
    with pytest.raises(KeyboardInterrupt), interruptible(spark):
        interrupt()


@pytest.mark.spark
@pytest.mark.usefixtures("interrupts")
def test_a_second_interrupt_is_raised_at_once(spark: SparkSession) -> None:
    reached: list[str] = []
    with pytest.raises(KeyboardInterrupt), interruptible(spark):
        interrupt_twice(reached)
    assert reached == ["the first waits"]


@pytest.mark.spark
def test_a_command_in_the_background_ignores_interrupts(spark: SparkSession) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(spark):
            interrupt()
            assert spark.range(3).count() == 3
    finally:
        signal.signal(signal.SIGINT, before)
