"""gTPC-C as measured: two or three groups from a list of the three nearest."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.workloads import Draw, GtpccEvaluation

GROUPS = ("a", "b", "c", "d", "e")
NEAREST = {
    "a": ("b", "c", "d"),
    "b": ("a", "c", "d"),
    "c": ("e", "d", "b"),
    "d": ("e", "c", "d"),
    "e": ("d", "c", "b"),
}
DRAWS = 30_000


def shares(workload: GtpccEvaluation, home: str) -> dict[tuple[str, ...], float]:
    random = Random(1)
    counts = Counter(workload.draw(home, random).dst for _ in range(DRAWS))
    return {dst: count / DRAWS for dst, count in counts.items()}


@pytest.mark.parametrize("locality", [0.5, 0.9, 0.99])
def test_the_number_of_groups_and_then_the_groups_follow_the_locality(locality: float) -> None:
    rest = 1 - locality
    wanted = {
        ("c", "e"): locality * locality,
        ("c", "d"): locality * rest,
        ("c", "d", "e"): rest * locality,
        ("b", "c", "d"): rest * rest,
    }
    found = shares(GtpccEvaluation(GROUPS, NEAREST, locality), "c")
    assert set(found) <= set(wanted)
    for dst, share in wanted.items():
        assert found.get(dst, 0) == pytest.approx(share, abs=0.012)


def test_full_locality_means_home_and_the_nearest() -> None:
    assert shares(GtpccEvaluation(GROUPS, NEAREST, 1), "a") == {("a", "b"): 1}


def test_a_list_that_names_its_home_gives_fewer_groups() -> None:
    found = shares(GtpccEvaluation(GROUPS, NEAREST, 0.5), "d")
    wanted = {("d", "e"): 1 / 4, ("c", "d"): 1 / 4 + 1 / 4, ("c", "d", "e"): 1 / 4}
    assert found == pytest.approx(wanted, abs=0.012)


def test_no_locality_means_two_or_more_groups_anywhere() -> None:
    found = shares(GtpccEvaluation(GROUPS, {}, 0), "a")
    by_size = {
        size: sum(share for dst, share in found.items() if len(dst) == size) for size in range(2, 6)
    }
    assert len(found) == 10 + 10 + 5 + 1
    assert by_size == pytest.approx({2: 1 / 4, 3: 1 / 4, 4: 1 / 4, 5: 1 / 4}, abs=0.015)
    without_home = sum(share for dst, share in found.items() if "a" not in dst)
    assert without_home == pytest.approx((3 / 5 + 2 / 5 + 1 / 5) / 4, abs=0.015)


@pytest.mark.parametrize("locality", [0, 0.9])
def test_a_share_of_the_messages_stays_at_home(locality: float) -> None:
    found = shares(GtpccEvaluation(GROUPS, NEAREST, locality, local_share=0.9), "e")
    assert found["e",] == pytest.approx(0.9, abs=0.01)
    assert len(found) > 1


def test_without_payload_a_message_is_one_byte() -> None:
    drawn = GtpccEvaluation(GROUPS, NEAREST, 1).draw("a", Random(1))
    assert drawn == Draw(("a", "b"), 1, "multicast", None)


def test_a_payload_is_a_transaction_that_knows_nothing_of_the_destinations() -> None:
    workload, random = GtpccEvaluation(GROUPS, NEAREST, 0.5, payload=True), Random(1)
    draws = [workload.draw("a", random) for _ in range(DRAWS)]
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
    orders = [drawn for drawn in draws if drawn.kind == "new-order"]
    assert len(orders) / DRAWS == pytest.approx(0.45, abs=0.012)
    three = sum(len(drawn.dst) == 3 for drawn in orders) / len(orders)
    assert three == pytest.approx(0.5, abs=0.015)


@pytest.mark.parametrize("locality", [0, 0.9])
def test_a_home_that_is_no_group_is_refused(locality: float) -> None:
    with pytest.raises(InvalidInput, match="home 'x' is no group: the groups are a, b, c, d, e"):
        GtpccEvaluation(GROUPS, NEAREST, locality).draw("x", Random(1))


def test_fewer_than_three_nearest_groups_are_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        GtpccEvaluation(("a", "b"), {"a": ("b",), "b": ("a",)}, 0.9)
    assert str(refused.value) == (
        "the evaluation's gTPC-C needs three nearest groups, but 'a' has 1: "
        "use four groups or more, or workload gtpcc"
    )


def test_one_group_is_refused_without_locality() -> None:
    with pytest.raises(InvalidInput) as refused:
        GtpccEvaluation(("a",), {}, 0)
    assert str(refused.value) == "gTPC-C needs at least two groups"


def test_shares_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(InvalidInput, match="locality 2 is no probability"):
        GtpccEvaluation(GROUPS, NEAREST, 2)
    with pytest.raises(InvalidInput, match="local share -1 is no probability"):
        GtpccEvaluation(GROUPS, NEAREST, 0.9, local_share=-1)
