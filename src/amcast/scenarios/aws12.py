"""Twelve AWS regions: the network, overlays and latencies of the FlexCast evaluation.

From Batista, Coelho, Alchieri, Dotti and Pedone, "FlexCast: genuine overlay-based atomic
multicast" (2023), and the configuration files published with it. The latencies are CloudPing
round trips that the evaluation applied as one-way delays; halve them to model AWS itself.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, TypeVar

import msgspec

from amcast.core import GroupId, InvalidInput
from amcast.overlays import Tree

T = TypeVar("T")

REGIONS: Final[tuple[GroupId, ...]] = (
    "us-west-1",
    "ca-central-1",
    "us-east-1",
    "sa-east-1",
    "eu-west-1",
    "eu-west-3",
    "eu-central-1",
    "eu-north-1",
    "ap-south-1",
    "ap-southeast-1",
    "ap-northeast-1",
    "ap-southeast-2",
)


class PublishedLatency(msgspec.Struct, frozen=True):
    """Latency until the k-th destination's reply, as printed in Tables 2 and 3.

    Destinations are counted in the order of the overlay (of the groups, without one), not in
    the order in which replies arrive: the first one may be slower than the second.
    """

    tables: tuple[int, ...]
    protocol: str
    overlay: str | None
    locality: float
    destination: int
    p90_ms: float
    p95_ms: float
    p99_ms: float


class _Overlays(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The layout of the overlay file."""

    regions: dict[GroupId, str]
    ranks: dict[str, tuple[GroupId, ...]]
    parents: dict[str, dict[GroupId, GroupId | None]]
    nearest: dict[str, dict[GroupId, tuple[GroupId, ...]]]


def places() -> Mapping[GroupId, str]:
    """Region -> where it is, for people: `eu-west-1` is Ireland."""
    return MappingProxyType(_overlays().regions)


@cache
def latency_ms() -> Mapping[GroupId, Mapping[GroupId, float]]:
    """Source -> target -> one-way milliseconds; the diagonal is a client to its own region."""
    rows = {
        row.pop("from_to"): row
        for row in csv.DictReader(_text("aws12_latency_ms.csv").splitlines())
    }
    return MappingProxyType(
        {
            source: MappingProxyType({target: float(rows[source][target]) for target in REGIONS})
            for source in REGIONS
        }
    )


@cache
def tree(name: str) -> Tree:
    """T1 (up to four hops deep), T2 (two) or T3 (a star), all rooted in Paris."""
    return Tree(REGIONS, _named(name, _overlays().parents, "tree"))


def rank(name: str) -> tuple[GroupId, ...]:
    """O1 or O2: the regions from the first rank to the last, for overlays that are C-DAGs."""
    return _named(name, _overlays().ranks, "rank order")


def nearest(name: str) -> Mapping[GroupId, tuple[GroupId, ...]]:
    """Home -> its nearest regions first, as the evaluation's clients took them.

    The evaluation wrote one list by hand for each overlay (O1, O2, T1, T2, T3, skeen), so its
    protocols ran different workloads; they are kept as published, also where a region is its
    own third-nearest. `latency_sorted` follows the latencies and names all other regions.
    """
    return MappingProxyType(_named(name, _overlays().nearest, "list of nearest regions"))


@cache
def published_latencies() -> tuple[PublishedLatency, ...]:
    """Tables 2 and 3 of the paper; O1 and T1 with locality 0.9 stand in both and occur once."""
    return tuple(
        msgspec.convert(
            {**row, "tables": row["tables"].split(), "overlay": row["overlay"] or None},
            PublishedLatency,
            strict=False,
        )
        for row in csv.DictReader(_text("flexcast_latency_tables.csv").splitlines())
    )


def _named(name: str, known: Mapping[str, T], what: str) -> T:
    for candidate, value in known.items():
        if candidate.casefold() == name.casefold():
            return value
    raise InvalidInput(f"the AWS regions have no {what} {name!r}: there is {', '.join(known)}")


@cache
def _overlays() -> _Overlays:
    return msgspec.json.decode(_text("aws12_overlays.json"), type=_Overlays)


def _text(name: str) -> str:
    return files("amcast.scenarios").joinpath("data", name).read_text("utf-8")
