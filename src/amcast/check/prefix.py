"""Prefix order: no two processes disagree on what comes first among what both should get.

The definition: if p and q are both addressed by m and m', p delivers m and q delivers m',
then p delivered m' before m or q delivered m before m'.

Why comparing sequences is exact. Let A and B be what p and q deliver of the messages that
address both, each message once. The pair satisfies the definition if and only if A is a
prefix of B or B of A. If neither is, let m and m' be the first place where they differ:
m' is not earlier in A, for up to there A equals B and B has m' only once; likewise m in B.
If A is a prefix of B and m = A[i], m' = B[j], then for i < j also B has m before m', and
for j < i also A has m' before m.

Why one sequence of each group is enough. If the replicas of a group satisfy the definition,
all are prefixes of its longest sequence, and so are their projections. If the projections
of two longest sequences are comparable, then all prefixes of those are, as they are all
prefixes of the longer one. If replicas do not satisfy it, the property is violated anyway.

The work is one step per delivery and destination of the delivered message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amcast.check.history import History
from amcast.check.sequences import Delivered, is_prefix
from amcast.check.verdict import HOLDS, Finding, violated
from amcast.core import GroupId


def prefix_order(history: History, candidates: Iterable[Delivered]) -> Finding:
    """`candidates` holds, for each group, all sequences but prefixes of others."""
    by_group: dict[GroupId, list[Delivered]] = {}
    for sequence in candidates:
        by_group.setdefault(sequence.group, []).append(sequence)
    # What each group delivers of the messages that a group still to come should get, too.
    waiting: dict[tuple[GroupId, GroupId], tuple[Delivered, list[int]]] = {}
    for group, replicas in by_group.items():
        longest, witness = _longest(history, replicas)
        if witness is not None:
            return violated(witness)
        for other, order in _projections(history, group, longest.order).items():
            earlier = waiting.pop((other, group), None)
            if earlier is None:
                waiting[group, other] = (longest, order)
                continue
            witness = _difference(history, *earlier, longest, order)
            if witness is not None:
                return violated(witness)
    return HOLDS


def _longest(history: History, replicas: list[Delivered]) -> tuple[Delivered, str | None]:
    """The replica with most messages of its group, and a witness if another contradicts it."""
    if len(replicas) == 1:
        return replicas[0], None
    dst = history.dst
    own = [
        [number for number in replica.order if replica.group in dst[number]] for replica in replicas
    ]
    best = max(range(len(own)), key=lambda index: len(own[index]))
    for replica, order in zip(replicas, own, strict=True):
        witness = _difference(history, replicas[best], own[best], replica, order)
        if witness is not None:
            return replicas[best], witness
    return replicas[best], None


def _projections(
    history: History, group: GroupId, order: Iterable[int]
) -> dict[GroupId, list[int]]:
    """What `group` delivers of the messages that it shares with each other group."""
    dst = history.dst
    shared: dict[GroupId, list[int]] = {}
    for number in order:
        groups = dst[number]
        if len(groups) > 1 and group in groups:
            for other in groups:
                if other in shared:
                    shared[other].append(number)
                else:
                    shared[other] = [number]
    shared.pop(group, None)
    return shared


def _difference(
    history: History, one: Delivered, first: Sequence[int], other: Delivered, second: Sequence[int]
) -> str | None:
    """Where neither is a prefix of the other, in words."""
    if is_prefix(first, second) or is_prefix(second, first):
        return None
    for mine, theirs in zip(first, second, strict=False):
        if mine != theirs:
            m, n = history.ids[mine], history.ids[theirs]
            return (
                f"{m} without {n} before it at {one.process}, "
                f"{n} without {m} before it at {other.process}"
            )
    raise AssertionError("of two sequences that agree, one is a prefix of the other")
