"""TPC-C: the mix, the sizes, and about one global transaction in nine."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.workloads import Draw, TpccMix, draw

GROUPS = tuple(f"g{number}" for number in range(1, 6))
DRAWS = 40_000


@pytest.fixture(scope="module")
def draws() -> list[Draw]:
    workload, random = TpccMix(GROUPS), Random(1)
    return [workload.draw("g2", random) for _ in range(DRAWS)]


def global_share_of_orders() -> float:
    """An order of 5 to 15 items is global unless each item, at 99 %, is at home."""
    return sum(1 - 0.99**items for items in range(5, 16)) / 11


def test_the_mix(draws: list[Draw]) -> None:
    counts = Counter(drawn.kind for drawn in draws)
    wanted = {
        "new-order": 0.45,
        "payment": 0.43,
        "order-status": 0.04,
        "delivery": 0.04,
        "stock-level": 0.04,
    }
    assert {kind: count / DRAWS for kind, count in counts.items()} == pytest.approx(
        wanted, abs=0.01
    )


def test_about_one_transaction_in_nine_is_global(draws: list[Draw]) -> None:
    expected = 0.45 * global_share_of_orders() + 0.43 * 0.15
    assert expected == pytest.approx(1 / 9, abs=0.005)
    found = sum(len(drawn.dst) > 1 for drawn in draws) / DRAWS
    assert found == pytest.approx(expected, abs=0.006)


def test_the_global_share_of_each_kind(draws: list[Draw]) -> None:
    counts = Counter(drawn.kind for drawn in draws)
    remote = Counter(drawn.kind for drawn in draws if len(drawn.dst) > 1)
    shares = {kind: count / counts[kind] for kind, count in remote.items()}
    wanted = {"new-order": global_share_of_orders(), "payment": 0.15}
    assert shares == pytest.approx(wanted, abs=0.012)


def test_the_home_is_always_a_destination_and_the_others_are_uniform(draws: list[Draw]) -> None:
    assert all("g2" in drawn.dst for drawn in draws)
    assert all(list(drawn.dst) == sorted(drawn.dst) for drawn in draws)
    pairs = Counter(drawn.dst for drawn in draws if len(drawn.dst) == 2)
    assert len(pairs) == 4
    for count in pairs.values():
        assert count / pairs.total() == pytest.approx(1 / 4, abs=0.03)


def test_payload_sizes(draws: list[Draw]) -> None:
    sizes: dict[str, set[int]] = {}
    for drawn in draws:
        sizes.setdefault(drawn.kind, set()).add(drawn.size_bytes)
    assert sizes == {
        "new-order": {13 + 8 * items for items in range(5, 16)},
        "payment": {17},
        "order-status": {9},
        "delivery": {13},
        "stock-level": {13},
    }


def test_orders_of_every_length_are_equally_likely(draws: list[Draw]) -> None:
    counts = Counter(drawn.size_bytes for drawn in draws if drawn.kind == "new-order")
    for count in counts.values():
        assert count / counts.total() == pytest.approx(1 / 11, abs=0.01)


def test_a_single_warehouse_has_no_remote_ones() -> None:
    workload, random = TpccMix(("g1",)), Random(1)
    assert {workload.draw("g1", random).dst for _ in range(2000)} == {("g1",)}


def test_destinations_stay_right_when_the_table_of_sets_is_full(
    monkeypatch: pytest.MonkeyPatch, draws: list[Draw]
) -> None:
    monkeypatch.setattr(draw, "INTERNED_SETS_MAX", 2)
    workload, random = TpccMix(GROUPS), Random(1)
    assert [workload.draw("g2", random) for _ in range(5000)] == draws[:5000]
    table = draw.SetTable(GROUPS)
    assert [table[mask] for mask in (1, 6, 24)] == [("g1",), ("g2", "g3"), ("g4", "g5")]
    assert len(table) <= 2


def test_a_home_that_is_no_group_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        TpccMix(("a", "b")).draw("x", Random(1))
    assert str(refused.value) == "home 'x' is no group: the groups are a, b"
