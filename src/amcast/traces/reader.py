"""Reading a trace back, ours or another system's, one run at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from amcast.check import History
from amcast.core import InvalidInput
from amcast.traces.columns import BadFile
from amcast.traces.files import TableFiles, check_directory, table_files
from amcast.traces.schema import TABLES

REQUIRED_TABLES = ("multicasts", "deliveries")

Tables = Mapping[str, TableFiles]


@dataclass(frozen=True)
class RunInfo:
    """What a trace says about a run; without a `runs` table it says nothing but the name."""

    run: str
    protocol: str | None = None
    driver: str | None = None
    parameters: dict[str, object] = field(default_factory=dict)
    seed: int | None = None
    drained: bool | None = None


def read_runs(directory: Path) -> list[RunInfo]:
    """The runs of a trace, in the order in which `read_histories` gives them."""
    directory = Path(directory)
    check_directory(directory)
    files = table_files(directory, "runs")
    return _runs(directory, {"runs": files} if files else _open(directory))


def read_histories(directory: Path) -> Iterator[History]:
    """Each run of a trace as a history, ready to be checked.

    Every file is compared with the schema now; rows are read when a run's turn comes.
    """
    directory = Path(directory)
    check_directory(directory)
    tables = _open(directory)
    runs = _runs(directory, tables)
    return (_history(directory, tables, info) for info in runs)


def _open(directory: Path) -> Tables:
    tables = {name: files for name in TABLES if (files := table_files(directory, name))}
    for name in REQUIRED_TABLES:
        if name not in tables:
            raise InvalidInput(
                f"{directory} has no {name} table: put {name}.parquet there, "
                f"or a folder {name} with Parquet files"
            )
    return tables


def _runs(directory: Path, tables: Tables) -> list[RunInfo]:
    if "runs" not in tables:
        found = dict.fromkeys(run for name in REQUIRED_TABLES for run in tables[name].runs)
        return [RunInfo(run) for run in found]
    listed = dict.fromkeys(tables["runs"].runs)
    for name, files in tables.items():
        for run in files.runs:
            if run not in listed:
                raise InvalidInput(
                    f"{directory} has rows of run {run} in {name} but not in runs: "
                    "add the run there, or remove its rows"
                )
    return [_run_info(directory, tables["runs"], run) for run in listed]


def _run_info(directory: Path, files: TableFiles, run: str) -> RunInfo:
    rows = list(files.rows(run, "protocol", "driver", "parameters", "seed", "drained"))
    if len(rows) > 1:
        raise InvalidInput(
            f"{directory} lists run {run} {len(rows)} times in runs: give every run its own name"
        )
    protocol, driver, text, seed, drained = rows[0]
    try:
        parameters = json.loads(text)
    except ValueError:
        parameters = None
    if not isinstance(parameters, dict):
        raise InvalidInput(
            f"{directory} has parameters of run {run} in runs that are no JSON object: "
            "write {} if there are none"
        )
    return RunInfo(run, protocol, driver, parameters, seed, drained)


def _history(directory: Path, tables: Tables, info: RunInfo) -> History:
    complete = "runs" not in tables or bool(info.drained)
    history = History(info.run, complete)
    try:
        _fill(history, tables)
    except BadFile:
        raise
    except InvalidInput as error:
        # A history does not know where its rows come from.
        raise InvalidInput(f"{directory}, run {info.run}: {error}") from error
    return history


def _fill(history: History, tables: Tables) -> None:
    run = history.run
    if "processes" in tables:
        for row in tables["processes"].rows(run, "process", "group"):
            history.add_process(*row)
    known = {log.group for log in history.logs.values()}
    for row in tables["multicasts"].rows(run, "msg", "sender", "dst", "at_us", "home", "keys"):
        history.add_multicast(*row)
    for row in tables["deliveries"].rows(run, "process", "group", "seq", "msg", "at_us"):
        history.add_delivery(*row)
    if known:
        _refuse_unknown_groups(history, known)
    if "faults" in tables:
        for row in tables["faults"].rows(run, "process", "kind", "at_us", "seq"):
            history.add_fault(*row)
    # Where runs share a directory, one that only counted its packets has rows in traffic.
    if "packets" in tables and not ("traffic" in tables and run in tables["traffic"].runs):
        history.has_packets = True
        for row in tables["packets"].rows(run, "source_group", "target_group", "msgs"):
            history.add_packet(*row)


def _refuse_unknown_groups(history: History, known: set[str]) -> None:
    """Refuse groups that the run's `processes` do not have: most likely a misspelt name."""
    for log in history.logs.values():
        if log.group not in known:
            raise InvalidInput(
                f"process {log.process} delivers in group {log.group}, which has no row in "
                "processes: add its processes there"
            )
    for dst in dict.fromkeys(history.dst):
        for group in dst:
            if group not in known:
                msg = history.ids[history.dst.index(dst)]
                raise InvalidInput(
                    f"message {msg} is multicast to group {group}, which has no row in "
                    "processes: add its processes there"
                )
