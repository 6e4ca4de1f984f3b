"""Validity and agreement: what should be delivered somewhere is delivered everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from amcast.check.history import History
from amcast.check.sequences import Delivered
from amcast.check.verdict import HOLDS, Finding, unknown, violated
from amcast.core import GroupId, ProcessId, process_of

NOT_COMPLETE = "the run was stopped before it was quiet"


def validity_and_agreement(history: History, sequences: list[Delivered]) -> tuple[Finding, Finding]:
    """Both at once, since both look at the same missing deliveries."""
    crashed_senders = {fault.process: True for fault in history.faults if fault.kind == "crash"}
    not_valid: str | None = None
    not_agreed = _hole(sequences)
    delivered_at: list[ProcessId | None] = []
    for number, process in _missing(history, sequences):
        delivered_at = delivered_at or _first_places(history, sequences)
        message = history.ids[number]
        if not_valid is None and history.senders[number] not in crashed_senders:
            not_valid = f"{message} is not delivered at {process}"
        if not_agreed is None and delivered_at[number] is not None:
            not_agreed = f"{message} is delivered at {delivered_at[number]} but not at {process}"
        if not_valid is not None and not_agreed is not None:
            break
    return _finding(history, not_valid), _finding(history, not_agreed)


def _first_places(history: History, sequences: list[Delivered]) -> list[ProcessId | None]:
    """The first process that delivered a message, also if that process crashed afterwards."""
    places: list[ProcessId | None] = [None] * len(history.ids)
    for sequence in reversed(sequences):
        for number in sequence.everything:
            places[number] = sequence.process
    return places


def _finding(history: History, witness: str | None) -> Finding:
    if witness is None:
        return HOLDS
    return violated(witness) if history.complete else unknown(NOT_COMPLETE)


def _hole(sequences: Iterable[Delivered]) -> str | None:
    for sequence in sequences:
        if sequence.hole is not None:
            return (
                f"{sequence.process} delivers something after position {sequence.hole}, "
                f"which nobody of {sequence.group} delivers: a hole"
            )
    return None


def _missing(history: History, sequences: list[Delivered]) -> Iterator[tuple[int, ProcessId]]:
    """Each (message, process) such that the process is correct, as is its group, yet lacks it."""
    addressed: dict[GroupId, list[int]] = {}
    for number, groups in enumerate(history.dst):
        for group in groups:
            addressed.setdefault(group, []).append(number)
    delivered = {sequence.process: sequence.everything for sequence in sequences}
    for group, processes in _correct_members(history).items():
        wanted = addressed.get(group, [])
        for process in processes:
            has = bytearray(len(history.ids))
            for number in delivered.get(process, ()):
                has[number] = 1
            for number in wanted:
                if not has[number]:
                    yield number, process


def _correct_members(history: History) -> dict[GroupId, list[ProcessId]]:
    """The correct processes of each correct group."""
    members: dict[GroupId, list[ProcessId]] = {}
    for log in history.logs.values():
        members.setdefault(log.group, []).append(log.process)
    for groups in dict.fromkeys(history.dst):
        for group in groups:
            # A group that nobody has seen is one process that stays silent.
            members.setdefault(group, [process_of(group)])
    down = _down_for_good(history)
    correct: dict[GroupId, list[ProcessId]] = {}
    for group, processes in members.items():
        up = [process for process in processes if not down.get(process)]
        if 2 * len(up) > len(processes):
            correct[group] = up
    return correct


def _down_for_good(history: History) -> dict[ProcessId, bool]:
    """Whether the last that a process did was to crash; at equal times the later row counts."""
    down: dict[ProcessId, bool] = {}
    for fault in sorted(history.faults, key=lambda fault: fault.at_us):
        if fault.kind in ("crash", "restart"):
            down[fault.process] = fault.kind == "crash"
    return down
