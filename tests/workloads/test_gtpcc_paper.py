"""gTPC-C as described: global, at most three warehouses, the near ones most of the time."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.workloads import Draw, GtpccPaper

GROUPS = ("a", "b", "c", "d")
NEAREST = {
    "a": ("b", "c", "d"),
    "b": ("a", "c", "d"),
    "c": ("d", "b", "a"),
    "d": ("c", "b", "a"),
}
DRAWS = 30_000


def drawn(locality: float, *, home: str = "a", global_only: bool = True) -> list[Draw]:
    workload = GtpccPaper(GROUPS, NEAREST, locality, global_only=global_only)
    random = Random(1)
    return [workload.draw(home, random) for _ in range(DRAWS)]


def shares(draws: list[Draw]) -> dict[tuple[str, ...], float]:
    counts = Counter(found.dst for found in draws)
    return {dst: count / len(draws) for dst, count in counts.items()}


def expected_orders(locality: float) -> dict[tuple[str, ...], float]:
    """Destinations of a global new order of home a, summed over every outcome.

    Orders with more than four remote items (one in 90,000) are left out.
    """
    near = {"b": locality, "c": (1 - locality) * locality, "d": (1 - locality) ** 2}
    weights: dict[tuple[str, ...], float] = {}
    for items, remote in product(range(5, 16), range(1, 5)):
        happens = comb(items, remote) * 0.02**remote * 0.98 ** (items - remote)
        for chosen in product(near, repeat=remote):
            weight = happens
            for group in chosen:
                weight *= near[group]
            dst = tuple(sorted({"a", *chosen}))
            if len(dst) <= 3:
                weights[dst] = weights.get(dst, 0) + weight
    total = sum(weights.values())
    return {dst: weight / total for dst, weight in weights.items()}


@pytest.mark.parametrize("locality", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("home", GROUPS)
def test_two_or_three_warehouses_with_the_home(locality: float, home: str) -> None:
    workload, random = GtpccPaper(GROUPS, NEAREST, locality), Random(1)
    for _ in range(2000):
        found = workload.draw(home, random)
        assert home in found.dst
        assert 2 <= len(found.dst) <= 3
        assert found.kind in ("new-order", "payment")
        assert list(found.dst) == sorted(found.dst)


@pytest.mark.parametrize("locality", [0.5, 0.9])
def test_payments_choose_by_nearness(locality: float) -> None:
    payments = [found for found in drawn(locality) if found.kind == "payment"]
    wanted = {
        ("a", "b"): locality,
        ("a", "c"): (1 - locality) * locality,
        ("a", "d"): (1 - locality) ** 2,
    }
    assert shares(payments) == pytest.approx(wanted, abs=0.015)
    assert {found.size_bytes for found in payments} == {17}


@pytest.mark.parametrize("locality", [0.5, 0.9])
def test_every_remote_item_of_an_order_chooses_by_nearness(locality: float) -> None:
    orders = [found for found in drawn(locality) if found.kind == "new-order"]
    wanted = expected_orders(locality)
    found = shares(orders)
    for dst, share in wanted.items():
        assert found.get(dst, 0) == pytest.approx(share, abs=0.015)
    assert len(orders) / DRAWS == pytest.approx(45 / 88, abs=0.015)


def test_full_locality_means_the_nearest_and_none_means_the_farthest() -> None:
    assert set(shares(drawn(1.0, home="c"))) == {("c", "d")}
    assert set(shares(drawn(0.0, home="c"))) == {("a", "c")}


def test_the_whole_mix_has_local_transactions() -> None:
    draws = drawn(0.9, global_only=False)
    orders = sum(1 - 0.98**items for items in range(5, 16)) / 11
    expected = 0.45 * orders + 0.43 * 0.15
    remote = sum(len(found.dst) > 1 for found in draws) / DRAWS
    assert remote == pytest.approx(expected, abs=0.01)
    assert len({found.kind for found in draws}) == 5


def test_a_home_in_its_own_list_is_no_remote_warehouse() -> None:
    workload = GtpccPaper(("a", "b"), {"a": ("a", "b"), "b": ("a",)}, 1.0)
    assert workload.draw("a", Random(1)).dst == ("a", "b")


@pytest.mark.parametrize(
    ("nearest", "sentence"),
    [
        ({"a": ("b",)}, "group 'b' has no list of nearest groups: gTPC-C needs one"),
        ({"a": ("b",), "b": ()}, "group 'b' has no list of nearest groups: gTPC-C needs one"),
        (
            {"a": ("b",), "b": ("x",)},
            "the nearest groups of 'b' name 'x', which is no group: the groups are a, b",
        ),
        (
            {"a": ("b",), "b": ("b",)},
            "gTPC-C needs a remote warehouse, but group 'b' has no other group "
            "in its list of nearest ones",
        ),
    ],
)
def test_lists_that_are_refused(nearest: dict[str, tuple[str, ...]], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        GtpccPaper(("a", "b"), nearest, 0.9)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("locality", [-0.1, 1.1, 90, float("nan")])
def test_a_locality_that_is_no_probability_is_refused(locality: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        GtpccPaper(GROUPS, NEAREST, locality)
    sentence = f"locality {locality} is no probability: use a value from 0 to 1"
    assert str(refused.value) == sentence


def test_a_home_that_is_no_group_is_refused() -> None:
    with pytest.raises(InvalidInput, match="home 'x' is no group: the groups are a, b, c, d"):
        GtpccPaper(GROUPS, NEAREST, 0.9).draw("x", Random(1))
