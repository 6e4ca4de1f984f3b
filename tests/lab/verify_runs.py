"""Runs to verify: written as trace tables, good ones and ones with planted faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from amcast.check import History
from amcast.traces import TABLES
from tests.check.small_histories import GROUPS, histories

Rows = dict[str, list[dict[str, Any]]]

PROTOCOLS = ("skeen", "tree", "generic", "somebody-elses")
MESSAGES = ("c1:0", "c1:1", "c1:2", "c9:9")


@st.composite
def odd_runs(draw: st.DrawFn) -> Rows:
    """A small history, with rollbacks and packets on top."""
    rows = as_rows(draw(histories(replicas=3)), draw(st.sampled_from(PROTOCOLS)))
    for process in draw(st.lists(st.sampled_from(["g1/0", "g2/0", "g2/1"]), max_size=2)):
        seq, at_us = draw(st.integers(0, 3)), draw(st.integers(0, 8))
        fault = {"process": process, "kind": "rollback", "at_us": at_us, "seq": seq}
        rows["faults"].append(fault)
    ends = st.none() | st.sampled_from(GROUPS)
    for _ in range(draw(st.integers(0, 3))):
        about = draw(st.lists(st.sampled_from(MESSAGES), max_size=2))
        rows["packets"].append(packet(draw(ends), draw(ends), about))
    if draw(st.booleans()):
        for row in rows["multicasts"]:
            row["home"] = draw(ends)
    return rows


@st.composite
def stamped_runs(draw: st.DrawFn) -> Rows:
    """A good run with a certificate; then up to two cells may change, or a group stop early."""
    rows = good_run(draw(st.integers(3, 9)), replicas=2)
    stopped = draw(st.sampled_from((None, None, None, *GROUPS)))
    last = max(row["seq"] for row in rows["deliveries"] if row["group"] == (stopped or "g1"))
    rows["deliveries"] = [
        row for row in rows["deliveries"] if (row["group"], row["seq"]) != (stopped, last)
    ]
    cells = {
        "ts": st.none() | st.integers(0, 9),
        "seq": st.integers(0, 4),
        "at_us": st.integers(0, 99),
    }
    cells["msg"] = st.sampled_from(MESSAGES)
    for _ in range(draw(st.integers(0, 2))):
        row = draw(st.sampled_from(rows["deliveries"]))
        column = draw(st.sampled_from(sorted(cells)))
        row[column] = draw(cells[column])
    if draw(st.integers(0, 5)) == 0:
        ends = st.none() | st.sampled_from((*GROUPS, "g4"))
        rows["packets"].append(packet(draw(ends), draw(ends), [draw(st.sampled_from(MESSAGES))]))
    return rows


def packet(source: str | None, target: str | None, msgs: list[str]) -> dict[str, Any]:
    ends = {"source": "x", "target": "y", "source_group": source, "target_group": target}
    return ends | {"kind": "start", "msgs": msgs, "sent_us": 1, "received_us": 2, "bytes": 1}


def as_rows(history: History, protocol: str = "somebody-elses") -> Rows:
    """The tables of one run, without its name."""
    multicasts = [
        {
            "msg": str(history.ids[number]),
            "sender": history.senders[number],
            "dst": list(dst),
            "at_us": history.multicast_us[number],
            "bytes": 1,
            "home": history.homes[number],
            "keys": history.keys[number],
        }
        for number, dst in enumerate(history.dst)
        if dst
    ]
    deliveries = [
        {
            "process": log.process,
            "group": log.group,
            "seq": seq,
            "msg": str(history.ids[number]),
            "at_us": at_us,
        }
        for log in history.logs.values()
        for seq, number, at_us in zip(log.seqs, log.msgs, log.times, strict=True)
    ]
    about = {"protocol": protocol, "driver": "test", "parameters": "{}", "seed": 1}
    return {
        "runs": [about | {"drained": history.complete}],
        "processes": [{"process": p, "group": log.group} for p, log in history.logs.items()],
        "multicasts": multicasts,
        "deliveries": deliveries,
        "faults": [
            {"process": fault.process, "kind": fault.kind, "at_us": fault.at_us, "seq": fault.seq}
            for fault in history.faults
        ],
        "packets": [],
    }


def write(directory: Path, runs: Mapping[str, Rows], *, folders: bool = False) -> Path:
    """A trace with these runs: a file for each table, or a folder with one for each run."""
    for table in dict.fromkeys(name for rows in runs.values() for name in rows):
        named = {
            run: [{"run": run} | row for row in rows.get(table, [])] for run, rows in runs.items()
        }
        if folders:
            for run, rows in named.items():
                _write(directory / table / f"run={run}" / "part-0.parquet", table, rows)
        else:
            everything = [row for rows in named.values() for row in rows]
            _write(directory / f"{table}.parquet", table, everything)
    return directory


def _write(path: Path, table: str, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = TABLES[table].schema(*(column.name for column in TABLES[table].optional))
    pq.write_table(pa.Table.from_pylist(list(rows), schema), path)


def good_run(messages: int = 30, replicas: int = 3) -> Rows:
    """Every message goes to two of three groups and is delivered in one order, with `ts`."""
    history = History()
    for number in range(messages):
        dst = (GROUPS[number % 3], GROUPS[(number + 1) % 3])
        history.add_multicast(f"c1:{number}", "c1", dst, 10 * number)
    for group in GROUPS:
        mine = [number for number in range(messages) if group in history.dst[number]]
        for replica in range(replicas):
            for seq, number in enumerate(mine):
                at_us = 10 * number + 5 + replica
                history.add_delivery(f"{group}/{replica}", group, seq, f"c1:{number}", at_us)
    rows = as_rows(history)
    for row in rows["deliveries"]:
        row["ts"] = int(row["msg"].partition(":")[2])
    rows["packets"] = [packet(*row["dst"], [row["msg"]]) for row in rows["multicasts"]]
    return rows


def _at(rows: Rows, process: str, seq: int) -> dict[str, Any]:
    return next(r for r in rows["deliveries"] if (r["process"], r["seq"]) == (process, seq))


def _swap(rows: Rows, process: str, one: int, other: int) -> None:
    first, second = _at(rows, process, one), _at(rows, process, other)
    first["msg"], second["msg"] = second["msg"], first["msg"]


def cycle_over_three(rows: Rows) -> None:
    """c1:0 < c1:2 at g1, c1:1 < c1:0 at g2, c1:2 < c1:1 at g3: no two groups disagree."""
    for replica in range(3):
        _swap(rows, f"g2/{replica}", 0, 1)
        _swap(rows, f"g3/{replica}", 0, 1)


def swapped_pair(rows: Rows) -> None:
    for replica in range(3):
        _swap(rows, f"g1/{replica}", 0, 2)


def duplicate(rows: Rows) -> None:
    last = max(row["seq"] for row in rows["deliveries"] if row["process"] == "g1/0")
    rows["deliveries"].append({**_at(rows, "g1/0", 1), "seq": last + 1})


def hole(rows: Rows) -> None:
    rows["deliveries"] = [
        row for row in rows["deliveries"] if (row["group"], row["seq"]) != ("g2", 3)
    ]


def replicas_that_differ(rows: Rows) -> None:
    _swap(rows, "g3/1", 4, 5)


def packet_outside(rows: Rows) -> None:
    rows["packets"].append(packet("g1", "g3", ["c1:0"]))


def packet_to_a_stranger(rows: Rows) -> None:
    rows["packets"].append(packet("g1", "g4", ["c1:0"]))


def nobody_multicast(rows: Rows) -> None:
    _at(rows, "g1/0", 0)["msg"] = "c9:9"


def crash(rows: Rows) -> None:
    rows["faults"].append({"process": "g1/2", "kind": "crash", "at_us": 50})
    rows["deliveries"] = [
        row for row in rows["deliveries"] if row["process"] != "g1/2" or row["seq"] < 3
    ]


def rollback(rows: Rows) -> None:
    rows["faults"].append({"process": "g1/2", "kind": "rollback", "at_us": 10**6, "seq": 3})


def undrained(rows: Rows) -> None:
    rows["runs"][0]["drained"] = False
    rows["deliveries"].remove(_at(rows, "g1/0", max(r["seq"] for r in _of(rows, "g1/0"))))


def _of(rows: Rows, process: str) -> list[dict[str, Any]]:
    return [row for row in rows["deliveries"] if row["process"] == process]


# Fault -> the properties that it violates, or leaves unknown.
FAULTS: Mapping[Callable[[Rows], None], tuple[str, ...]] = {
    cycle_over_three: ("acyclic_order", "conflict_order", "global_order"),
    swapped_pair: ("acyclic_order", "conflict_order", "global_order"),
    duplicate: ("integrity",),
    hole: ("agreement", "validity"),
    replicas_that_differ: ("prefix_order", "acyclic_order", "conflict_order", "global_order"),
    packet_outside: ("genuineness",),
    packet_to_a_stranger: ("genuineness", "minimality"),
    nobody_multicast: ("integrity",),
    crash: (),
    rollback: ("validity", "agreement"),
    undrained: (),
}
