"""Traces of other systems, as JSON lines or CSV, made into trace tables.

A directory holds `multicasts` and `deliveries`, and whatever else is known, each as a file
`<table>.jsonl` or `<table>.csv`. A mapping says what their columns are called there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.json as json
import pyarrow.parquet as pq

from amcast.core import InvalidInput
from amcast.traces import TABLES, table_paths
from amcast.traces.schema import FLAG, TEXT, TEXTS, Column

SUFFIXES: Final = (".jsonl", ".ndjson", ".csv")

# What a list is separated by where it is written as text.
SEPARATORS: Final = r"[\s,;|]+"


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a column comes from: a column of theirs, times a factor for other units of time."""

    column: str
    times: int = 1


Sources = Mapping[str, Source | str]
Mappings = Mapping[str, Sources]


@contextmanager
def as_trace(directory: Path, columns: Path | None) -> Iterator[Path]:
    """The directory itself, or a copy with trace tables of what others wrote in it."""
    files = foreign_files(directory)
    if not files and columns:
        raise InvalidInput(
            f"{directory} has no files such as deliveries.jsonl or deliveries.csv: "
            "leave --columns out, or name another directory"
        )
    if not files:
        yield directory
        return
    mapping = read_mapping(columns) if columns else {}
    with TemporaryDirectory(prefix="amcast-") as copy:
        try:
            yield ingest(directory, mapping, Path(copy))
        except InvalidInput as error:
            raise InvalidInput(str(error).replace(copy, str(directory))) from error


def foreign_files(directory: Path) -> dict[str, Path]:
    """Table -> its file, for those that are there as JSON lines or CSV."""
    found: dict[str, Path] = {}
    for table in TABLES:
        places = [directory / f"{table}{suffix}" for suffix in SUFFIXES]
        there = [place for place in places if place.is_file()]
        if len(there) > 1:
            names = " and as ".join(place.name for place in there)
            raise InvalidInput(f"{directory} holds {table} as {names}: remove one of them")
        if there and table_paths(directory, table):
            raise InvalidInput(
                f"{directory} holds {table} as {there[0].name} and as Parquet: remove one of them"
            )
        if there:
            found[table] = there[0]
    return found


def read_mapping(path: Path) -> Mappings:
    """A TOML file with a section for each table: our column = their column."""
    try:
        mappings = msgspec.toml.decode(path.read_bytes(), type=dict[str, dict[str, Source | str]])
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror}): check the name") from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InvalidInput(
            f"{path} is no mapping ({error}): write a section for each table, and in it "
            'lines such as msg = "id" or at_us = {column = "ms", times = 1000}'
        ) from error
    for table, sources in mappings.items():
        if table not in TABLES:
            raise InvalidInput(f"{path} has a section {table}: use {', '.join(TABLES)}")
        known = [column.name for column in TABLES[table].columns]
        for column in sources:
            if column not in known:
                raise InvalidInput(
                    f"{path} maps {column}, but {table} has no such column: use {', '.join(known)}"
                )
    return mappings


def ingest(directory: Path, mappings: Mappings, target: Path) -> Path:
    """Write the tables as Parquet into `target`; those that are Parquet already are linked."""
    target.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        for place in (directory / f"{table}.parquet", directory / table):
            if place.exists():
                (target / place.name).symlink_to(place.absolute())
    for table, path in foreign_files(directory).items():
        rows = _read(table, path, mappings.get(table, {}))
        pq.write_table(rows, target / f"{table}.parquet", compression="zstd")
    return target


def _read(table: str, path: Path, sources: Sources) -> pa.Table:
    """One file in the columns of our schema."""
    theirs = _read_csv(path, _text_columns(table, sources)) if path.suffix == ".csv" else None
    theirs = _read_json(path) if theirs is None else theirs
    columns: dict[str, pa.ChunkedArray] = {}
    for column in TABLES[table].columns:
        source = _source(sources, column)
        if source.column in theirs.column_names:
            columns[column.name] = _converted(theirs[source.column], column, source, path)
        elif column.name in sources:
            raise InvalidInput(
                f"{path} has no column {source.column}, which the mapping names for {column.name}: "
                f"it has {', '.join(theirs.column_names)}"
            )
        elif column in TABLES[table].required:
            columns[column.name] = _made_up(table, column, columns, theirs, path)
    return pa.table(columns)


