"""Only conflicting messages wait for each other, and nothing else changes."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from random import Random

import pytest

from amcast.check import check, violations
from amcast.core import GroupId, MessageId, Multicast
from amcast.protocols.generic import GenericMulticast, share_a_key
from amcast.protocols.registry import DELIVERY, GENUINE_MULTICAST
from amcast.protocols.skeen import Skeen
from amcast.sim import ClientPlan, Network, Simulation, SimulationPlan
from amcast.sim.recorder import HistoryRecorder
from amcast.sim.story import broken_promises, play
from amcast.sim.world import World
from tests.mutants.generic import GenericNoClockUpdate
from tests.protocols.generic.keyed_runs import (
    CONFLICT_ORDERED,
    KEYS,
    ByDefinition,
    broken,
    has_cycle,
    run,
    sequence,
)
from tests.protocols.harness import (
    SEEDS,
    Make,
    cost,
    destination_sets,
    explore,
    failures,
    told_again,
)
from tests.protocols.one_message import DELAY_US

HERE = Path(__file__).parent
GROUPS = ("g1", "g2", "g3")
Keys = tuple[str, ...] | None


def message(keys: Keys) -> Multicast:
    return Multicast(MessageId("c1", 1), ("g1",), keys=keys)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (None, None, True),
        (None, ("a",), True),
        (None, (), False),
        ((), (), False),
        ((), ("a",), False),
        (("a",), ("a",), True),
        (("a", "b"), ("c", "b"), True),
        (("a",), ("b",), False),
    ],
)
def test_messages_conflict_when_they_share_a_key(one: Keys, other: Keys, expected: bool) -> None:
    assert share_a_key(message(one), message(other)) is expected
    assert share_a_key(message(other), message(one)) is expected


# What it costs.


@pytest.mark.parametrize("dst", destination_sets(), ids="-".join)
def test_delays_and_messages_are_those_of_skeen(dst: tuple[GroupId, ...]) -> None:
    for home in (None, *dst):
        assert cost(GenericMulticast, dst, home) == cost(Skeen, dst, home)


class Latencies(HistoryRecorder):
    """How many delays each delivery comes after its multicast."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[MessageId, int] = {}
        self.delays: list[float] = []

    def multicast(self, msg, sender, dst, at_us, size, home, keys):  # type: ignore[no-untyped-def]
        super().multicast(msg, sender, dst, at_us, size, home, keys)
        self.sent[msg] = at_us

    def delivery(self, process, group, seq, msg, at_us):  # type: ignore[no-untyped-def]
        super().delivery(process, group, seq, msg, at_us)
        self.delays.append((at_us - self.sent[msg]) / DELAY_US)


def loaded(make: Make, keys: Keys) -> Latencies:
    """Clients in all groups who send a lot and wait for nobody."""
    plan = SimulationPlan(
        groups=GROUPS,
        network=Network({a: {b: 0 if a == b else DELAY_US for b in GROUPS} for a in GROUPS}),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(GROUPS[n % 3], GROUPS[n % 3], True, 400.0) for n in range(9)],
        draw=lambda near, random: (draw(random), 80, "multicast", keys),
        messages=1000,
    )
    latencies = Latencies()
    Simulation(plan, lambda group: make(group, GROUPS), recorder=latencies).run()
    return latencies


def draw(random: Random) -> tuple[GroupId, ...]:
    return tuple(sorted(random.sample(GROUPS, random.choice((1, 2, 3)))))


def test_commuting_messages_form_no_convoy() -> None:
    assert max(loaded(GenericMulticast, ()).delays) == 2
    assert max(loaded(Skeen, ()).delays) > 2, "there is a convoy to be avoided"


def test_conflicting_messages_wait_as_in_skeen() -> None:
    assert loaded(GenericMulticast, ("a",)).delays == loaded(Skeen, ("a",)).delays


# What it promises.


def test_random_schedules_keep_all_promises() -> None:
    found = [seed for seed in SEEDS if broken(seed, GenericMulticast)]
    assert found == []


