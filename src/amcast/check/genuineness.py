"""Genuineness: only a message's destinations, and its sender's own group, help to order it."""

from __future__ import annotations

from amcast.check.history import History
from amcast.check.verdict import HOLDS, Finding, unknown, violated
from amcast.core import GroupId


def genuineness(history: History) -> Finding:
    if not history.has_packets:
        return unknown("the trace has no packets")
    nameless: int | None = None
    dst, homes = history.dst, history.homes
    for (source, target), about in history.packets.items():
        for number in about:
            groups = dst[number]
            if (source is None or source in groups or source == homes[number]) and (
                target is None or target in groups or target == homes[number]
            ):
                continue
            if groups:
                return violated(_witness(history, source, target, number))
            nameless = number if nameless is None else nameless
    if nameless is not None:
        return unknown(f"packets are about {history.ids[nameless]}, which nobody multicast")
    return HOLDS


def _witness(history: History, source: GroupId | None, target: GroupId | None, number: int) -> str:
    return (
        f"a packet from {source or 'a client'} to {target or 'a client'} is about "
        f"{history.ids[number]}, which is addressed to {', '.join(history.dst[number])}"
    )
