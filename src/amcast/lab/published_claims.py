"""Published statements as predicates. Each says whether ours agrees, and with which numbers.

A predicate gets all results of an experiment and answers None where the runs do not show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from amcast.lab.report_data import Results, Row, mean_over_groups, of_one_setting, only

# Whether it holds, None if there are too few samples to tell, and the numbers behind it.
Judgement = tuple[bool | None, str]
Predicate = Callable[[Results], Judgement | None]

PREDICATES: Final[dict[tuple[str, str], Predicate]] = {}

LOCALITIES: Final = (0.9, 0.95, 0.99)
FLEXCAST: Final = {"protocol": "flexcast", "overlay": "O1"}
TREE: Final = {"protocol": "tree", "overlay": "T1"}
SKEEN: Final = {"protocol": "skeen"}


SAMPLES_MIN: Final = 1000
"""A percentile of fewer samples proves nothing."""


class NotMeasured(Exception):
    """The runs do not have what a predicate asks for."""


class TooFew(Exception):
    """They have it, but from too few samples."""


def claim(experiment: str, id: str) -> Callable[[Callable[[Results], Judgement]], Predicate]:
    """Enter a predicate under its name in published.toml."""

    def enter(predicate: Callable[[Results], Judgement]) -> Predicate:
        def judge(results: Results) -> Judgement | None:
            try:
                return predicate(results)
            except NotMeasured:
                return None
            except TooFew as error:
                return None, str(error)

        PREDICATES[experiment, id] = judge
        return judge

    return enter


def the(rows: list[Row]) -> Row:
    row = only(rows)
    if row is None:
        raise NotMeasured
    return row


def p90(results: Results, where: Mapping[str, Any], destination: int) -> float:
    """Milliseconds at a destination in the order of the overlay."""
    return latency(results, where, "p90", "overlay", "global", destination)


def latency(
    results: Results,
    where: Mapping[str, Any],
    statistic: str = "mean",
    order: str = "own",
    scope: str = "all",
    destination: int = 0,
) -> float:
    """Milliseconds; by default the mean until the sender's own group has delivered."""
    columns = {
        "statistic": statistic,
        "order": order,
        "scope": scope,
        "destination": destination,
    }
    row = the(results.where("latency", where, **columns))
    if statistic != "mean" and row["samples"] < SAMPLES_MIN:
        raise TooFew(f"{row['samples']} samples")
    return float(row["us"]) / 1000


def throughput(results: Results, where: Mapping[str, Any]) -> float:
    return float(the(results.where("throughput", where, scope="all"))["messages_s"])


def loads(results: Results, where: Mapping[str, Any]) -> list[float]:
    """The loads that settings of this kind were run with, the lowest first."""
    if results.axis is None:
        raise NotMeasured
    found = {results.axis_value(each) for each in results.settings if each.matches(where)}
    numbers = sorted(load for load in found if load is not None)
    if not numbers:
        raise NotMeasured
    return numbers


def at_load(results: Results, where: Mapping[str, Any], load: float) -> dict[str, Any]:
    assert results.axis is not None
    return {**where, results.axis: load}


def sent_kb_s(results: Results, where: Mapping[str, Any]) -> float:
    """What a group sends to others, in KB/s, on average over groups."""
    rows = of_one_setting(
        results.where("traffic", where, direction="sent", peer="group", kind="all")
    )
    if not rows:
        raise NotMeasured
    return mean_over_groups(rows, "bytes_s") / 1000


def below(numbers: Mapping[str, float], unit: str) -> Judgement:
    """Whether the numbers rise strictly in the order in which they are given."""
    values = list(numbers.values())
    rising = all(one < other for one, other in pairwise(values))
    return rising, listed(numbers, unit)


def listed(numbers: Mapping[str, float], unit: str) -> str:
    return ", ".join(f"{name} {value:.4g} {unit}".strip() for name, value in numbers.items())
