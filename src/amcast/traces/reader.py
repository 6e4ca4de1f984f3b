"""Reading a trace back, ours or another system's, one run at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from amcast.check import History
from amcast.core import InvalidInput
from amcast.traces.columns import BadFile
from amcast.traces.files import TableFiles, check_directory, no_table, table_files
from amcast.traces.loader import LOADED, load
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


class Trace:
    """A trace whose files are open and fit the schema; rows are read when a run's turn comes."""

    def __init__(self, directory: Path) -> None:
        self.directory = Path(directory)
        check_directory(self.directory)
        self._tables = _open(self.directory)
        self.runs = _runs(self.directory, self._tables)

    @property
    def in_flight(self) -> list[str]:
        """Runs that have rows but are not listed: a writer lists a run when it is complete."""
        if "runs" not in self._tables:
            return []
        listed = {info.run for info in self.runs}
        found = dict.fromkeys(run for files in self._tables.values() for run in files.runs)
        return [run for run in found if run not in listed]

    def histories(self) -> Iterator[History]:
        """Each listed run as a history, ready to be checked."""
        for info in self.runs:
            yield self._history(info)

    def _history(self, info: RunInfo) -> History:
        history = History(info.run, "runs" not in self._tables or bool(info.drained))
        pieces = {
            name: self._tables[name].pieces(info.run, *columns)
            for name, columns in LOADED.items()
            if name in self._tables
        }
        # Where runs share a directory, one that only counted its packets has rows in traffic.
        if "traffic" in self._tables and info.run in self._tables["traffic"].runs:
            pieces.pop("packets", None)
        try:
            load(history, pieces)
        except BadFile:
            raise
        except InvalidInput as error:
            # A history does not know where its rows come from.
            raise InvalidInput(f"{self.directory}, run {info.run}: {error}") from error
        return history


def read_runs(directory: Path) -> list[RunInfo]:
    """The runs of a trace, in the order in which `read_histories` gives them."""
    directory = Path(directory)
    check_directory(directory)
    files = table_files(directory, "runs")
    return _runs(directory, {"runs": files} if files else _open(directory))


def read_histories(directory: Path) -> Iterator[History]:
    """Each run of a trace as a history. Every file is compared with the schema now."""
    return Trace(directory).histories()


def _open(directory: Path) -> Tables:
    tables = {name: files for name in TABLES if (files := table_files(directory, name))}
    for name in REQUIRED_TABLES:
        if name not in tables:
            raise no_table(directory, name)
    return tables


def _runs(directory: Path, tables: Tables) -> list[RunInfo]:
    if "runs" in tables:
        return [_run_info(directory, tables["runs"], run) for run in tables["runs"].runs]
    found = dict.fromkeys(run for name in REQUIRED_TABLES for run in tables[name].runs)
    return [RunInfo(run) for run in found]


def _run_info(directory: Path, files: TableFiles, run: str) -> RunInfo:
    rows = list(files.rows(run, "protocol", "driver", "parameters", "seed", "drained"))
    if len(rows) > 1:
        raise InvalidInput(
            f"{directory} lists run {run} {len(rows)} times in runs: give every run its own name"
        )
    protocol, driver, text, seed, drained = rows[0]
    return RunInfo(run, protocol, driver, parse_parameters(directory, run, text), seed, drained)


def parse_parameters(where: object, run: str, text: str) -> dict[str, object]:
    """The parameters of a run, which are a JSON object."""
    try:
        parameters = json.loads(text)
    except ValueError:
        parameters = None
    if not isinstance(parameters, dict):
        raise InvalidInput(
            f"{where} has parameters of run {run} in runs that are no JSON object: "
            "write {} if there are none"
        )
    return parameters
