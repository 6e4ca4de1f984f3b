"""Long traces of good runs, made up without a simulator: 12 groups of 3 replicas.

Every message goes to two groups. A group delivers in the order of `ts`, one order for all.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

GROUPS: Final = 12
REPLICAS: Final = 3
DESTINATIONS: Final = 2
CLIENTS: Final = 240
# Messages are multicast so far apart on average, and ordered so long after at most.
APART_US: Final = 100
ORDERING_US: Final = 200_000
SPREAD_US: Final = 20_000
ROWS_PER_GROUP: Final = 50_000
# Columns whose values hardly repeat.
UNIQUE: Final = ("msg", "seq", "at_us", "ts")


def write_long_trace(directory: Path, deliveries: int, runs: int = 1) -> int:
    """Write about so many deliveries, split evenly over runs; the exact number."""
    total = 0
    for number in range(runs):
        multicasts, delivered = _run(f"run-{number}", deliveries // runs, number)
        total += delivered.num_rows
        for name, rows in (("multicasts", multicasts), ("deliveries", delivered)):
            path = directory / name / f"run=run-{number}" / "part-0.parquet"
            path.parent.mkdir(parents=True)
            pq.write_table(
                rows,
                path,
                compression="zstd",
                row_group_size=ROWS_PER_GROUP,
                use_dictionary=[name for name in rows.column_names if name not in UNIQUE],
            )
    return total


def main() -> None:
    """A process that writes a trace: directory, deliveries, runs."""
    directory, deliveries, runs = sys.argv[1:]
    write_long_trace(Path(directory), int(deliveries), int(runs))


def _run(run: str, deliveries: int, seed: int) -> tuple[pa.Table, pa.Table]:
    import numpy as np

    random = np.random.default_rng(seed)
    count = max(1, deliveries // (DESTINATIONS * REPLICAS))
    first = random.integers(0, GROUPS, count)
    dst = np.stack([first, (first + random.integers(1, GROUPS, count)) % GROUPS], axis=1)
    sent = np.cumsum(random.integers(0, 2 * APART_US, count))
    ordered = sent + random.integers(1, ORDERING_US, count)
    # The places of messages in one order of all, by the time at which they are ordered.
    rank = np.argsort(np.argsort(ordered, kind="stable"), kind="stable")
    ids = pa.array([f"c{n % CLIENTS}:{n // CLIENTS}" for n in range(count)])
    names = pa.array([f"g{group + 1}" for group in range(GROUPS)])
    ends = np.arange(0, DESTINATIONS * count + 1, DESTINATIONS, dtype=np.int32)
    multicasts = pa.table(
        {
            "run": pa.repeat(run, count),
            "msg": ids,
            "sender": pa.array([f"c{n % CLIENTS}" for n in range(count)]),
            "dst": pa.ListArray.from_arrays(ends, names.take(pa.array(dst.ravel()))),
            "at_us": sent,
            "bytes": np.full(count, 64, np.int32),
        }
    )
    return multicasts, _deliveries(run, ids, dst, rank, ordered, random)


def _deliveries(
    run: str, ids: pa.Array, dst: Any, rank: Any, ordered: Any, random: Any
) -> pa.Table:
    """What every process delivers, in the order of time."""
    import numpy as np

    in_order = np.argsort(rank, kind="stable")
    columns: list[tuple[Any, ...]] = []
    for group in range(GROUPS):
        mine = in_order[(dst[in_order] == group).any(axis=1)]
        seqs = np.arange(len(mine))
        for replica in range(REPLICAS):
            times = ordered[mine] + random.integers(0, SPREAD_US, len(mine))
            process = np.full(len(mine), group * REPLICAS + replica)
            columns.append((process, seqs, mine, np.maximum.accumulate(times)))
    process, seqs, msgs, times = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    order = np.argsort(times, kind="stable")
    process, msgs = process[order], msgs[order]
    members = [(f"g{g + 1}/{r}", f"g{g + 1}") for g in range(GROUPS) for r in range(REPLICAS)]
    processes, groups = (pa.array(names) for names in zip(*members, strict=True))
    return pa.table(
        {
            "run": pa.repeat(run, len(order)),
            "process": processes.take(pa.array(process)),
            "group": groups.take(pa.array(process)),
            "seq": seqs[order],
            "msg": ids.take(pa.array(msgs)),
            "at_us": times[order],
            "ts": rank[msgs],
        }
    )
