"""Workloads by the names that the command line and experiments use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from amcast.core import GroupId, InvalidInput, check_groups
from amcast.workloads.draw import WithKeys, Workload, check_share
from amcast.workloads.fixed import THESIS_NAMES, FixedSets, thesis_sets
from amcast.workloads.gtpcc import GtpccEvaluation, GtpccPaper, Nearest
from amcast.workloads.home import GLOBAL_SHARE, HomeMix
from amcast.workloads.tpcc import TpccMix
from amcast.workloads.uniform import UniformSets

WORKLOAD_NAMES: Final = (
    "uniform",
    "tpcc",
    "gtpcc",
    "gtpcc-evaluation",
    "home",
    *THESIS_NAMES,
)

# Where the share of messages to more than one group can be chosen.
WITH_GLOBAL_SHARE: Final = ("home", "gtpcc-evaluation")

# In a configuration of one group, the usual one or two destinations can only be one.
_USUAL_SIZES: Final = (1, 2)


def make_workload(
    name: str,
    groups: Sequence[GroupId],
    *,
    nearest: Nearest | None = None,
    locality: float = 0.9,
    sizes: Sequence[int] | None = None,
    global_share: float | None = None,
    keys: int | None = None,
) -> Workload:
    """The workload of that name, as published; its class has more options.

    `nearest` and `locality` are for both gTPC-C, `sizes` for uniform. `global_share` of the
    messages go to more than one group, where the workload leaves it open. With `keys`, messages
    conflict only when they share one of so many.
    """
    names = check_groups(groups)
    if global_share is not None and name not in WITH_GLOBAL_SHARE:
        raise InvalidInput(
            f"workload {name} has its own share of global messages: use "
            f"{' or '.join(WITH_GLOBAL_SHARE)}"
        )
    if name == "uniform":
        fitting = _USUAL_SIZES[: len(names)] if sizes is None else sizes
        workload: Workload = UniformSets(names, sizes=fitting)
    elif sizes is not None:
        raise InvalidInput(f"workload {name} has its own numbers of destinations: use uniform")
    else:
        workload = _published(name, names, nearest, locality, global_share)
    return workload if keys is None else WithKeys(workload, keys)


def _published(
    name: str,
    groups: tuple[GroupId, ...],
    nearest: Nearest | None,
    locality: float,
    global_share: float | None,
) -> Workload:
    if name in THESIS_NAMES:
        return FixedSets(groups, thesis_sets(name, groups))
    match name:
        case "home":
            return HomeMix(groups, global_share=_or(global_share, GLOBAL_SHARE))
        case "tpcc":
            return TpccMix(groups)
        case "gtpcc":
            return GtpccPaper(groups, _required(nearest, name), locality)
        case "gtpcc-evaluation":
            # Only global messages, unless asked for others.
            local_share = 1 - check_share("global share", _or(global_share, 1.0))
            return GtpccEvaluation(
                groups, _required(nearest, name), locality, local_share=local_share
            )
        case _:
            raise InvalidInput(f"no workload {name!r}: there is {', '.join(WORKLOAD_NAMES)}")


def _or(share: float | None, usual: float) -> float:
    return usual if share is None else share


def _required(nearest: Nearest | None, workload: str) -> Nearest:
    if nearest is None:
        raise InvalidInput(
            f"workload {workload} needs each group's nearest groups: "
            "use a scenario that has them, such as aws12"
        )
    return nearest
