"""Costs and random graphs of the 1988 paper."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean

import pytest

from amcast.core import InvalidInput
from amcast.lab.confidence import T_95, interval, t_95
from amcast.lab.model_graphs import broadcast, describe, family_row, point_to_point, random_family


def test_table_1_in_messages_and_delay() -> None:
    costs = point_to_point(5, depth=2, extra=1)
    assert {name: cost.messages for name, cost in costs.items()} == {
        "two-phase": 15,
        "centralised": 5,
        "propagation": 6,
    }
    latency, processing = 100.0, 1.0
    assert {name: cost.delay(latency, processing) for name, cost in costs.items()} == {
        "two-phase": 3 * 100 + 11,
        "centralised": 2 * 100 + 5,
        "propagation": 3 * 100 + 6,
    }


def test_table_2_in_messages_and_delay() -> None:
    costs = broadcast(5, depth=2)
    assert [(cost.messages, cost.delay(10.0)) for cost in costs.values()] == [
        (7, 70.0),
        (2, 20.0),
        (3, 30.0),
    ]


def test_a_graph_in_numbers() -> None:
    # a is in all groups: it is the root, and b and c hang below it.
    family = describe(("a", "b", "c"), [("a", "b"), ("a", "c"), ("a", "b")], seed=0)
    assert (family.depth_total, family.extra_total, family.trees) == (3, 0, 1)
    # Each of three messages comes to a and leaves it once.
    assert family.load_propagation == 6
    assert family.load_two_phase == 3 * 3
    assert family.load_centralised == 2 + 2 + 2


def test_a_site_on_the_way_counts_as_extra() -> None:
    # c and d are below b, which is below a; the last group goes from a through b to d.
    groups = [("a", "b"), ("a", "b"), ("a", "d"), ("b", "c"), ("b", "d"), ("b", "c")]
    family = describe(("a", "b", "c", "d"), groups, seed=0)
    assert family.depth_total + family.extra_total > len(groups)


def test_the_same_seed_draws_the_same_family() -> None:
    assert family_row(50, 5, 10, 3) == family_row(50, 5, 10, 3)
    rows = [family_row(50, 5, 10, seed) for seed in range(8)]
    assert len({(row["depth_total"], row["load_propagation"]) for row in rows}) > 1
    assert all(row["groups"] == 10 and row["group_size"] == 5 for row in rows)


def test_depth_and_extra_sites_rise_and_then_fall_with_the_number_of_sites() -> None:
    sites = (20, 80, 1000)
    families = {count: [random_family(count, 5, 40, seed) for seed in range(20)] for count in sites}
    for total in ("depth_total", "extra_total"):
        few, some, many = (mean(getattr(f, total) for f in families[count]) for count in sites)
        assert few < some > many
    loads = [mean(f.load_propagation for f in families[count]) for count in sites]
    assert all(later < earlier for earlier, later in pairwise(loads))


@pytest.mark.parametrize(("sites", "size", "groups"), [(4, 5, 1), (4, 0, 1), (4, 2, 0)])
def test_impossible_families_are_refused(sites: int, size: int, groups: int) -> None:
    with pytest.raises(InvalidInput, match="not possible"):
        random_family(sites, size, groups, 1)


def test_an_interval_is_the_mean_with_its_bounds() -> None:
    assert interval([5.0]) == (5.0, None, None)
    found = interval([1.0, 2.0, 3.0])
    assert found.mean == 2
    assert found.low is not None
    assert found.high == pytest.approx(2 + 4.30265 / 3**0.5)
    assert found.low == pytest.approx(2 - 4.30265 / 3**0.5)
    with pytest.raises(ValueError, match="no values"):
        interval([])


def test_the_quantiles_of_t_fall_to_the_normal_one() -> None:
    assert [t_95(freedom) for freedom in range(1, 31)] == list(T_95)
    assert t_95(31) == pytest.approx(2.03951, abs=1e-4)
    assert t_95(100) == pytest.approx(1.98397, abs=1e-4)
    assert t_95(10**9) == pytest.approx(1.959964, abs=1e-6)
