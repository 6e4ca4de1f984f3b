"""Runs of an experiment that are no simulations: plain functions from parameters to rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from amcast.core import InvalidInput
from amcast.lab.model_graphs import family_row

Row = Mapping[str, int | float | str]
Computation = Callable[..., Sequence[Row]]

# Seeds of one run's repetitions stay apart from those of the next seed's.
SEEDS_A_RUN: Final = 1_000_000


def propagation_graphs(
    sites: int, group_size: int, groups: int, repetitions: int, seed: int
) -> list[Row]:
    """Random families of multicast groups, one row each."""
    first = seed * SEEDS_A_RUN
    return [
        family_row(sites, group_size, groups, first + repetition)
        for repetition in range(repetitions)
    ]


COMPUTATIONS: Final[Mapping[str, Computation]] = {"propagation-graphs": propagation_graphs}


def check_computation(kind: str, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that the computation does not take, before anything runs."""
    wanted = [name for name in inspect.signature(COMPUTATIONS[kind]).parameters if name != "seed"]
    for name in parameters:
        if name not in wanted:
            raise InvalidInput(f"{kind} has no parameter {name!r}: it has {', '.join(wanted)}")
    for name in wanted:
        if name not in parameters:
            raise InvalidInput(f"{kind} needs the parameter {name}: give it a value")


def compute(kind: str, parameters: Mapping[str, Any], seed: int) -> Sequence[Row]:
    return COMPUTATIONS[kind](**parameters, seed=seed)
