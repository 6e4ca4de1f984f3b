"""The convoy equations, against values worked out by other means."""

from __future__ import annotations

from math import comb, e, exp, log
from statistics import fmean

import pytest

from amcast.lab.convoy import (
    Point,
    arrivals_in_window,
    blocked_share,
    conflict_probability,
    convoy_ms,
    coordinator_ms,
    decentralised_ms,
    fit_beta,
    latency_ms,
    lock_convoy,
    uniform_share,
)
from amcast.scenarios import Parameters, Run

EULER = 0.5772156649015329


def exponential_integral(x: float) -> float:
    """Ei by its power series."""
    total, power = EULER + log(x), 1.0
    for k in range(1, 200):
        power *= x / k
        total += power / k
    return total


def closed_form(x: float) -> float:
    return 1 - exp(-x) * (1 + exponential_integral(x) - log(x) - EULER)


@pytest.mark.parametrize(
    ("processes", "held", "thinking", "wait"),
    [(10, 2, 6, 12), (10, 1, 5, 4), (5, 3, 3, 9), (4, 2, 2, 4), (10, 2, 30, 0)],
)
def test_equation_1_is_the_wait_for_a_lock(
    processes: int, held: float, thinking: float, wait: float
) -> None:
    assert lock_convoy(processes, held, thinking) == wait


@pytest.mark.parametrize("arrivals", [0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 50])
def test_equation_2_equals_its_closed_form(arrivals: float) -> None:
    assert blocked_share(arrivals) == pytest.approx(closed_form(arrivals), abs=1e-9)


@pytest.mark.parametrize(
    ("arrivals", "share", "uniform", "latency"),
    [
        (0.1, 0.002366, 0.048374, 200.394),
        (0.5, 0.047655, 0.213061, 207.943),
        (1, 0.147291, 0.367879, 224.549),
        (2, 0.366107, 0.567668, 261.018),
        (5, 0.737229, 0.801348, 322.872),
        (10, 0.886938, 0.900005, 347.823),
        (20, 0.947202, 0.950000, 357.867),
        (50, 0.979583, 0.980000, 363.264),
        (100, 0.989898, 0.990000, 364.983),
    ],
)
def test_the_values_of_the_model(
    arrivals: float, share: float, uniform: float, latency: float
) -> None:
    assert blocked_share(arrivals) == pytest.approx(share, abs=1e-6)
    assert uniform_share(arrivals) == pytest.approx(uniform, abs=1e-6)
    assert decentralised_ms(arrivals, 100, 5 / 6) == pytest.approx(latency, abs=1e-3)
    assert coordinator_ms(arrivals, 100, 5 / 6) == pytest.approx(latency + 100, abs=1e-3)


def test_the_share_is_small_at_first_and_one_in_the_end() -> None:
    assert blocked_share(0) == uniform_share(0) == 0
    assert blocked_share(1e-4) == pytest.approx(1e-8 / 4, rel=1e-3)
    assert blocked_share(1e6) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("groups", "destinations", "expected"),
    [
        (4, 2, 5 / 6),
        (4, 1, 1 / 4),
        (8, 2, 13 / 28),
        (10, 2, 17 / 45),
        (10, 3, 17 / 24),
        (16, 4, 0.728022),
        (20, 2, 0.194737),
        (50, 5, 0.423361),
        (100, 2, 0.039798),
        (100, 10, 0.669524),
        (5, 3, 1),
    ],
)
def test_equation_3_is_the_chance_of_a_common_destination(
    groups: int, destinations: int, expected: float
) -> None:
    found = conflict_probability(groups, destinations)
    assert found == pytest.approx(expected, abs=1e-6)
    pairs = comb(groups, destinations) ** 2
    apart = comb(groups, destinations) * comb(groups - destinations, destinations)
    assert found == pytest.approx(1 - apart / pairs, abs=1e-12)


def test_equation_5_counts_messages_in_a_window_of_two_delays() -> None:
    # 300 a minute are 5 a second, so one in 200 ms.
    assert arrivals_in_window(300, 100, 1) == pytest.approx(1)
    assert arrivals_in_window(300, 100, 4) == pytest.approx(1 / 4)


def test_what_commutes_does_not_wait() -> None:
    whole = convoy_ms(5, 100, 5 / 6)
    assert convoy_ms(5, 100, 5 / 6, commuting=1) == 0
    assert convoy_ms(5, 100, 5 / 6, commuting=0.25) == pytest.approx(0.75 * whole)


def test_the_fit_finds_the_batch_that_made_the_data() -> None:
    rates = (5000, 10000, 20000, 40000, 80000)
    points = [Point(rate, latency_ms(rate, 10, 100, 5 / 6)) for rate in rates]
    expected = [249.36, 297.36, 336.00, 353.04, 360.16]
    assert [point.latency_ms for point in points] == pytest.approx(expected, abs=0.005)
    fit = fit_beta(points, 100, 5 / 6)
    assert fit.beta == pytest.approx(10, abs=1e-3)
    assert fit.deviation_ms == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("beta", [0.3, 1, e, 28.4, 700])
def test_the_fit_works_at_any_scale(beta: float) -> None:
    points = [Point(rate, latency_ms(rate, beta, 20, 0.4)) for rate in (3e3, 3e4, 3e5, 3e6)]
    assert fit_beta(points, 20, 0.4).beta == pytest.approx(beta, rel=1e-4)


def test_the_printed_equation_5_makes_the_batch_half_as_large_again() -> None:
    points = [Point(rate, latency_ms(rate, 10, 100, 5 / 6)) for rate in (5000, 20000, 80000)]
    # As printed, with rates in messages a minute and delays in milliseconds: rate / (2 d beta).
    printed = [Point(point.rate * 1.5, point.latency_ms) for point in points]
    assert fit_beta(printed, 100, 5 / 6).beta == pytest.approx(15, abs=1e-3)


def test_noise_shows_as_a_deviation() -> None:
    points = [
        Point(rate, latency_ms(rate, 10, 100, 5 / 6) + noise)
        for rate, noise in ((5000, 4), (10000, -4), (20000, 4), (40000, -4))
    ]
    fit = fit_beta(points, 100, 5 / 6)
    assert 3 < fit.deviation_ms < 4.1
    with pytest.raises(ValueError, match="nothing to fit"):
        fit_beta([], 100, 5 / 6)


@pytest.mark.parametrize("rate", [5, 20, 50])
def test_the_model_is_no_lower_bound(rate: int) -> None:
    """Simulated messages wait, but less than the equations say."""
    parameters = Parameters(
        protocol="skeen", groups=4, rate=rate, clients=6, messages=1000, sizes=(2,)
    )
    delay_ms = 10
    replies = Run(parameters).simulate().latencies.by_rank
    # Without the way back of the reply.
    waited = [each.mean / 1000 - delay_ms for each in replies.values()]
    model = latency_ms(rate * 6 * 60, 1, delay_ms, conflict_probability(4, 2))
    assert 2 * delay_ms < fmean(waited) < model
