"""How fast one process checks a trace, and how fast DuckDB does about the same.

Times are processor time, of all threads, the best of several rounds that take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from amcast.bench.long_trace import write_long_trace
from amcast.bench.measure import Measure
from amcast.check import check
from amcast.core import InvalidInput
from amcast.traces import Trace

RATE_BAR: Final = 1_000_000
FULL_DELIVERIES, QUICK_DELIVERIES = 1_000_000, 2_000
ROUNDS: Final = 5

Progress = Callable[[float], None]

# What SQL finds about integrity, validity and agreement; replicas; and order, if `ts` is given.
# Each counts what is wrong.
QUERIES: Final = (
    """
    with delivered as (
      select msg, count(*) as places, count(distinct process) as processes,
             list_sort(list_distinct(list("group"))) as groups
      from deliveries group by msg
    )
    select count(*) from multicasts full join delivered using (msg)
    where delivered.msg is null or multicasts.msg is null or places <> processes
       or groups <> list_sort(dst)
    """,
    """
    select count(*) from (
      select "group", seq from deliveries group by "group", seq
      having min(msg) <> max(msg)
    )
    """,
    """
    select count(*) from (
      select ts, lag(ts) over (partition by process order by seq) as before from deliveries
    ) where before >= ts
    """,
)


def bench_check(quick: bool, progress: Progress) -> list[Measure]:
    """Measure, at most half a minute unless quick."""
    rounds = 1 if quick else ROUNDS
    with TemporaryDirectory(prefix="amcast-bench-") as name:
        directory = Path(name)
        deliveries = write_long_trace(directory, QUICK_DELIVERIES if quick else FULL_DELIVERIES)
        ours, theirs = [], []
        for number in range(rounds):
            ours.append(_timed(lambda: _check(directory, deliveries)))
            theirs.append(_timed(lambda: _query(directory)))
            progress((number + 1) / rounds)
    return [
        Measure("deliveries checked a second", deliveries / min(ours), "/s", RATE_BAR),
        Measure("ratio to DuckDB, comparable checks", min(theirs) / min(ours), "x"),
    ]


def _timed(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _check(directory: Path, deliveries: int) -> None:
    """Read the trace and prove every property."""
    (history,) = Trace(directory).histories()
    verdict = check(history)
    assert (verdict.ok, verdict.deliveries) == (True, deliveries), "not the trace that was made"


def _query(directory: Path) -> None:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise InvalidInput("the benchmark needs DuckDB: pip install duckdb") from error
    with duckdb.connect() as database:
        for table in ("multicasts", "deliveries"):
            files = f"{directory}/{table}/*/*.parquet"
            database.execute(f"create view {table} as select * from read_parquet('{files}')")
        for query in QUERIES:
            assert database.execute(query).fetchone() == (0,), "not the trace that was made"
