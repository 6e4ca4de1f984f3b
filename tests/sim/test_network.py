"""Modelled networks: how long packets take, how they queue, and what is refused."""

from __future__ import annotations

from random import Random
from statistics import fmean, pstdev

import pytest

from amcast.core import InvalidInput
from amcast.sim import Network, uniform_network
from amcast.sim.network import Link, Uplink

BASE_US = 100_000
BASE = {"a": {"a": 0, "b": BASE_US}, "b": {"a": 30_000, "b": 0}}
DRAWS = 20_000


def link(network: Network, *, seed: int = 1, uplink: Uplink | None = None) -> Link:
    return network.link("a", "b", Random(seed), uplink)


def delays(network: Network, count: int = DRAWS) -> list[int]:
    arrive = link(network)
    return [arrive(now, 0) - now for now in range(0, 1000 * count, 1000)]


def test_without_jitter_every_packet_takes_the_base_delay() -> None:
    assert set(delays(Network(BASE), 100)) == {BASE_US}
    back = Network(BASE).link("b", "a", Random(1), None)
    assert back(7, 1_000_000) == 30_007


def test_normal_delays_have_the_base_as_mean_and_the_jitter_as_deviation() -> None:
    found = delays(Network(BASE, jitter=0.05))
    assert fmean(found) == pytest.approx(BASE_US, rel=0.002)
    assert pstdev(found) == pytest.approx(0.05 * BASE_US, rel=0.03)


def test_uniform_delays_fill_the_interval() -> None:
    found = delays(Network(BASE, jitter=0.1, distribution="uniform"))
    assert 90_000 <= min(found) < 90_100
    assert 109_900 < max(found) <= 110_000
    assert fmean(found) == pytest.approx(BASE_US, rel=0.002)


def test_exponential_delays_only_add() -> None:
    found = delays(Network(BASE, jitter=0.2, distribution="exponential"))
    assert min(found) >= BASE_US
    assert fmean(found) == pytest.approx(1.2 * BASE_US, rel=0.01)
    assert pstdev(found) == pytest.approx(0.2 * BASE_US, rel=0.05)


@pytest.mark.parametrize("distribution", ["normal", "uniform", "exponential"])
def test_no_packet_arrives_before_it_was_sent(distribution: str) -> None:
    network = Network(BASE, jitter=3.0, distribution=distribution)  # type: ignore[arg-type]
    assert min(delays(network)) >= 0


def test_jitter_does_not_touch_a_delay_of_zero() -> None:
    inside = Network(BASE, jitter=0.5).link("a", "a", Random(1), None)
    assert [inside(now, 80) for now in range(5)] == [0, 1, 2, 3, 4]


def test_one_seed_gives_one_sequence_of_delays() -> None:
    network = Network(BASE, jitter=0.05)
    first, again, other = (link(network, seed=seed) for seed in (1, 1, 2))
    sent = range(0, 50_000, 1000)
    assert [first(now, 0) for now in sent] == [again(now, 0) for now in sent]
    assert [first(now, 0) for now in sent] != [other(now, 0) for now in sent]


def test_only_a_fifo_network_keeps_packets_in_order() -> None:
    sent = range(0, 100_000, 100)
    arrive = link(Network(BASE, jitter=0.05))
    loose = [arrive(now, 0) for now in sent]
    arrive = link(Network(BASE, jitter=0.05, fifo=True))
    strict = [arrive(now, 0) for now in sent]
    assert loose != sorted(loose)
    assert strict == sorted(strict)
    assert all(late >= early for late, early in zip(strict, loose, strict=True))


def test_packets_leave_one_after_the_other() -> None:
    arrive = link(Network(BASE), uplink=Uplink(bandwidth_bytes_s=1000))
    # 100 bytes take 100 ms: the second waits for the first, the third finds the line free.
    assert arrive(0, 100) == 100_000 + BASE_US
    assert arrive(0, 50) == 150_000 + BASE_US
    assert arrive(1_000_000, 100) == 1_100_000 + BASE_US
    assert arrive(1_050_000, 100) == 1_200_000 + BASE_US


def test_all_links_of_a_sender_share_its_line() -> None:
    network, line = Network(BASE), Uplink(bandwidth_bytes_s=1000)
    to_a, to_b = (network.link("a", site, Random(1), line) for site in ("a", "b"))
    assert to_a(0, 100) == 100_000
    assert to_b(0, 100) == 200_000 + BASE_US
    assert to_a(0, 100) == 300_000


def test_parts_of_a_microsecond_are_not_lost() -> None:
    line = Uplink(bandwidth_bytes_s=3_000_000)
    for _ in range(30_000):
        free = line.leave(0, 1)
    assert free == 10_000


def test_a_scaled_network_keeps_all_but_its_delays() -> None:
    network = Network(BASE, jitter=0.05, bandwidth_bytes_s=1000, cpu_us_per_message=3)
    half = network.scaled(0.5)
    assert half.base_us == {"a": {"a": 0, "b": 50_000}, "b": {"a": 15_000, "b": 0}}
    assert (half.jitter, half.bandwidth_bytes_s, half.cpu_us_per_message) == (0.05, 1000, 3)
    assert network.base_us == BASE
    assert network.scaled(0).base_us["a"]["b"] == 0


def test_a_uniform_network_is_the_same_everywhere() -> None:
    network = uniform_network(10, ("x", "y", "z"))
    assert network.sites == ("x", "y", "z")
    assert network.base_us["x"] == {"x": 0, "y": 10, "z": 10}


@pytest.mark.parametrize("factor", [-1.0, float("nan"), float("inf")])
def test_impossible_scales_are_refused(factor: float) -> None:
    with pytest.raises(InvalidInput, match="latency scale"):
        Network(BASE).scaled(factor)


@pytest.mark.parametrize(
    "wrong",
    [
        {"jitter": -0.1},
        {"jitter": float("nan")},
        {"jitter": float("inf")},
        {"cpu_us_per_message": -1.0},
        {"cpu_us_per_message": float("inf")},
        {"cpu_us_per_kb": float("nan")},
        {"bandwidth_bytes_s": 0},
        {"bandwidth_bytes_s": -5},
    ],
    ids=str,
)
def test_impossible_networks_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        Network(BASE, **wrong)  # type: ignore[arg-type]


def test_negative_delays_are_refused() -> None:
    with pytest.raises(InvalidInput, match="from a to b is negative"):
        Network({"a": {"b": -1}})
    with pytest.raises(InvalidInput, match="negative"):
        uniform_network(-1, ("x",))
