"""The tables of a trace: their columns, and which Arrow types may stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pyarrow as pa

TEXT = pa.string()
TEXTS = pa.list_(pa.string())
BIGINT = pa.int64()
INT = pa.int32()
FLAG = pa.bool_()


@dataclass(frozen=True)
class Column:
    """One column of a table; `nullable` says whether a row may leave it out."""

    name: str
    type: pa.DataType
    nullable: bool = False

    def accepts(self, found: pa.DataType) -> bool:
        """Whether a file may hold this column as `found`: the same kind of value, any width."""
        if self.type.equals(TEXTS):
            return pa.types.is_null(found) or (_is_list(found) and _is_text(found.value_type))
        if self.type.equals(TEXT):
            return _is_text(found)
        if self.type.equals(FLAG):
            return bool(pa.types.is_boolean(found) or pa.types.is_null(found))
        return bool(pa.types.is_integer(found) or pa.types.is_null(found))


@dataclass(frozen=True)
class Table:
    """One table: every file of it has the required columns and may have the optional ones."""

    name: str
    required: tuple[Column, ...]
    optional: tuple[Column, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.required + self.optional

    @property
    def repetitive(self) -> list[str]:
        """Columns of text in which most values occur often, so that each is read once."""
        return [
            column.name
            for column in self.columns
            if column.type.equals(TEXT) and column.name not in ("run", "msg", "parameters")
        ]

    def schema(self, *optional: str) -> pa.Schema:
        """The Arrow schema of the required columns and of the `optional` ones named."""
        chosen = [column for column in self.optional if column.name in optional]
        return pa.schema([(column.name, column.type) for column in (*self.required, *chosen)])


def _is_text(found: pa.DataType) -> bool:
    # A column without a single value has the null type: writers cannot know better.
    if pa.types.is_null(found):
        return True
    if pa.types.is_dictionary(found):
        return _is_text(found.value_type)
    return bool(
        pa.types.is_string(found)
        or pa.types.is_large_string(found)
        or pa.types.is_string_view(found)
    )


def _is_list(found: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(found)
        or pa.types.is_large_list(found)
        or pa.types.is_fixed_size_list(found)
    )


def _table(name: str, *required: Column, optional: tuple[Column, ...] = ()) -> Table:
    return Table(name, (Column("run", TEXT), *required), optional)


TABLES: Mapping[str, Table] = MappingProxyType(
    {
        table.name: table
        for table in (
            _table(
                "runs",
                Column("protocol", TEXT),
                Column("driver", TEXT),
                Column("parameters", TEXT),
                # A run that drew nothing by chance has no seed.
                Column("seed", BIGINT, nullable=True),
                optional=(Column("drained", FLAG, nullable=True),),
            ),
            _table("processes", Column("process", TEXT), Column("group", TEXT)),
            _table(
                "multicasts",
                Column("msg", TEXT),
                Column("sender", TEXT),
                Column("dst", TEXTS),
                Column("at_us", BIGINT),
                Column("bytes", INT),
                optional=(Column("home", TEXT, nullable=True), Column("keys", TEXTS, True)),
            ),
            _table(
                "deliveries",
                Column("process", TEXT),
                Column("group", TEXT),
                Column("seq", BIGINT),
                Column("msg", TEXT),
                Column("at_us", BIGINT),
                optional=(Column("ts", BIGINT, nullable=True),),
            ),
            _table("replies", Column("msg", TEXT), Column("group", TEXT), Column("at_us", BIGINT)),
            _table(
                "packets",
                Column("source", TEXT),
                Column("target", TEXT),
                # A client's end has no group.
                Column("source_group", TEXT, nullable=True),
                Column("target_group", TEXT, nullable=True),
                Column("kind", TEXT),
                Column("msgs", TEXTS),
                Column("sent_us", BIGINT),
                # A packet that was lost was never received.
                Column("received_us", BIGINT, nullable=True),
                Column("bytes", INT),
                optional=(
                    Column("payload", FLAG, nullable=True),
                    Column("history_bytes", INT, nullable=True),
                ),
            ),
            _table(
                "faults",
                Column("process", TEXT),
                Column("kind", TEXT),
                Column("at_us", BIGINT),
                optional=(Column("peer", TEXT, nullable=True), Column("seq", BIGINT, True)),
            ),
            _table(
                "milestones",
                Column("process", TEXT),
                Column("msg", TEXT),
                Column("kind", TEXT),
                Column("at_us", BIGINT),
            ),
            _table(
                "traffic",
                Column("source_group", TEXT, nullable=True),
                Column("target_group", TEXT, nullable=True),
                Column("kind", TEXT),
                Column("second", BIGINT),
                Column("packets", BIGINT),
                Column("bytes", BIGINT),
            ),
        )
    }
)
