"""Columns as they come out of a file, made into Python values of the schema's types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from amcast.core import InvalidInput
from amcast.traces.schema import TEXTS, Column, Table

# Python values take ten times the memory of Arrow's, so they are made a few at a time.
ROWS_AT_ONCE = 50_000


class BadFile(InvalidInput):
    """A mistake in a file, which the sentence names."""


def check_schema(table: Table, path: Path, found: pa.Schema) -> None:
    """Refuse a file that lacks a required column or holds one as another kind of value."""
    for column in table.columns:
        index = found.get_field_index(column.name)
        if index < 0:
            if column in table.required:
                raise BadFile(
                    f"{path} has no column {column.name}: every {table.name} file needs it, "
                    f"as {column.type}"
                )
        elif not column.accepts(found.field(index).type):
            raise BadFile(
                f"{path} holds the column {column.name} as {found.field(index).type}: "
                f"write it as {column.type}"
            )


def conform(values: pa.ChunkedArray, column: Column, path: Path) -> pa.ChunkedArray:
    """The values in the type of `column`: any width is accepted, what is no value is not."""
    try:
        cast = values if values.type.equals(column.type) else values.cast(column.type)
        cast.validate(full=True)
    except pa.ArrowException as error:
        raise BadFile(
            f"{path} holds a value in the column {column.name} that is no {column.type}: "
            f"write it again ({str(error).splitlines()[0]})"
        ) from error
    if cast.null_count and not column.nullable:
        raise BadFile(
            f"{path} holds a null in the column {column.name}: every row needs a value there"
        )
    if column.type.equals(TEXTS) and pc.list_flatten(cast).null_count:
        raise BadFile(
            f"{path} holds a null inside a list of the column {column.name}: leave it out"
        )
    return cast


def python_rows(rows: pa.Table, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Row after row of the columns named; one that the file does not have is all None."""
    for start in range(0, rows.num_rows, ROWS_AT_ONCE):
        piece = rows.slice(start, ROWS_AT_ONCE)
        yield from zip(*(_python_column(piece, name) for name in names), strict=True)


def _python_column(rows: pa.Table, name: str) -> list[Any]:
    if name not in rows.column_names:
        return [None] * rows.num_rows
    values = rows.column(name)
    return _tuples(values) if values.type.equals(TEXTS) else list(values.to_pylist())


def _tuples(values: pa.ChunkedArray) -> list[tuple[str, ...] | None]:
    # Several times faster than to_pylist, which makes an Arrow array of every list.
    flat = pc.list_flatten(values).to_pylist()
    tuples: list[tuple[str, ...] | None] = []
    start = 0
    for length in pc.list_value_length(values).to_pylist():
        if length is None:
            tuples.append(None)
        else:
            tuples.append(tuple(flat[start : start + length]))
            start += length
    return tuples
