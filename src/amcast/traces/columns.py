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

# Joins texts that do not contain it, so that they can be told apart again.
_SEPARATOR = "\0"


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
        fits = values.type in (column.type, pa.dictionary(pa.int32(), column.type))
        cast = values if fits else values.cast(column.type)
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


def one_chunk(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if not isinstance(values, pa.ChunkedArray):
        return values
    return values.chunk(0) if values.num_chunks == 1 else pa.concat_arrays(_some(values))


def _some(values: pa.ChunkedArray) -> list[pa.Array]:
    # There may be no chunks at all, and then there is no type to concatenate.
    return values.unify_dictionaries().chunks or [pa.nulls(0, values.type)]


def encoded(values: pa.ChunkedArray) -> pa.DictionaryArray:
    """Codes and names; null is a name, too."""
    column = one_chunk(values)
    if pa.types.is_dictionary(column.type):
        if not column.null_count:
            return column
        column = column.dictionary_decode()
    return column.dictionary_encode(null_encoding="encode")


def shared_texts(values: pa.ChunkedArray) -> list[Any]:
    """Python strings, one object for all that are equal: most occur often. None for null."""
    column = encoded(values)
    names = column.dictionary.to_pylist()
    return [names[code] for code in column.indices.to_pylist()]


def shared_tuples(values: pa.ChunkedArray) -> list[Any]:
    """Lists of strings as tuples, one object for all that are equal; None for null."""
    if values.null_count == len(values):
        return [None] * len(values)
    flat = pc.list_flatten(values)
    plain = not values.null_count and pc.min(pc.list_value_length(values)).as_py()
    if not plain or pc.any(pc.match_substring(flat, _SEPARATOR)).as_py():
        seen: dict[tuple[str, ...] | None, tuple[str, ...] | None] = {}
        return [seen.setdefault(value, value) for value in _tuples(values)]
    # No list is empty, so that none is joined to the same text as another.
    joined = one_chunk(pc.binary_join(values, _SEPARATOR)).dictionary_encode()
    tuples = [tuple(text.split(_SEPARATOR)) for text in joined.dictionary.to_pylist()]
    return [tuples[code] for code in joined.indices.to_pylist()]


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
