"""The published numbers and statements, read from the one file that holds them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

REPRODUCED: Final = "reproduced"
NOT_REPRODUCED: Final = "not reproduced"
NOT_COMPARABLE: Final = "not comparable"
EXPECTATIONS: Final = (REPRODUCED, NOT_REPRODUCED, NOT_COMPARABLE)

STATISTICS: Final = ("p90", "p95", "p99")
ORDINALS: Final = ("first", "second", "third")
OVER_GROUPS: Final = {"mean": 1.0, "sd": 1.0, "most": 4.0}
LATENCY_TOLERANCE: Final = 0.10


@dataclass(frozen=True)
class Value:
    """A published number. `where` are parameters of the runs that it is compared with."""

    experiment: str
    id: str
    statement: str
    value: float
    unit: str
    source: str
    expected: str
    reason: str
    where: Mapping[str, Any]
    # Which number of ours it is: a name that `report_compare` knows, and what that needs.
    measure: str
    details: tuple[Any, ...] = ()
    # A share of the published number, or an absolute difference in its unit.
    tolerance: float = LATENCY_TOLERANCE
    absolute: bool = False
    # Whether it is compared although we did not expect it to be comparable.
    judged: bool = False

    def agrees(self, ours: float) -> bool:
        allowed = self.tolerance if self.absolute else self.tolerance * abs(self.value)
        return abs(ours - self.value) <= allowed


@dataclass(frozen=True)
class Claim:
    """A published statement; the predicate of the same id decides about it."""

    experiment: str
    id: str
    statement: str
    source: str
    expected: str
    reason: str


@dataclass(frozen=True)
class Formula:
    """A published statement about equations: it is checked without any run."""

    experiment: str
    id: str
    statement: str
    source: str


@cache
def values() -> tuple[Value, ...]:
    """All numbers, in the order of the file."""
    found = _file()
    return (
        *(value for row in found["latencies"] for value in _latencies(row)),
        *(value for row in found["overheads"] for value in _overheads(row)),
        *(Value(**{"where": {}, **row}) for row in found["value"]),
    )


@cache
def claims() -> tuple[Claim, ...]:
    """All statements, in the order of the file."""
    return tuple(Claim(**row) for row in _file()["claim"])


@cache
def formulas() -> tuple[Formula, ...]:
    """All checks of formulas, in the order of the file."""
    return tuple(Formula(**row) for row in _file()["formula"])


def _latencies(row: Mapping[str, Any]) -> Iterator[Value]:
    """The cells of one row of Tables 2 and 3, for each experiment that shows it."""
    name = _name(row["where"])
    for experiment in row["experiments"]:
        for number, cells in enumerate(row["ms"], start=1):
            for statistic, cell in zip(STATISTICS, cells, strict=True):
                listed = f"{number}-{statistic}" in row.get("reproduced", ())
                yield Value(
                    experiment=experiment,
                    id=f"{name}-{number}-{statistic}".replace(" ", "-"),
                    statement=f"{name}: {statistic} until the {ORDINALS[number - 1]} destination",
                    value=cell,
                    unit="ms",
                    source=row["source"],
                    expected=REPRODUCED if listed else row["expected"],
                    reason=row["reason"],
                    where=row["where"],
                    measure="latency_ms",
                    details=(number, statistic),
                )


def _overheads(row: Mapping[str, Any]) -> Iterator[Value]:
    """The cells of one row of Table 4."""
    name = _name(row["where"])
    cells = zip(OVER_GROUPS.items(), row["percent"], row["expected"], strict=True)
    words = {"mean": "mean", "sd": "standard deviation", "most": "maximum"}
    for (statistic, tolerance), cell, expected in cells:
        yield Value(
            experiment="flexcast-overhead",
            id=f"{name}-{statistic}".replace(" ", "-"),
            statement=f"{name}: {words[statistic]} of the overhead over groups",
            value=cell,
            unit="%",
            source="FlexCast, Table 4",
            expected=expected,
            reason=row["reason"],
            where=row["where"],
            measure="overhead_percent",
            details=(statistic,),
            tolerance=tolerance,
            absolute=True,
        )


def _name(where: Mapping[str, Any]) -> str:
    overlay = f" {where['overlay']}" if "overlay" in where else ""
    return f"{where['protocol']}{overlay} {where['locality']:.0%}".replace("%", " %")


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(files("amcast.lab").joinpath("published.toml").read_text("utf-8"))
