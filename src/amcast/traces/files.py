"""The Parquet files of a trace: found, checked against the schema, and read run by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from os.path import lexists
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from amcast.core import InvalidInput
from amcast.traces.columns import BadFile, check_schema, conform, python_rows
from amcast.traces.schema import TABLES, Table

MAGIC = b"PAR1"


class Part(NamedTuple):
    """One row group of one file."""

    path: Path
    row_group: int


class TableFiles:
    """All files of one table. Making one checks the schema of each; rows are read on demand."""

    def __init__(self, table: Table, paths: list[Path]) -> None:
        self._table = table
        self._parts: dict[str, list[Part]] = {}
        self._repetitive: dict[Path, list[str]] = {}
        # The part read last: where runs share one, it most often has the next run as well.
        self._last: tuple[object, dict[str, pa.Table]] | None = None
        for path in paths:
            with _opened(path) as file:
                check_schema(table, path, file.schema_arrow)
                self._repetitive[path] = [
                    name
                    for name in table.repetitive
                    if name in file.schema_arrow.names
                    and pa.types.is_string(file.schema_arrow.field(name).type)
                ]
                self._index(path, file)

    @property
    def runs(self) -> list[str]:
        """The runs that have rows here, in the order of the files."""
        return list(self._parts)

    def rows(self, run: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """The named columns of `run`, row after row in the order of the files."""
        for part in self._parts.get(run, ()):
            yield from python_rows(self._runs_of(part, names)[run], names)

    def pieces(self, run: str, *names: str) -> Iterator[pa.Table]:
        """The same as tables; one lacks the columns that its file does not have."""
        for part in self._parts.get(run, ()):
            yield self._runs_of(part, names)[run].drop_columns(["run"])

    def _runs_of(self, part: Part, names: tuple[str, ...]) -> dict[str, pa.Table]:
        if self._last is None or self._last[0] != (part, names):
            self._last = None  # before the next one is read: one at a time in memory
            self._last = ((part, names), _by_run(self._read(part, ["run", *names])))
        return self._last[1]

    def _index(self, path: Path, file: pq.ParquetFile) -> None:
        """Note which runs each row group has."""
        for row_group in range(file.num_row_groups):
            part = Part(path, row_group)
            for run in pc.unique(self._columns(part, file, ["run"])[0]).to_pylist():
                self._parts.setdefault(run, []).append(part)

    def _read(self, part: Part, names: list[str]) -> pa.Table:
        with _opened(part.path, self._repetitive[part.path]) as file:
            present = [name for name in names if name in file.schema_arrow.names]
            return pa.table(self._columns(part, file, present), present)

    def _columns(self, part: Part, file: pq.ParquetFile, names: list[str]) -> list[pa.ChunkedArray]:
        rows = file.read_row_group(part.row_group, names)
        columns = {column.name: column for column in self._table.columns}
        return [conform(rows.column(name), columns[name], part.path) for name in names]


def table_files(directory: Path, name: str) -> TableFiles | None:
    """The files of a table, `<name>.parquet` or all those in a folder; None: there are none."""
    paths = table_paths(directory, name)
    return TableFiles(TABLES[name], paths) if paths else None


def table_paths(directory: Path, name: str) -> list[Path]:
    """Where the files of a table are, unopened."""
    # A link to nowhere is there too: it will be refused, not overlooked.
    places = [path for path in (directory / f"{name}.parquet", directory / name) if lexists(path)]
    if len(places) > 1:
        raise InvalidInput(
            f"{directory} holds {name} twice, as {name}.parquet and as {name}: remove one of them"
        )
    return [path for place in places for path in _parquet_files(place)]


def check_files(name: str, paths: list[Path]) -> None:
    """Refuse files that are no files of the table, without reading their rows."""
    for path in paths:
        with _opened(path) as file:
            check_schema(TABLES[name], path, file.schema_arrow)


def no_table(directory: Path, name: str) -> InvalidInput:
    """What to say where a trace lacks a table that it needs."""
    advice = f"put {name}.parquet there, or a folder {name} with Parquet files"
    if (directory / "trace").is_dir():
        advice = f"the trace of an experiment is in {directory / 'trace'}"
    return InvalidInput(f"{directory} has no {name} table: {advice}")


def check_directory(directory: Path) -> None:
    if not directory.exists():
        raise InvalidInput(f"{directory} does not exist: name the directory of a trace")
    if not directory.is_dir():
        raise InvalidInput(f"{directory} is not a directory: name the directory of a trace")


def _parquet_files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    # What starts with a dot or an underscore is unfinished, or notes of the writer's own.
    return sorted(
        path
        for path in place.rglob("*.parquet")
        if not path.is_dir()
        and not any(step.startswith((".", "_")) for step in path.relative_to(place).parts)
    )


@contextmanager
def _opened(path: Path, repetitive: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """The file; Arrow's errors, now or while it is read, become a sentence about it."""
    try:
        # Only this one file: pyarrow would make columns of folder names such as run=x.
        with pq.ParquetFile(path, read_dictionary=list(repetitive)) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            problem = f"cannot be read ({error.strerror}): check the file"
        elif _starts_as_parquet(path):
            problem = "is cut short or damaged: write it again"
        else:
            problem = "is not a Parquet file: write it with a Parquet library, or move it away"
        raise BadFile(f"{path} {problem}") from error


def _starts_as_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _by_run(rows: pa.Table) -> dict[str, pa.Table]:
    """The rows of each run, in their order."""
    counts = pc.value_counts(rows.column("run")).to_pylist()
    if len(counts) > 1:
        rows = rows.take(pc.sort_indices(rows, [("run", "ascending")]))  # stable
        counts.sort(key=itemgetter("values"))
    start = 0
    found = {}
    for count in counts:
        found[count["values"]] = rows.slice(start, count["counts"])
        start += count["counts"]
    return found
