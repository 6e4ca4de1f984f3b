"""A message goes round its destinations, one at a time; both ways to deliver, and the bypass."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from amcast.check import violations
from amcast.core import GroupId, InvalidInput, MessageId
from amcast.protocols.registry import GENUINE_MULTICAST
from amcast.protocols.ring import Ring
from amcast.sim import ClientPlan, Network, Simulation, SimulationPlan
from amcast.sim.recorder import HistoryRecorder
from amcast.sim.story import play
from tests.mutants import ring as mutants
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

GROUPS = ("g1", "g2", "g3")
STORIES = sorted(Path(__file__).parent.glob("*.story"))
VARIANTS: dict[str, Make] = {
    "ack": Ring,
    "hop": partial(Ring, deliver_on="hop"),
    "ack, bypass": partial(Ring, local_bypass=True),
    "hop, bypass": partial(Ring, deliver_on="hop", local_bypass=True),
}
each_variant = pytest.mark.parametrize("variant", VARIANTS)


@pytest.mark.parametrize("dst", destination_sets(), ids="-".join)
@each_variant
def test_delays_and_messages(variant: str, dst: tuple[GroupId, ...]) -> None:
    k = len(dst)
    for home in (None, *dst):
        messages, delays = cost(VARIANTS[variant], dst, home)
        away = home != dst[0]
        assert messages == away + 2 * (k - 1)
        hops = {group: away + place for place, group in enumerate(dst)}
        if variant.startswith("hop"):
            assert delays == hops
        else:
            assert delays == {group: away + (k if group != dst[-1] else k - 1) for group in dst}


@each_variant
def test_random_schedules(variant: str) -> None:
    assert failures(VARIANTS[variant], GENUINE_MULTICAST) == []


@pytest.mark.parametrize("inside", [False, True])
@each_variant
def test_every_interleaving(variant: str, inside: bool) -> None:
    pair = ("g1,g2", "g1,g2")
    triangle = ("g1,g2", "g2,g3", "g1,g3", "g1,g2,g3", "g2")
    for sets in (pair, triangle):
        found = explore(VARIANTS[variant], GENUINE_MULTICAST, sets, inside=inside)
        assert found.complete
        assert found.violations == ()


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_stories(path: Path) -> None:
    make = VARIANTS["hop, bypass" if "bypass" in path.stem else "ack"]
    told, story = told_again(path, make)
    assert path.read_text() == told
    world = play(story, lambda group: make(group, story.groups))
    assert violations(world.history, GENUINE_MULTICAST) == []


class LocalDelays(HistoryRecorder):
    """How long messages to one group take."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[MessageId, int] = {}
        self.delays: list[float] = []

    def multicast(self, msg, sender, dst, at_us, size, home, keys):  # type: ignore[no-untyped-def]
        if len(dst) == 1:
            self.sent[msg] = at_us

    def delivery(self, process, group, seq, msg, at_us):  # type: ignore[no-untyped-def]
        if msg in self.sent:
            self.delays.append((at_us - self.sent[msg]) / DELAY_US)


def local_delays(make: Make) -> list[float]:
    def draw(near: GroupId, random: Random) -> tuple[tuple[GroupId, ...], int, str, None]:
        return ((near,) if random.random() < 0.5 else GROUPS), 80, "multicast", None

    plan = SimulationPlan(
        groups=GROUPS,
        network=Network({a: {b: 0 if a == b else DELAY_US for b in GROUPS} for a in GROUPS}),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(group, group, inside=True) for group in GROUPS],
        draw=draw,
        messages=300,
    )
    delays = LocalDelays()
    Simulation(plan, lambda group: make(group, GROUPS), recorder=delays).run()
    return delays.delays


def test_the_bypass_spares_local_messages_the_convoy() -> None:
    for variant in ("ack", "hop"):
        assert max(local_delays(VARIANTS[variant])) > 1
        assert set(local_delays(VARIANTS[f"{variant}, bypass"])) == {0.0}


def test_without_blocking_the_order_is_lost() -> None:
    for mutant in (mutants.RingHopsAtOnce, mutants.RingDeliversAndGoesOn):
        assert len(failures(mutant, GENUINE_MULTICAST, SEEDS[:20])) > 5


def test_other_ways_to_deliver_are_refused() -> None:
    with pytest.raises(InvalidInput, match="use hop or ack"):
        Ring("g1", GROUPS, deliver_on="never")  # type: ignore[arg-type]
