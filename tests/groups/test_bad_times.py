"""Every protocol keeps its promises on replicated groups in bad times; each known bug does not."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from amcast.core import Multicast
from amcast.groups.machine import Machine
from amcast.groups.transmitter import Transmitter
from amcast.protocols import PROTOCOLS
from amcast.scenarios import Parameters, Run, fuzz_faults
from amcast.sim.fuzz_faults import _draw_extremes
from amcast.sim.replica_plan import ReplicaPlan
from tests.groups.group_mutants import GROUP_MUTANTS, GroupMutant

# About twenty worlds a protocol; `make fuzz` runs thousands.
SEEDS = range(1, 21)


def as_it_is(world: Any, broken: Any, attempt: Any) -> tuple[Any, Any]:
    """In place of the search for a simpler world."""
    return broken, world


def violations(protocol: str, seed: int) -> str:
    failure = fuzz_faults(protocol, seed)
    return "" if failure is None else "; ".join(failure.violations)


def test_group_that_never_comes_to_rest_is_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert violations("skeen", 1) == ""
    monkeypatch.setattr("amcast.sim.fuzz_faults._simplify", as_it_is)
    monkeypatch.setattr(Transmitter, "on_ack", lambda *_: None)
    # All is delivered, and sent again and again.
    assert re.fullmatch(r"progress: g\d never .*", violations("skeen", 1))


def test_replicas_that_differ_are_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    def deliver(self: Machine, multicast: Multicast) -> None:
        original(self, multicast)
        self.state.instances += self._intake.leading

    original = Machine._deliver
    monkeypatch.setattr("amcast.sim.fuzz_faults._simplify", as_it_is)
    monkeypatch.setattr(Machine, "_deliver", deliver)
    assert re.fullmatch(r"same state: .* g\d .*", violations("skeen", 1))


def test_some_worlds_have_big_groups_and_low_bounds() -> None:
    usual = ReplicaPlan()
    drawn = [_draw_extremes(usual, Random(f"sizes {seed}")) for seed in range(1, 101)]
    assert 0 < sum(plan != usual for plan in drawn) < 50
    assert max(plan.replicas for plan in drawn) == 7
    for name in ("queue_max", "catch_up_max", "expire_after"):
        assert min(getattr(plan, name) for plan in drawn) < 30 < getattr(usual, name)


HUNTED = [mutant for mutant in GROUP_MUTANTS if mutant.script is None]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_promises_hold_in_bad_times(protocol: str) -> None:
    failures = [failure for seed in SEEDS if (failure := fuzz_faults(protocol, seed))]
    assert not failures, str(failures[0])


@pytest.mark.parametrize(
    ("protocol", "seed"),
    [
        ("ring", 431),
        ("flexcast", 40),
        ("adt", 50),
        ("ang", 300_167),
        ("skeen", 70_053),
        ("propagation", 1722),
    ],
)
def test_seeds_that_once_failed(protocol: str, seed: int) -> None:
    assert fuzz_faults(protocol, seed) is None


@pytest.mark.parametrize("mutant", HUNTED, ids=lambda mutant: mutant.what)
def test_known_bug_is_caught(mutant: GroupMutant) -> None:
    failure = mutant.hunt()
    assert failure is not None
    # It is the bug that makes the seed fail, not the seed.
    assert fuzz_faults(mutant.protocol, failure.seed) is None


@pytest.mark.parametrize("protocol", ["skeen", "flexcast", "ang", "tree"])
def test_same_seed_same_trace_with_crashes(protocol: str, tmp_path: Path) -> None:
    parameters = Parameters(protocol=protocol, replicas=3, crashes=3, messages=100, seed=7)
    for name in ("one", "two"):
        Run(parameters).write(tmp_path / name)
    tables = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert "faults.parquet" in tables
    for table in tables:
        one, two = tmp_path / "one" / table, tmp_path / "two" / table
        assert one.read_bytes() == two.read_bytes(), table


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_replicas_deliver_what_one_process_would(protocol: str) -> None:
    outcome, verdict = Run(Parameters(protocol=protocol, replicas=3, messages=60)).verify()
    assert outcome.drained
    assert outcome.completed == 60
    required = [found for found in verdict.properties.values() if found.required]
    assert {found.verdict for found in required} == {"holds"}


def test_crashes_happen_are_restarted_and_cost_nothing_but_time() -> None:
    run = Run(Parameters(protocol="skeen", replicas=3, crashes=6, messages=200))
    outcome, verdict = run.verify()
    assert outcome.completed == 200
    assert verdict.properties["agreement"].verdict == "holds"


def test_messages_to_other_groups_go_on_when_a_group_is_lost() -> None:
    run = Run(Parameters(protocol="adt", groups=4, replicas=3, lost_groups=1, messages=300))
    outcome, verdict = run.verify()
    assert outcome.drained
    # Those to the lost group get no reply from there, and its own clients are gone.
    assert 100 < outcome.completed < outcome.messages
    required = [found for found in verdict.properties.values() if found.required]
    assert {found.verdict for found in required} == {"holds"}
