"""Thousands of schedules were run while this was written; a few hundred are run every time."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from amcast.core import GroupId, MessageId, Multicast
from amcast.protocols.adt import Adt
from amcast.protocols.adt_paced import PacedAdt
from amcast.protocols.generic_broadcast import GenericBroadcast
from amcast.protocols.registry import ATOMIC_MULTICAST, Protocol
from amcast.scenarios import fuzz_protocol
from amcast.sim.world import World
from tests.protocols.adt import disaster_runs
from tests.protocols.adt.broadcast_runs import Broadcaster, BroadcastRun
from tests.protocols.adt.disaster_runs import DisasterRun
from tests.protocols.adt.telling_runs import TellingCrashes, TellingRun

PROTOCOL = Protocol("adt", Adt, False, "fewer than a third of the groups", "3", "2009")


def test_schedules_without_failures() -> None:
    assert PROTOCOL.promises == ATOMIC_MULTICAST
    for seed in range(1, 101):
        assert fuzz_protocol(PROTOCOL, seed) is None


@pytest.mark.parametrize("chunk", range(4))
def test_schedules_with_disasters(chunk: int) -> None:
    for seed in range(chunk * 25, (chunk + 1) * 25):
        assert DisasterRun(seed).violations() == []


def test_in_the_end_all_that_did_not_crash_agree() -> None:
    changed = 0
    for seed in range(100, 120):
        run = DisasterRun(seed)
        assert run.violations() == []
        alive = [g for g in run.groups if g not in run.world.crashed]
        states = [run.world.processes[group].state for group in alive]
        for state in states:
            assert not state.broadcast.known
            assert not state.broadcast.early
            assert not state.included
            assert not state.pool
            assert not state.own
            assert state.view == states[0].view
            assert state.round == states[0].round
            assert state.broadcast.stage.number == states[0].broadcast.stage.number
        changed += states[0].broadcast.stage.number > 1
    assert changed > 15


def test_schedules_go_on_from_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = [DisasterRun(seed) for seed in range(6)]
    assert all(run.violations() == [] for run in plain)
    monkeypatch.setattr(disaster_runs, "RESTORES", 1.0)
    for seed, before in enumerate(plain):
        run = DisasterRun(seed)
        assert run.violations() == []
        # Restoring draws one number for each packet, as not restoring does.
        assert run.world.narrative == before.world.narrative


def test_schedules_of_generic_broadcast_alone() -> None:
    for seed in range(300):
        assert BroadcastRun(seed, Broadcaster).violations() == []


def test_schedules_in_which_groups_crash_while_they_broadcast() -> None:
    crashes = 0
    for seed in range(300):
        run = TellingRun(seed)
        assert run.violations() == []
        crashes += len(run.world.crashed)
    assert crashes > 100
    for seed in range(50):
        assert TellingCrashes(seed, Adt).violations() == []


@pytest.mark.parametrize("acked_max", [1, 2, 3])
def test_schedules_in_which_stages_end_early(
    acked_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GenericBroadcast, "acked_max", acked_max)
    stages = 0
    for seed in range(acked_max * 20, acked_max * 20 + 20):
        runs = (
            DisasterRun(seed),
            DisasterRun(seed, paced(seed)),
            BroadcastRun(seed, Broadcaster),
            TellingCrashes(seed, Adt),
        )
        for run in runs:
            assert run.violations() == []
            processes = run.world.processes.values()
            stages += max(process.state.broadcast.stage.number for process in processes)
    assert stages > 4 * 80


@pytest.mark.parametrize("count", range(1, 8))
def test_any_number_of_groups_will_do_without_failures(count: int) -> None:
    groups = tuple(f"g{number}" for number in range(1, count + 1))
    for seed in range(5):
        random = Random(seed)
        world = World(lambda group: Adt(group, groups), groups)
        for number in range(1, 7):
            dst = tuple(group for group in groups if random.random() < 0.6) or groups[:1]
            world.multicast(Multicast(MessageId("c", number), dst))
        while world.in_flight:
            world.arrive(random.choice(tuple(world.in_flight)))
        assert all(
            len(world.delivered[group]) == sum(group in dst for dst in world.history.dst)
            for group in groups
        )


def paced(seed: int) -> Callable[[GroupId, tuple[GroupId, ...]], PacedAdt]:
    random = Random(f"pace {seed}")
    eta, kappa = random.choice((1, 1, 2, 3, 5, 10)), random.choice((0, 0, 1, 2, 5, 20))
    return lambda group, groups: PacedAdt(group, groups, eta=eta, kappa=kappa)


@pytest.mark.parametrize("chunk", range(2))
def test_schedules_with_disasters_and_rounds_that_overlap(chunk: int) -> None:
    for seed in range(chunk * 25, (chunk + 1) * 25):
        run = DisasterRun(seed, paced(seed))
        assert run.violations() == []
        for group, process in run.world.processes.items():
            if group not in run.world.crashed:
                assert not process.state.pool
                assert not process.state.own
