"""Published statements about equations. They look at no run, so that no run can refute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from amcast.core import GroupId
from amcast.lab.convoy import (
    Point,
    conflict_probability,
    convoy_ms,
    fit_beta,
    latency_ms,
)
from amcast.lab.model_costs import DELAY_US, PacketCounter
from amcast.lab.model_costs import Cost as Measured
from amcast.lab.model_graphs import Cost, point_to_point
from amcast.lab.published import Formula, formulas
from amcast.lab.published_claims import below
from amcast.overlays import PropagationGraph
from amcast.protocols import protocol_named
from amcast.scenarios import numbered_groups
from amcast.sim import ClientPlan, Simulation, SimulationPlan, uniform_network

# Whether it is so, and the numbers behind it.
Answer = tuple[bool, str]

FORMULAS: Final[dict[tuple[str, str], Callable[[], Answer]]] = {}

DELAY_MS: Final = 100
TERMS: Final = 200
MILLIONTH: Final = 1e-6
# Sets of sites whose graph has two levels, and a site that only passes on.
FAMILY: Final = (("g1", "g2"), ("g1", "g4"), ("g2", "g3"), ("g2", "g4"), ("g1", "g2", "g4"))


@dataclass(frozen=True)
class Checked:
    """A formula, and what came out."""

    formula: Formula
    holds: bool
    shown: str


def check_formulas(experiment: str) -> list[Checked]:
    """Those of an experiment."""
    return [
        Checked(each, *FORMULAS[each.experiment, each.id]())
        for each in formulas()
        if each.experiment == experiment
    ]


def formula(experiment: str, id: str) -> Callable[[Callable[[], Answer]], Callable[[], Answer]]:
    """Enter a check under its name in published.toml."""

    def enter(check: Callable[[], Answer]) -> Callable[[], Answer]:
        FORMULAS[experiment, id] = check
        return check

    return enter


@formula("convoy-model", "conflict-five-sixths")
def _five_sixths() -> Answer:
    found = conflict_probability(4, 2)
    return abs(found - 5 / 6) < MILLIONTH, f"{found:.6f}"


@formula("convoy-model", "fit-finds-beta")
def _finds_beta() -> Answer:
    per_minute = (5000, 10000, 20000, 40000, 80000)
    points = [Point(rate, latency_ms(rate, 10, DELAY_MS, 5 / 6)) for rate in per_minute]
    found = fit_beta(points, DELAY_MS, 5 / 6).beta
    return abs(found - 10) < 1e-3, f"{found:.4f}, made with 10"


@formula("convoy-model", "latency-rises-to-a-limit")
def _limit() -> Answer:
    per_minute = (100, 1000, 10_000, 100_000, 1_000_000)
    found = {f"{rate:,}/min": latency_ms(rate, 1, DELAY_MS, 5 / 6) for rate in per_minute}
    rising, shown = below(found, "ms")
    return bool(rising) and max(found.values()) < 2 * DELAY_MS * (1 + 5 / 6), shown


@formula("convoy-model", "series-is-closed-form")
def _closed_form() -> Answer:
    conflict = conflict_probability(4, 2)
    errors = [
        abs(convoy_ms(x, DELAY_MS, conflict) - 2 * DELAY_MS * conflict * _closed(x))
        for x in (0.1, 0.5, 1, 2, 5, 10, 20)
    ]
    return max(errors) < MILLIONTH, f"largest difference {max(errors):.1e} ms"


def _closed(arrivals: float) -> float:
    """1 - e^-x (1 + Ei(x) - ln x - gamma): the first of the three is a series with the others."""
    term, series = 1.0, 0.0
    for count in range(1, TERMS):
        term *= arrivals / count
        series += term / count
    return 1 - exp(-arrivals) * (1 + series)


@formula("propagation-graphs", "messages-as-simulated")
def _messages() -> Answer:
    found = [(_propagated(dst).messages, _by_formula(dst).messages) for dst in FAMILY]
    return all(one == other for one, other in found), _pairs(found)


@formula("propagation-graphs", "delays-as-simulated")
def _delays() -> Answer:
    found = [(_propagated(dst).delays, _by_formula(dst).latencies) for dst in FAMILY]
    return all(one == other for one, other in found), _pairs(found)


def _pairs(found: Sequence[tuple[float, float]]) -> str:
    return "simulated and formula: " + ", ".join(f"{one:g} and {other:g}" for one, other in found)


def _by_formula(dst: tuple[GroupId, ...]) -> Cost:
    route = PropagationGraph.generate(numbered_groups(4), FAMILY).route_of(dst)
    return point_to_point(len(dst), route.depth, len(route.extra))["propagation"]


def _propagated(dst: tuple[GroupId, ...]) -> Measured:
    """One message alone, from a client that is nowhere near."""
    names = numbered_groups(4)
    plan = SimulationPlan(
        groups=names,
        network=uniform_network(DELAY_US, (*names, "client")),
        placement={group: group for group in names},
        clients=[ClientPlan(dst[0], "client")],
        draw=lambda near, random: (dst, 80, "one", None),
        messages=1,
    )
    graph = PropagationGraph.generate(names, FAMILY)
    counter = PacketCounter()
    factory = protocol_named("propagation").factory(names, graph)
    Simulation(plan, factory, recorder=counter).run()
    return Measured(counter.messages, counter.last_us / DELAY_US)
