"""Random worlds: whatever fails, all replicas apply the same log, and then all of it."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from tests.consensus.oracle import Violation
from tests.consensus.plans import Plan
from tests.consensus.world import World

SEEDS = 120
AT_ONCE = 40


@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_random_worlds_keep_every_promise(first: int) -> None:
    worlds = [World(seed).run() for seed in range(first, first + AT_ONCE)]
    # A run in which nothing happens would keep every promise, too.
    for count in ("elections", "packets"):
        assert sum(getattr(world, count) for world in worlds) > AT_ONCE, count
    assert sum(world.oracle.installed for world in worlds) > 0
    assert sum(world.oracle.reads_served for world in worlds) > 0
    assert sum(len(world.oracle.changes) - 1 for world in worlds) > 0
    assert sum(world.operator.wipes for world in worlds) > 0


@pytest.mark.parametrize("size", [1, 3, 5, 7])
def test_good_world_needs_one_election(size: int) -> None:
    world = World(size, Plan(size=size, heal_at=1)).run()
    assert world.elections == 1
    assert world.oracle.last <= world.plan.commands


@pytest.mark.parametrize("seed", range(12))
def test_same_seed_same_steps(seed: int) -> None:
    def trace(world: World) -> list[object]:
        world.run()
        memories = [
            host.replica and msgspec.msgpack.encode(host.replica.memory) for host in world.hosts
        ]
        return [world.steps, world.now, world.oracle.chosen, memories]

    assert trace(World(seed)) == trace(World(seed))


class Twin(World):
    """Each replica is replaced by its copy now and then, which must make no difference."""

    def after(self, delay: int, action: object, *arguments: object) -> None:
        super().after(delay, action, *arguments)  # type: ignore[arg-type]
        for host in getattr(self, "hosts", ()):
            if host.replica is not None and self._count % 7 == 0:
                host.replica = host.replica.copy()


@pytest.mark.parametrize("seed", range(12))
def test_copy_behaves_the_same(seed: int) -> None:
    plain, twin = World(seed).run(), Twin(seed).run()
    assert (plain.steps, plain.now) == (twin.steps, twin.now)
    assert plain.oracle.chosen == twin.oracle.chosen


def test_slots_are_chosen_without_gaps() -> None:
    chosen = list(World(3).run().oracle.chosen)
    assert all(after == before + 1 for before, after in pairwise(chosen))


def test_majority_that_stays_down_is_noticed() -> None:
    """The oracle would not take silence for success."""

    class Deserted(World):
        def _restart(self, host: object) -> None:
            return None

    world = Deserted(1, Plan(crash_mean=100, give_up_at=10_000))
    with pytest.raises(Violation, match="stuck"):
        world.run()
