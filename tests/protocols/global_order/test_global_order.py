"""What is delivered before another message is multicast comes first, everywhere."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from amcast.check import History, check, violations
from amcast.core import GroupId
from amcast.protocols.registry import GENUINE_MULTICAST
from amcast.protocols.skeen import Skeen
from amcast.protocols.skeen_global import SkeenGlobal, Turn
from amcast.protocols.timestamps import Waiting
from amcast.sim import ClientPlan, Network, Simulation, SimulationPlan
from amcast.sim.recorder import HistoryRecorder
from amcast.sim.story import play
from tests.protocols.harness import Make, cost, destination_sets, explore, failures, told_again

GROUPS = ("g1", "g2", "g3", "g4")
GLOBAL = (*GENUINE_MULTICAST, "global_order")
SEEDS = range(1, 61)


class SpeaksForTheWholeLine(SkeenGlobal):
    """All that are final and in order have their turn at once, not one after the other."""

    def on_final(self, waiting: Waiting) -> None:
        state = self.state
        state.clock = max(state.clock, waiting.highest)
        released = state.queue.settle(waiting, waiting.highest)
        state.line += released
        for multicast in released:
            self.send(multicast.dst, Turn(multicast.id))

    def deliver_in_turn(self) -> None:
        line, turns = self.state.line, self.state.turns
        while line and turns[line[0].id] == len(line[0].dst):
            first = line.pop(0)
            del turns[first.id]
            self.deliver(first)


class SpeaksWhenFinal(SpeaksForTheWholeLine):
    """A message has its turn when its timestamp is final, though others come before it."""

    def on_final(self, waiting: Waiting) -> None:
        state = self.state
        state.clock = max(state.clock, waiting.highest)
        self.send(waiting.multicast.dst, Turn(waiting.multicast.id))
        state.line += state.queue.settle(waiting, waiting.highest)


def draw(near: GroupId, random: Random) -> tuple[tuple[GroupId, ...], int, str, None]:
    chosen = random.sample(GROUPS, random.choice((1, 1, 2, 2, 3)))
    return tuple(sorted(chosen)), 80, "multicast", None


def history(make: Make, seed: int) -> History:
    """Clients who send when all have replied; a few packets take very long."""
    random = Random(seed)
    sites = (*GROUPS, "client")
    delays = {a: {b: round(1000 * 30 ** random.random()) for b in sites} for a in sites}
    plan = SimulationPlan(
        groups=GROUPS,
        network=Network(delays, jitter=2.0, distribution="exponential"),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(GROUPS[n % 4], "client" if n % 2 else GROUPS[n % 4]) for n in range(8)],
        draw=draw,
        messages=200,
    )
    recorder = HistoryRecorder()
    Simulation(plan, lambda group: make(group, GROUPS), seed=seed, recorder=recorder).run()
    return recorder.history


def violating(make: Make) -> list[int]:
    """The seeds whose runs have no global order; all other promises hold in every run."""
    found: list[int] = []
    for seed in SEEDS:
        run = history(make, seed)
        assert violations(run, GENUINE_MULTICAST) == []
        verdict = check(run).properties["global_order"].verdict
        assert verdict != "unknown"
        if verdict == "violated":
            found.append(seed)
    return found


def test_global_order_holds() -> None:
    assert violating(SkeenGlobal) == []


@pytest.mark.parametrize("make", [Skeen, SpeaksForTheWholeLine, SpeaksWhenFinal])
def test_global_order_does_not_come_by_itself(make: Make) -> None:
    """Plain Skeen has none, nor have those that announce too early."""
    assert violating(make)


@pytest.mark.parametrize("dst", destination_sets(), ids="-".join)
def test_delays_and_messages(dst: tuple[GroupId, ...]) -> None:
    """One delay and k(k - 1) messages more than Skeen."""
    k = len(dst)
    messages, delays = cost(SkeenGlobal, dst, None)
    assert messages == 2 * k * k - k
    assert set(delays.values()) == {3 if k > 1 else 1}
    for home in dst:
        messages, delays = cost(SkeenGlobal, dst, home)
        assert messages == 2 * k * k - k - 1
        own = 2 if k == 2 else 3
        assert delays == ({g: own if g == home else 3 for g in dst} if k > 1 else {home: 0})


def test_random_schedules() -> None:
    assert failures(SkeenGlobal, GENUINE_MULTICAST) == []


@pytest.mark.parametrize("inside", [False, True])
def test_every_interleaving(inside: bool) -> None:
    for sets in (("g1,g2", "g1,g2"), ("g1,g2", "g2,g3", "g1,g3")):
        found = explore(SkeenGlobal, GENUINE_MULTICAST, sets, inside=inside)
        assert found.complete
        assert found.violations == ()


# The same story for both: a client hears that m1:1 is delivered, and multicasts z1:1.


@pytest.mark.parametrize(("name", "make"), [("skeen", Skeen), ("skeen-global", SkeenGlobal)])
def test_stories(name: str, make: Make) -> None:
    path = Path(__file__).parent / f"late-{name}.story"
    told, story = told_again(path, make)
    assert path.read_text() == told
    world = play(story, lambda group: make(group, story.groups))
    assert violations(world.history, GENUINE_MULTICAST) == []
    before = world.narrative.index("z1 multicasts z1:1 to g1")
    assert ("  delivers m1:1" in world.narrative[:before]) == (make is Skeen)
