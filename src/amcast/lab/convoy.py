"""How long messages wait for others that are not ordered yet: the equations of the convoy effect.

From Ahmed-Nacer, Sutra and Conan, "The convoy effect in atomic multicast" (2016), corrected where
the printed form contradicts itself (docs/errors.md). Times are in milliseconds, rates in messages a
minute, as in the paper. The equations are a model, neither a lower nor an upper bound of what
a protocol does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, exp, lgamma, log, sqrt
from typing import NamedTuple

MS_PER_MINUTE = 60_000
# Of a Poisson distribution, all but a share of 1e-30 lies so many deviations around its mean.
DEVIATIONS = 12
FIT_LEAST, FIT_MOST, FIT_GRID, FIT_STEPS = 1e-3, 1e6, 400, 120
GOLDEN = (sqrt(5) - 1) / 2


class Point(NamedTuple):
    """One measured load: messages a minute, and the mean latency in milliseconds."""

    rate: float
    latency_ms: float


class Fit(NamedTuple):
    """The batch size that fits best, and the standard deviation of what it leaves over."""

    beta: float
    deviation_ms: float


def lock_convoy(processes: int, held: float, thinking: float) -> float:
    """Equation 1: the wait for a lock that is held so long by processes that think in between."""
    waiting = processes - 1 - min(processes - 1, thinking / held)
    return held * waiting


def conflict_probability(groups: int, destinations: int) -> float:
    """Equation 3: whether two messages to random destinations share one."""
    return 1 - comb(groups - destinations, destinations) / comb(groups, destinations)


def blocked_share(arrivals: float) -> float:
    """f of equation 2: the expected (k - 1) / k for k messages that arrive in the window.

    It equals 1 - e^-x (1 + Ei(x) - ln x - gamma); the paper prints log n for ln x.
    """
    if arrivals <= 0:
        return 0.0
    spread = DEVIATIONS * (sqrt(arrivals) + 3)
    first = max(1, int(arrivals - spread))
    total = 0.0
    for count in range(first, int(arrivals + spread) + 2):
        chance = exp(count * log(arrivals) - arrivals - lgamma(count + 1))
        total += chance * (count - 1) / count
    return total


def uniform_share(arrivals: float) -> float:
    """The other reading: where the last of k uniform arrivals stands, k / (k + 1) on average."""
    return 0.0 if arrivals <= 0 else 1 - (1 - exp(-arrivals)) / arrivals


def arrivals_in_window(rate: float, delay_ms: float, beta: float) -> float:
    """Equation 5: messages that arrive while one is being ordered, in batches of `beta`.

    The paper divides by the window instead of multiplying by it.
    """
    return 2 * delay_ms * rate / MS_PER_MINUTE / beta


def convoy_ms(arrivals: float, delay_ms: float, conflict: float, commuting: float = 0.0) -> float:
    """Equation 2: the time that a message waits, if a share of all pairs commutes.

    The paper multiplies by the share that commutes; what commutes does not wait.
    """
    return (1 - commuting) * 2 * delay_ms * conflict * blocked_share(arrivals)


def coordinator_ms(arrivals: float, delay_ms: float, conflict: float) -> float:
    """Equation 4: latency with a coordinator."""
    return 3 * delay_ms + convoy_ms(arrivals, delay_ms, conflict)


def decentralised_ms(arrivals: float, delay_ms: float, conflict: float) -> float:
    """Equation 6: latency without one."""
    return 2 * delay_ms + convoy_ms(arrivals, delay_ms, conflict)


def latency_ms(rate: float, beta: float, delay_ms: float, conflict: float) -> float:
    """Equations 5 and 6 together."""
    return decentralised_ms(arrivals_in_window(rate, delay_ms, beta), delay_ms, conflict)


def fit_beta(points: Sequence[Point], delay_ms: float, conflict: float) -> Fit:
    """The batch size by least squares. Leave out the points beyond saturation before."""
    if not points:
        raise ValueError("there is nothing to fit")

    def squares(logarithm: float) -> float:
        beta = exp(logarithm)
        return sum(
            (latency_ms(point.rate, beta, delay_ms, conflict) - point.latency_ms) ** 2
            for point in points
        )

    best = _lowest(squares, log(FIT_LEAST), log(FIT_MOST))
    return Fit(exp(best), sqrt(squares(best) / len(points)))


def _lowest(function: Callable[[float], float], least: float, most: float) -> float:
    """Where the function is lowest: the best of a grid, then golden sections around it."""
    step = (most - least) / FIT_GRID
    best = min((least + step * number for number in range(FIT_GRID + 1)), key=function)
    left, right = best - step, best + step
    for _ in range(FIT_STEPS):
        inner = right - GOLDEN * (right - left)
        outer = left + GOLDEN * (right - left)
        if function(inner) <= function(outer):
            right = outer
        else:
            left = inner
    return (left + right) / 2
