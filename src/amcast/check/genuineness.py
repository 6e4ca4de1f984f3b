"""Who helps to order a message: genuineness, and minimality, which asks less.

Genuine: only the message's destinations, and its sender's own group. Minimal: only groups that
some message of the run is for, or comes from (FlexCast, 2023, section 2.2). What is genuine is
minimal. Packets about no message count for neither.
"""

from __future__ import annotations

from amcast.check.history import History
from amcast.check.verdict import HOLDS, Finding, unknown, violated
from amcast.core import GroupId

NO_PACKETS = unknown("the trace has no packets")


def genuineness(history: History) -> Finding:
    if not history.has_packets:
        return NO_PACKETS
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


def minimality(history: History) -> Finding:
    if not history.has_packets:
        return NO_PACKETS
    involved = dict.fromkeys(group for groups in dict.fromkeys(history.dst) for group in groups)
    involved |= dict.fromkeys(home for home in history.homes if home is not None)
    for (source, target), about in history.packets.items():
        stranger = next((end for end in (source, target) if end and end not in involved), None)
        if stranger is None or not about:
            continue
        if () in history.dst:
            # That one may have been for the stranger.
            message = history.ids[history.dst.index(())]
            return unknown(f"nobody multicast {message}: {stranger} may be a destination of it")
        packet = _witness(history, source, target, about[0])
        return violated(f"{packet}, and no message is for {stranger} or from there")
    return HOLDS


def _witness(history: History, source: GroupId | None, target: GroupId | None, number: int) -> str:
    return (
        f"a packet from {source or 'a client'} to {target or 'a client'} is about "
        f"{history.ids[number]}, which is addressed to {', '.join(history.dst[number])}"
    )
