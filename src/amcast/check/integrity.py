"""Integrity: every process delivers a message at most once, if it was multicast to its group."""

from __future__ import annotations

from collections.abc import Iterable

from amcast.check.history import History
from amcast.check.sequences import Delivered
from amcast.check.verdict import HOLDS, Finding, violated


def integrity(history: History, sequences: Iterable[Delivered]) -> Finding:
    for sequence in sequences:
        witness = _repetition(history, sequence) or _stranger(history, sequence)
        if witness is not None:
            return violated(witness)
    return HOLDS


def _repetition(history: History, sequence: Delivered) -> str | None:
    if sequence.clash is not None:
        seq, first, other = sequence.clash
        ids = history.ids
        return f"{sequence.process} delivers both {ids[first]} and {ids[other]} at {seq}"
    if sequence.repeated is not None:
        return f"{sequence.process} delivers {history.ids[sequence.repeated]} at two positions"
    return None


def _stranger(history: History, sequence: Delivered) -> str | None:
    """A message that is not for this process, in words."""
    group = sequence.group
    dst = history.dst
    for number in sequence.order:
        if group not in dst[number]:
            message = f"{sequence.process} delivers {history.ids[number]}"
            if not dst[number]:
                return f"{message}, which nobody multicast"
            return f"{message}, which is addressed to {', '.join(dst[number])}"
    return None
