"""Whole groups that are away: the others notice, go on, and notice their return."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from amcast.check import History
from amcast.core import MessageId, Suspected, Trusted
from amcast.protocols import PROTOCOLS
from amcast.scenarios import Parameters, Run, fuzz_faults, fuzz_faults_protocol
from amcast.scenarios.small_worlds import _draw_options
from amcast.sim import HistoryRecorder
from amcast.sim.account import Account
from amcast.sim.faults import Faults

LEAVE_OUT = {"failures": "leave-out"}
SEEDS = range(1, 41)
LEFT_OUT = Parameters(
    protocol="propagation",
    groups=4,
    replicas=3,
    options=LEAVE_OUT,
    outages=3,
    clients=30,
    messages=600,
)
# adt can do without one of four groups, and does without being asked.
REMOVED = Parameters(protocol="adt", groups=4, replicas=3, outages=2, messages=300)


def absences(noticed: list[tuple[int, Suspected | Trusted]]) -> Iterator[tuple[int, int, str]]:
    """When each group was missed, and when it was noticed to be back."""
    missed: dict[str, int] = {}
    for at, event in noticed:
        if isinstance(event, Suspected):
            missed[event.group] = at
        else:
            yield missed.pop(event.group), at, event.group
    assert not missed


def rolled_back(history: History) -> dict[str, None]:
    return {fault.process: None for fault in history.faults if fault.kind == "rollback"}


@pytest.mark.parametrize("parameters", [LEFT_OUT, REMOVED], ids=lambda each: each.protocol)
def test_all_promises_hold_and_nobody_waits_for_ever(parameters: Parameters) -> None:
    outcome, verdict = Run(parameters).verify()
    assert outcome.drained
    assert outcome.completed == parameters.messages
    required = [found for found in verdict.properties.values() if found.required]
    assert {found.verdict for found in required} == {"holds"}


def test_others_go_on_and_the_group_takes_back_what_it_alone_delivered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noticed: list[tuple[int, Suspected | Trusted]] = []
    notice = Faults.notice

    def note(self: Faults, event: Suspected | Trusted) -> None:
        noticed.append((self._sim.now_us, event))
        notice(self, event)

    monkeypatch.setattr(Faults, "notice", note)
    recorder = HistoryRecorder()
    Run(LEFT_OUT).simulate(recorder)
    history = recorder.history
    away = {group for _, _, group in absences(noticed)}
    assert "g1" not in away, "the manager is spared"
    taken_back = {process[:2] for process in rolled_back(history)}
    assert taken_back <= away
    assert taken_back
    # Sent when it was missed already, and it would order them: they are delivered elsewhere.
    assert any(
        missed < history.multicast_us[msg] and at < back and group == history.dst[msg][0]
        for missed, back, group in absences(noticed)
        for log in history.logs.values()
        if log.group != group
        for msg, at in zip(log.msgs, log.times, strict=True)
    )


def test_same_seed_same_trace_with_outages(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Run(LEFT_OUT).write(tmp_path / name)
    for table in ("deliveries.parquet", "faults.parquet", "packets.parquet"):
        one, two = tmp_path / "one" / table, tmp_path / "two" / table
        assert one.read_bytes() == two.read_bytes(), table


def test_promises_hold_in_bad_times_with_outages(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[History] = []

    class Listening(HistoryRecorder):
        def __init__(self) -> None:
            super().__init__()
            found.append(self.history)

    monkeypatch.setattr("amcast.sim.fuzz_faults.HistoryRecorder", Listening)
    failures = [each for seed in SEEDS if (each := fuzz_faults("propagation", seed, LEAVE_OUT))]
    assert not failures, str(failures[0])
    assert any(rolled_back(history) for history in found)


def test_adt_keeps_its_promises_in_bad_times_with_outages() -> None:
    adt = PROTOCOLS["adt"]
    assert adt.absences is not None
    # Random runs draw outages only where an option asks for them.
    asked = replace(adt, absences=replace(adt.absences, option=("eta", "0")))
    # The last one once failed: a group was lost for ever while it was away, and trusted again.
    for seed in (*range(1, 11), 1143):
        assert fuzz_faults_protocol(asked, seed, {"eta": "0"}) is None, seed


def test_options_that_exclude_each_other_are_never_drawn_together() -> None:
    drawn = [_draw_options(PROTOCOLS["propagation"], seed) for seed in range(1, 101)]
    chosen = {tuple(each.values()) for each in drawn}
    assert chosen == {(), ("no", "wait"), ("yes", "wait"), ("no", "leave-out")}


class Simulated:
    """As much of a simulation as an account needs."""

    def __init__(self) -> None:
        self.now_us = 0
        self.recorder = HistoryRecorder()
        self.account = Account(cast("Any", self), "g1/0", "g1")

    def told(self) -> list[tuple[int, str, int]]:
        history = self.recorder.history
        log = history.logs["g1/0"]
        rows = zip(log.seqs, log.msgs, log.times, strict=True)
        faults = [(fault.seq or 0, fault.kind, fault.at_us) for fault in history.faults]
        return [(seq, str(history.ids[msg]), at_us) for seq, msg, at_us in rows] + faults


def id(text: str) -> MessageId:
    return MessageId.parse(text)


def test_what_is_taken_back_at_once_is_older_than_the_rollback() -> None:
    sim = Simulated()
    sim.account.deliver(0, id("a:1"))
    sim.account.roll_back(0)
    sim.account.deliver(0, id("b:1"))
    assert sim.told() == [(0, "a:1", 0), (0, "b:1", 1), (0, "rollback", 1)]


def test_what_was_taken_back_is_not_told_again_after_a_crash() -> None:
    sim = Simulated()
    for sim.now_us in (10, 20):
        sim.account.restart()
        sim.account.deliver(0, id("a:1"))
        sim.account.roll_back(0)
        sim.account.deliver(0, id("b:1"))
    assert sim.told() == [(0, "a:1", 10), (0, "b:1", 11), (0, "b:1", 20), (0, "rollback", 11)]


def test_a_snapshot_takes_back_what_the_replica_missed_to_take_back() -> None:
    sim = Simulated()
    for seq in range(4):
        sim.account.deliver(seq, id(f"a:{seq}"))
    sim.account.roll_back(3)
    sim.account.restart()
    sim.now_us = 9
    sim.account.restore(5, id("b:1"), (3, 2, 4))
    assert sim.told()[4:] == [(5, "b:1", 9), (3, "rollback", 1), (2, "rollback", 9)]
