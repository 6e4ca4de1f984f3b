"""What the 2009 study says about waiting: rounds that overlap, and local messages in a convoy."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from statistics import mean

import pytest

from amcast.core import GroupId, MessageId
from amcast.protocols import protocol_named
from amcast.sim import ClientPlan, HistoryRecorder, Simulation, SimulationPlan, uniform_network

GROUPS = ("g1", "g2", "g3", "g4")
DELAY_US = 10_000
PERIOD_US = 500


class OwnGroup(HistoryRecorder):
    """Latencies at the sender's own group, in delays: of messages to it alone, and of others."""

    packets = "off"

    def __init__(self) -> None:
        super().__init__()
        self.local: list[float] = []
        self.several: list[float] = []
        self._sent: dict[MessageId, tuple[int, bool, GroupId | None]] = {}

    def multicast(self, msg, sender, dst, at_us, size, home, keys):  # type: ignore[no-untyped-def]
        self._sent[msg] = (at_us, len(dst) == 1, home)

    def delivery(self, process, group, seq, msg, at_us):  # type: ignore[no-untyped-def]
        sent_us, local, home = self._sent[msg]
        if group == home:
            (self.local if local else self.several).append((at_us - sent_us) / DELAY_US)


def latencies(
    protocol: str,
    *,
    options: Mapping[str, str] | None = None,
    rate_s: float,
    period_us: int,
) -> tuple[float, float]:
    """Mean latency of local messages and of those to two groups, half of each."""

    def draw(near: GroupId, random: Random) -> tuple[tuple[GroupId, ...], int, str, None]:
        if random.random() < 0.5:
            return (near,), 80, "multicast", None
        other = random.choice([group for group in GROUPS if group != near])
        return tuple(sorted((near, other))), 80, "multicast", None

    plan = SimulationPlan(
        groups=GROUPS,
        network=uniform_network(DELAY_US, GROUPS),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(group, group, inside=True, rate_s=rate_s) for group in GROUPS],
        draw=draw,
        duration_us=3_000_000,
        log_period_us=period_us,
    )
    recorder = OwnGroup()
    factory = protocol_named(protocol).factory(GROUPS, options=options)
    assert Simulation(plan, factory, recorder=recorder).run().drained
    return mean(recorder.local), mean(recorder.several)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eta", "kappa"), [(1, 0), (1, 1), (20, 20), (10, 20), (5, 20), (1, 20), (40, 40)]
)
def test_rounds_that_overlap_take_what_the_formula_says(eta: int, kappa: int) -> None:
    """With instance period c: half of c, half of what a bundle waits, then kappa or the delay."""
    options = {"eta": str(eta), "kappa": str(kappa)}
    local, several = latencies("ang", options=options, rate_s=200, period_us=PERIOD_US)
    c = PERIOD_US / DELAY_US
    if kappa * c >= 1:
        assert local == pytest.approx(c / 2, abs=0.01)
        wanted = c / 2 + c * (eta - 1) / 2 + kappa * c
    else:
        # The log waits for the bundles, so that local messages wait for a whole round.
        assert local == pytest.approx(0.5, abs=0.06)
        wanted = local + 1
    assert several == pytest.approx(wanted, abs=0.06)


@pytest.mark.slow
def test_bundles_in_the_log_never_delay_local_messages() -> None:
    local, _ = latencies("ang", options={"bundles": "logged"}, rate_s=200, period_us=PERIOD_US)
    assert local == pytest.approx(PERIOD_US / DELAY_US / 2, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("eta", "kappa"), [(20, 60), (40, 60), (1, 80)])
def test_paced_rounds_of_adt_take_what_the_formula_says(eta: int, kappa: int) -> None:
    options = {"eta": str(eta), "kappa": str(kappa)}
    local, several = latencies("adt", options=options, rate_s=200, period_us=PERIOD_US)
    c = PERIOD_US / DELAY_US
    assert kappa * c >= 3
    assert local == pytest.approx(c / 2, abs=0.01)
    assert several == pytest.approx(c / 2 + c * (eta - 1) / 2 + kappa * c, abs=0.06)


@pytest.mark.slow
def test_rounds_of_adt_that_overlap_are_faster_than_those_that_do_not() -> None:
    _, paced = latencies("adt", options={"eta": "1"}, rate_s=200, period_us=PERIOD_US)
    _, one_by_one = latencies("adt", rate_s=200, period_us=PERIOD_US)
    assert 2 < paced < 3 < one_by_one


@pytest.mark.slow
def test_local_messages_wait_in_a_convoy_unless_they_bypass_timestamps() -> None:
    """16 messages a delay, half of them global: A_ge's local ones wait longer than a delay."""
    age_local, age_several = latencies("age", rate_s=400, period_us=0)
    star_local, star_several = latencies("age-star", rate_s=400, period_us=0)
    assert age_local > 1
    assert star_local == 0
    assert star_several == pytest.approx(age_several, rel=0.1)
