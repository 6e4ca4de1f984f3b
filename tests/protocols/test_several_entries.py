"""Protocols with rounds: a client may hand a message to one group after the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from amcast.check import violations
from amcast.core import GroupId, Multicast
from amcast.protocols.adt import Adt
from amcast.protocols.adt_paced import PacedAdt
from amcast.protocols.ang import Ang, LoggedAng, make_ang
from amcast.protocols.pooled import Pooled
from amcast.protocols.registry import ATOMIC_MULTICAST
from amcast.sim.packets import PacketName
from amcast.sim.world import World
from tests.protocols.harness import Make
from tests.protocols.random_runs import RandomRun


class SeveralEntries(RandomRun):
    """Each message goes into up to three groups, some of which it is not addressed to."""

    def _multicast(self, multicast: Multicast) -> None:
        random = self.random
        for _ in range(random.randint(1, 3)):
            home = random.choice(self.world.groups)
            self.after(random.uniform(0, 30), lambda home=home: self._hand_in(multicast, home))

    def _hand_in(self, multicast: Multicast, home: GroupId) -> None:
        self.world.multicast(multicast, home)

    def after_each_step(self) -> None:
        """Replicas apply the log of their group at their own speed."""
        steps = [step for step in self.world.actions() if not isinstance(step, PacketName)]
        for step in steps:
            if self.random.random() < 0.3:
                self.world.do(step)


def found(make: Make, seed: int) -> list[str]:
    def world(groups: tuple[GroupId, ...]) -> World:
        replicas = 1 + seed % 2
        return World(lambda group: make(group, groups), groups, replicas=replicas)

    run = SeveralEntries(f"entries {seed}", world, 5).run()
    assert not run.crash, run.crash
    run.settle()
    return violations(run.history, ATOMIC_MULTICAST)


def option(**options: object) -> Callable[[GroupId, tuple[GroupId, ...]], Ang]:
    return lambda group, groups: make_ang(group, groups, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make",
    [
        Ang,
        option(eta=2, kappa=3),
        LoggedAng,
        Adt,
        lambda group, groups: PacedAdt(group, groups, eta=2, kappa=3),
    ],
    ids=["ang", "ang-overlapping", "ang-logged", "adt", "adt-paced"],
)
def test_the_first_round_counts(make: Make) -> None:
    for seed in range(100):
        assert found(make, seed) == []


class TakesEveryRound(Ang):
    def is_new(self, found: Pooled) -> bool:
        return True


def test_or_a_message_is_delivered_twice() -> None:
    assert found(TakesEveryRound, 2)[0].startswith("integrity")
