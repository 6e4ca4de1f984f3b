"""What each process delivered, in order: rows without rollbacks, replay and snapshot gaps."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import msgspec

from amcast.check.history import History, Log
from amcast.core import GroupId, InvalidInput, ProcessId


class Delivered(msgspec.Struct):
    """The deliveries of one process, by message number."""

    process: ProcessId
    group: GroupId
    # Each message once, at its first position; those that a snapshot skipped are included.
    # An array, as are all columns of this length: a list of numbers takes five times as much.
    order: array[int]
    # All rows that were not rolled back, for their times.
    msgs: Sequence[int]
    times: Sequence[int]
    # Integrity: (position, first message, other message) and a message at two positions.
    clash: tuple[int, int, int] | None = None
    repeated: int | None = None
    # A position that no process of the group delivered, below one that this process did.
    hole: int | None = None

    @property
    def everything(self) -> Iterable[int]:
        """All that is delivered, also a message whose position belongs to another."""
        return self.order if self.clash is None else (*self.order, *self.msgs)


def delivered(history: History) -> list[Delivered]:
    """All processes, in the order in which the history first names them."""
    rollbacks: dict[ProcessId, list[tuple[int, int]]] = {}
    for fault in history.faults:
        if fault.kind == "rollback" and fault.seq is not None:
            rollbacks.setdefault(fault.process, []).append((fault.at_us, fault.seq))
    logs = [
        _without_rolled_back(log, rollbacks[log.process]) if log.process in rollbacks else log
        for log in history.logs.values()
    ]
    gapless = {log.process: log.seqs == array("q", range(len(log.seqs))) for log in logs}
    broken = {log.group: True for log in logs if not gapless[log.process]}
    found: dict[ProcessId, Delivered] = {}
    for group in broken:
        _fill([log for log in logs if log.group == group], found)
    return [found.get(log.process) or _delivered(log, log.msgs) for log in logs]


def _delivered(log: Log, order: Sequence[int]) -> Delivered:
    once = array("q", dict.fromkeys(order))
    result = Delivered(log.process, log.group, once, log.msgs, log.times)
    if len(once) < len(order):
        seen: dict[int, None] = {}
        for number in order:
            if number in seen:
                result.repeated = number
                break
            seen[number] = None
    return result


def _without_rolled_back(log: Log, rollbacks: list[tuple[int, int]]) -> Log:
    """Only the rows that no later rollback takes back."""
    rollbacks.sort()
    times = [at_us for at_us, _ in rollbacks]
    # floors[i] is the lowest position that the i-th or any later rollback starts from.
    floors = list(accumulate((seq for _, seq in reversed(rollbacks)), min))[::-1]
    kept = Log(log.process, log.group)
    for seq, number, at_us in zip(log.seqs, log.msgs, log.times, strict=True):
        later = bisect_right(times, at_us)
        if later == len(times) or seq < floors[later]:
            kept.seqs.append(seq)
            kept.msgs.append(number)
            kept.times.append(at_us)
    return kept


def _fill(members: list[Log], found: dict[ProcessId, Delivered]) -> None:
    """Resolve a group in which some rows are repeated, out of order or missing.

    A process that skips a position has it from a snapshot, so what the first replica that
    has the position delivered there counts for this process as well.
    """
    rows: list[dict[int, int]] = []
    clashes: list[tuple[int, int, int] | None] = []
    merged: dict[int, int] = {}
    for log in members:
        own, clash = _by_position(log)
        rows.append(own)
        clashes.append(clash)
        merged = own | merged
    positions = sorted(merged)
    hole = next((at for at, seq in enumerate(positions) if at != seq), None)
    for log, own, clash in zip(members, rows, clashes, strict=True):
        end = bisect_right(positions, max(own, default=-1))
        result = _delivered(log, [own.get(seq, merged[seq]) for seq in positions[:end]])
        result.clash = clash
        if hole is not None and hole < end:
            result.hole = hole
        found[log.process] = result


def _by_position(log: Log) -> tuple[dict[int, int], tuple[int, int, int] | None]:
    """Position -> message; the first row wins and the first that contradicts it is reported."""
    own: dict[int, int] = {}
    clash = None
    for seq, number in zip(log.seqs, log.msgs, strict=True):
        if seq < 0:
            raise InvalidInput(f"{log.process} delivers at seq {seq}: positions start at 0")
        first = own.setdefault(seq, number)
        if first != number and clash is None:
            clash = (seq, first, number)
    return own, clash


def representatives(sequences: Iterable[Delivered]) -> list[Delivered]:
    """One longest sequence of each group, and each one of the group that is no prefix of it.

    A prefix adds nothing to the order that the longer sequence does not already show.
    """
    longest: dict[GroupId, Delivered] = {}
    others: list[Delivered] = []
    for sequence in sequences:
        best = longest.setdefault(sequence.group, sequence)
        if len(sequence.order) > len(best.order):
            longest[sequence.group] = sequence
            others.append(best)
        elif sequence is not best:
            others.append(sequence)
    return list(longest.values()) + [
        other for other in others if not is_prefix(other.order, longest[other.group].order)
    ]


def is_prefix(short: Sequence[int], long: Sequence[int]) -> bool:
    return short == long[: len(short)]
