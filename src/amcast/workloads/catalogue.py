"""Workloads by the names that the command line and experiments use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from amcast.core import GroupId, InvalidInput, check_groups
from amcast.workloads.draw import WithKeys, Workload
from amcast.workloads.fixed import THESIS_NAMES, FixedSets, thesis_sets
from amcast.workloads.gtpcc import GtpccEvaluation, GtpccPaper, Nearest
from amcast.workloads.tpcc import TpccMix
from amcast.workloads.uniform import UniformSets

WORKLOAD_NAMES: Final = ("uniform", "tpcc", "gtpcc", "gtpcc-evaluation", *THESIS_NAMES)

# In a configuration of one group, the usual one or two destinations can only be one.
_USUAL_SIZES: Final = (1, 2)


def make_workload(
    name: str,
    groups: Sequence[GroupId],
    *,
    nearest: Nearest | None = None,
    locality: float = 0.9,
    sizes: Sequence[int] | None = None,
    keys: int | None = None,
) -> Workload:
    """The workload of that name, as published; its class has more options.

    `nearest` and `locality` are for both gTPC-C, `sizes` for uniform. With `keys`, messages
    conflict only when they share one of so many.
    """
    names = check_groups(groups)
    if name == "uniform":
        fitting = _USUAL_SIZES[: len(names)] if sizes is None else sizes
        workload: Workload = UniformSets(names, sizes=fitting)
    elif sizes is not None:
        raise InvalidInput(f"workload {name} has its own numbers of destinations: use uniform")
    else:
        workload = _published(name, names, nearest, locality)
    return workload if keys is None else WithKeys(workload, keys)


def _published(
    name: str, groups: tuple[GroupId, ...], nearest: Nearest | None, locality: float
) -> Workload:
    if name in THESIS_NAMES:
        return FixedSets(groups, thesis_sets(name, groups))
    match name:
        case "tpcc":
            return TpccMix(groups)
        case "gtpcc":
            return GtpccPaper(groups, _required(nearest, name), locality)
        case "gtpcc-evaluation":
            return GtpccEvaluation(groups, _required(nearest, name), locality)
        case _:
            raise InvalidInput(f"no workload {name!r}: there is {', '.join(WORKLOAD_NAMES)}")


def _required(nearest: Nearest | None, workload: str) -> Nearest:
    if nearest is None:
        raise InvalidInput(
            f"workload {workload} needs each group's nearest groups: "
            "use a scenario that has them, such as aws12"
        )
    return nearest
