"""The tables that the stages wrote, as plain rows: a page needs neither Spark nor Java."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from amcast.core import GroupId
from amcast.lab.overlay_order import overlay_order

Row = dict[str, Any]

# Parameters that an experiment turns up, rather than compares: the first that varies is the axis.
AXES: Final = ("rate", "clients_per_group", "sizes", "clients")
# What a protocol is called on a page comes first, the rest as name and value.
LEADING: Final = ("protocol", "overlay")


def read_rows(folder: Path) -> list[Row]:
    """All rows of a Parquet folder, sorted so that nothing depends on how it was written."""
    paths = sorted(
        path
        for path in folder.rglob("*.parquet")
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    rows: list[Row] = []
    for path in paths:
        with pq.ParquetFile(path) as file:
            rows += file.read().to_pylist()
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True, default=str))


class Setting:
    """What a family of runs was asked for; they differ in nothing but the seed."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = json.loads(text)
        options = json.loads(found.pop("options", "{}"))
        self.values: Mapping[str, str] = {**found, **{str(k): str(v) for k, v in options.items()}}

    def matches(self, where: Mapping[str, Any]) -> bool:
        return all(_same(self.values.get(name), value) for name, value in where.items())

    def order(self) -> tuple[GroupId, ...]:
        """Its groups, in the order of the overlay."""
        return overlay_order(self.values)


class Results:
    """All that a directory holds about an experiment."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._tables: dict[str, list[Row]] = {}

    def table(self, name: str) -> list[Row]:
        """A metric, each row with its `Setting`; empty if it was not made."""
        if name not in self._tables:
            rows = read_rows(self.directory / "metrics" / name)
            for row in rows:
                row["setting"] = self._setting(row["setting"])
            self._tables[name] = rows
        return self._tables[name]

    def rows(self, folder: str) -> list[Row]:
        """The rows of another stage's folder, such as `verdicts`."""
        return read_rows(self.directory / folder)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Every setting once, in a fixed order: the order of names, numbers by size."""
        found = {row["setting"].text: row["setting"] for row in self.table("runs")}
        return tuple(sorted(found.values(), key=lambda each: _sort_key(each.values)))

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The parameters in which settings differ, among those that have them."""
        found: dict[str, set[str]] = {}
        for each in self.settings:
            for name, value in each.values.items():
                found.setdefault(name, set()).add(value)
        return tuple(name for name, values in found.items() if len(values) > 1)

    @cached_property
    def axis(self) -> str | None:
        """The parameter that is turned up, if one is."""
        return next(
            (
                name
                for name in AXES
                if name in self.varied
                and all(axis_number(each.values.get(name)) is not None for each in self.settings)
            ),
            None,
        )

    def axis_value(self, setting: Setting) -> float | None:
        return None if self.axis is None else axis_number(setting.values.get(self.axis))

    def label(self, setting: Setting) -> str:
        """What tells a setting from the others, but for the axis."""
        values = setting.values
        known = [values[name] for name in LEADING if values.get(name)]
        rest = [
            f"{_spoken(name)} {_short(values[name])}"
            for name in self.varied
            if name not in (*LEADING, self.axis) and values.get(name) is not None
        ]
        return ", ".join([" ".join(known), *rest])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.label(each) for each in self.settings))

    def where(self, table: str, where: Mapping[str, Any], **columns: Any) -> list[Row]:
        """The rows of a metric of the settings that match, with these values."""
        return [
            row
            for row in self.table(table)
            if all(row[name] == value for name, value in columns.items())
            and row["setting"].matches(where)
        ]

    def _setting(self, text: str) -> Setting:
        known = self.__dict__.setdefault("_known", {})
        if text not in known:
            known[text] = Setting(text)
        found: Setting = known[text]
        return found


def number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def axis_number(text: str | None) -> float | None:
    """The value on an axis; destinations are a list, which must have one number."""
    return number(text.strip("[]") if text else text)


class Ambiguous(AssertionError):
    """More than one row could be meant: whoever asked left a parameter open."""


def only(rows: Sequence[Row]) -> Row | None:
    """The one row that was asked for, or None if there is none."""
    if len(rows) > 1:
        raise Ambiguous(f"{len(rows)} rows could be meant, {_open_parameters(rows)}")
    return rows[0] if rows else None


def of_one_setting(rows: Sequence[Row]) -> Sequence[Row]:
    """The same rows, such as those of all groups, if the runs differ in nothing but the seed."""
    if len({row["setting"].text for row in rows}) > 1:
        raise Ambiguous(f"rows of several settings were found, {_open_parameters(rows)}")
    return rows


def mean_over_groups(rows: Sequence[Row], column: str) -> float:
    """The mean over all groups of one setting; a group without a row has none of it."""
    groups = {row["group"] for row in rows} | set(rows[0]["setting"].order())
    return float(sum(row[column] for row in rows)) / len(groups)


def _open_parameters(rows: Sequence[Row]) -> str:
    chosen = [row["setting"].values for row in rows]
    names = sorted({name for each in chosen for name in each})
    differing = [name for name in names if len({each.get(name) for each in chosen}) > 1]
    return f"which differ in {', '.join(differing) or 'no parameter'}"


def _same(found: str | None, wanted: Any) -> bool:
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return axis_number(found) == wanted
    return (found or "").casefold() == str(wanted).casefold()


def _sort_key(values: Mapping[str, str]) -> list[tuple[str, float, str]]:
    names = (*LEADING, *sorted(name for name in values if name not in LEADING))
    return [
        (name, number(values.get(name)) or 0.0, values.get(name) or "")
        for name in names
        if name in values
    ]


def _short(text: str) -> str:
    value = number(text)
    return text if value is None else f"{value:g}"


def _spoken(name: str) -> str:
    words = {"cpu_us": "CPU us", "locality": "locality", "latency_scale": "delays x"}
    return words.get(name, name.replace("_", " "))
