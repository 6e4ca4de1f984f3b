"""The metrics of two directories side by side. Needs no Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from amcast.core import InvalidInput
from amcast.lab.directory import METRICS, described
from amcast.lab.report_data import read_rows

# These hold single runs or whole distributions: the others say the same with fewer numbers.
DETAILS: Final = {"runs", "quantiles", "latency_by_seed"}
SETTING: Final = "setting"
LOW, HIGH = "_low", "_high"

Row = dict[str, Any]
Settings = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Difference:
    """One value in both directories; `clear` if the confidence intervals do not meet."""

    table: str
    key: str
    name: str
    first: float
    second: float
    clear: bool | None

    @property
    def share(self) -> float:
        """How much the second is above the first."""
        if self.first == self.second:
            return 0.0
        return (self.second - self.first) / abs(self.first) if self.first else float("inf")


@dataclass(frozen=True)
class Comparison:
    """What was compared; `changed` are the parameters that differ as a whole."""

    changed: dict[str, tuple[str | None, str | None]]
    equal: int
    differences: tuple[Difference, ...]
    only_first: int
    only_second: int


def compare(first: Path, second: Path) -> Comparison:
    """Values that have the same table, parameters and statistic; the largest change first."""
    sides = [_metrics(first), _metrics(second)]
    settings = [_settings(side) for side in sides]
    changed = _changed(*settings)
    values = [
        _values(side, known, set(changed)) for side, known in zip(sides, settings, strict=True)
    ]
    shared = [key for key in values[0] if key in values[1]]
    if not shared:
        raise InvalidInput(
            f"{first} and {second} have no parameters in common: compare two runs of one experiment"
        )
    pairs = [_difference(key, values[0][key], values[1][key]) for key in shared]
    different = [pair for pair in pairs if pair.first != pair.second]
    return Comparison(
        changed=changed,
        equal=len(pairs) - len(different),
        differences=tuple(sorted(different, key=lambda pair: -abs(pair.share))),
        only_first=len(values[0]) - len(shared),
        only_second=len(values[1]) - len(shared),
    )


def _metrics(directory: Path) -> dict[str, pa.Table]:
    described(directory)
    folders = sorted(path for path in (directory / METRICS).glob("[a-z]*") if path.is_dir())
    if not folders:
        raise InvalidInput(f"{directory} has no metrics yet: run the experiment to its end first")
    return {
        path.name: pa.Table.from_pylist(read_rows(path))
        for path in folders
        if path.name not in DETAILS
    }


def _settings(tables: Mapping[str, pa.Table]) -> Settings:
    texts = {
        text
        for table in tables.values()
        if SETTING in table.column_names
        for text in table.column(SETTING).unique().to_pylist()
    }
    return {text: json.loads(text) for text in sorted(texts)}


def _changed(first: Settings, second: Settings) -> dict[str, tuple[str | None, str | None]]:
    """Parameters with one value in all of the first and another in all of the second."""
    found = {}
    for name in sorted(
        {name for side in (first, second) for each in side.values() for name in each}
    ):
        here = {each.get(name) for each in first.values()}
        there = {each.get(name) for each in second.values()}
        if len(here) == len(there) == 1 and here != there:
            found[name] = (*here, *there)
    return found  # type: ignore[return-value]


def _values(
    tables: Mapping[str, pa.Table], settings: Settings, left_out: set[str]
) -> dict[tuple[str, str, str], tuple[float, Row]]:
    """(table, key, name) -> the value, and the row it is in."""
    found = {}
    for table_name, table in tables.items():
        names = [field.name for field in table.schema if pa.types.is_floating(field.type)]
        keys = [field.name for field in table.schema if pa.types.is_string(field.type)]
        keys += [field.name for field in table.schema if field.name in ("destination", "position")]
        for row in table.to_pylist():
            label = _label(row, keys, settings, left_out)
            for name in names:
                if not name.endswith((LOW, HIGH)) and row[name] is not None:
                    found[table_name, label, name] = (float(row[name]), row)
    return found


def _label(row: Row, keys: Sequence[str], settings: Settings, left_out: set[str]) -> str:
    parts = []
    for key in keys:
        if key == SETTING:
            chosen = settings[row[key]]
            parts += [f"{name}={chosen[name]}" for name in sorted(chosen) if name not in left_out]
        else:
            parts.append(f"{key}={row[key]}")
    return " ".join(parts)


def _difference(
    key: tuple[str, str, str], first: tuple[float, Row], second: tuple[float, Row]
) -> Difference:
    table, label, name = key
    return Difference(table, label, name, first[0], second[0], _apart(name, first[1], second[1]))


def _apart(name: str, first: Row, second: Row) -> bool | None:
    """Whether the confidence intervals do not meet; None where a value has none."""
    bounds = [row.get(name + end) for row in (first, second) for end in (LOW, HIGH)]
    if None in bounds:
        return None
    low, high, other_low, other_high = (float(bound or 0.0) for bound in bounds)
    return high < other_low or other_high < low