def test_the_promise_holds_because_of_the_clock() -> None:
    assert any(broken(seed, GenericNoClockUpdate) for seed in SEEDS)


def test_without_keys_it_is_skeen_delivery_by_delivery() -> None:
    assert failures(GenericMulticast, GENUINE_MULTICAST) == []
    for seed in SEEDS:
        ours, theirs = (run(seed, make, World) for make in (GenericMulticast, Skeen))
        assert ours.narrative == theirs.narrative


def test_every_step_is_as_the_definition_says() -> None:
    """Not only the order: each message is delivered in the very step that makes it ready."""
    overtaken = 0
    for seed in SEEDS:
        ours, theirs = (run(seed, make) for make in (GenericMulticast, ByDefinition))
        assert ours.narrative == theirs.narrative
        overtaken += sequence(ours) != sequence(run(seed, GenericMulticast, World))
    assert overtaken > len(SEEDS) / 4, "keys make a difference in many runs"


def close_by(one: Multicast, other: Multicast) -> bool:
    """A relation that is not transitive: that of clients with neighbouring numbers."""
    return abs(int(one.id.client[1:]) - int(other.id.client[1:])) <= 25


def when_close_by(process: type[GenericMulticast]) -> Make:
    return lambda group, groups: process(group, groups, conflict=close_by)


def test_a_function_may_say_what_conflicts() -> None:
    """Those pairs are ordered, other pairs are not, and nobody waits longer than the rule says."""
    passed = 0
    for seed in SEEDS[:100]:
        ours, theirs = (run(seed, when_close_by(each)) for each in (GenericMulticast, ByDefinition))
        assert ours.narrative == theirs.narrative
        assert broken_promises(ours, DELIVERY) == ()
        assert not has_cycle(ours, close_by)
        passed += has_cycle(ours, lambda one, other: True)
    assert passed > 10, "messages that commute pass each other"


def test_conflicts_of_a_function_need_the_clock_as_well() -> None:
    assert any(
        has_cycle(run(seed, when_close_by(GenericNoClockUpdate)), close_by) for seed in SEEDS[:100]
    )


@pytest.mark.parametrize("inside", [False, True])
def test_every_interleaving(inside: bool) -> None:
    for sets in (("g1,g2", "g1,g2"), ("g1,g2", "g2,g3", "g1,g3")):
        for keys in product(KEYS[:3], repeat=len(sets)) if len(sets) == 2 else [KEYS[:3]]:
            found = explore(
                GenericMulticast, CONFLICT_ORDERED, sets, inside=inside, keys=list(keys)
            )
            assert found.complete
            assert found.violations == ()


# Stories. In them, messages conflict when the names of their clients begin alike.


def alike(one: Multicast, other: Multicast) -> bool:
    return one.id.client[0] == other.id.client[0]


def by_name(group: GroupId, groups: tuple[GroupId, ...]) -> GenericMulticast:
    return GenericMulticast(group, groups, conflict=alike)


@pytest.mark.parametrize("path", sorted(HERE.glob("*.story")), ids=lambda path: path.stem)
def test_stories(path: Path) -> None:
    told, story = told_again(path, by_name)
    assert path.read_text() == told
    world = play(story, lambda group: by_name(group, story.groups))
    world.history.keys = [(str(id)[0],) for id in world.history.ids]
    assert violations(world.history, CONFLICT_ORDERED) == []
    verdict = check(world.history)
    assert verdict.properties["acyclic_order"].verdict == "violated"


def test_commuting_messages_may_close_a_cycle_through_conflicting_ones() -> None:
    """a1 and a2 conflict, a2 comes first; yet a1 < b1 at g1 and b1 < a2 at g2."""
    _, story = told_again(HERE / "generic-closure.story", by_name)
    world = play(story, lambda group: by_name(group, story.groups))
    before = {pair for ids in sequence(world).values() for pair in pairwise(ids)}
    assert {("a1:1", "b1:1"), ("b1:1", "a2:1"), ("a2:1", "a1:1")} <= before