def _source(sources: Sources, column: Column) -> Source:
    source = sources.get(column.name, column.name)
    return Source(source) if isinstance(source, str) else source


def _text_columns(table: str, sources: Sources) -> Iterable[str]:
    """Their columns that are text, also where it looks like a number."""
    return [
        _source(sources, column).column
        for column in TABLES[table].columns
        if column.type in (TEXT, TEXTS)
    ]


def _read_csv(path: Path, texts: Iterable[str]) -> pa.Table:
    options = csv.ConvertOptions(column_types=dict.fromkeys(texts, TEXT))
    return _opened(path, lambda: csv.read_csv(path, convert_options=options))


def _read_json(path: Path) -> pa.Table:
    return _opened(path, lambda: json.read_json(path))


def _opened(path: Path, read: Callable[[], pa.Table]) -> pa.Table:
    try:
        return read()
    except pa.ArrowException as error:
        said = str(error).splitlines()[0]
        kind = "CSV with a line of names" if path.suffix == ".csv" else "one JSON object a line"
        raise InvalidInput(f"{path} cannot be read ({said}): it should be {kind}") from error


def _converted(
    values: pa.ChunkedArray, column: Column, source: Source, path: Path
) -> pa.ChunkedArray:
    try:
        if column.type.equals(TEXTS):
            return _lists(values)
        if column.type.equals(TEXT) or column.type.equals(FLAG):
            return values.cast(column.type)
        if pa.types.is_floating(values.type):
            values = pc.round(pc.multiply(values, source.times))
        elif source.times != 1:
            values = pc.multiply_checked(values, source.times)
        return values.cast(column.type)
    except pa.ArrowException as error:
        raise InvalidInput(
            f"{path} holds {values.type} in the column {source.column}, which cannot be taken as "
            f"{column.name}: write {column.type} ({str(error).splitlines()[0]})"
        ) from error


def _lists(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_string(values.type):
        texts = pc.utf8_trim(values, " ,;|[]{}\t")
        parts = pc.split_pattern_regex(texts, SEPARATORS)
        nothing = pc.equal(texts, "")
        empty = pa.scalar([], TEXTS)
        return pc.if_else(nothing, empty, parts).cast(TEXTS)
    return values.cast(TEXTS)


def _made_up(
    table: str, column: Column, columns: Mapping[str, Any], theirs: pa.Table, path: Path
) -> pa.Array:
    """What a file may leave out, because it is clear, or does not matter for a verdict."""
    count = theirs.num_rows
    if column.name == "run":
        return pa.repeat(pa.scalar("run", TEXT), count)
    if column.name in ("sender", "driver", "protocol") and table != "deliveries":
        return pa.repeat(pa.scalar("unknown", TEXT), count)
    if column.name == "parameters":
        return pa.repeat(pa.scalar("{}", TEXT), count)
    if column.name == "bytes":
        return pa.repeat(pa.scalar(0, column.type), count)
    if column.nullable:
        return pa.nulls(count, column.type)
    if column.name == "group" and "process" in columns:
        names = columns["process"].to_pylist()
        return pa.array([name and (name.rpartition("/")[0] or name) for name in names], TEXT)
    if column.name == "seq" and "process" in columns:
        return _positions(columns["run"].to_pylist(), columns["process"].to_pylist())
    names = ", ".join(theirs.column_names)
    raise InvalidInput(f"{path} has no column {column.name}: add it, or map one of {names}")


def _positions(runs: list[str], processes: list[str]) -> pa.Array:
    """Where it is not written down, a process delivers in the order of its rows."""
    following: dict[tuple[str, str], int] = {}
    positions = []
    for place in zip(runs, processes, strict=True):
        positions.append(following.get(place, 0))
        following[place] = positions[-1] + 1
    return pa.array(positions, pa.int64())
