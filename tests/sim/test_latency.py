"""Latencies are counted in little memory and come out almost exact."""

from __future__ import annotations

from random import Random

import pytest

from amcast.sim import Histogram, Latencies


def histogram(values: list[int]) -> Histogram:
    found = Histogram()
    for value in values:
        found.add(value)
    return found


def test_small_values_are_exact() -> None:
    found = histogram(list(range(1, 101)))
    assert [found.percentile(share) for share in (0.01, 0.5, 0.9, 0.99, 1.0)] == [
        1,
        50,
        90,
        99,
        100,
    ]
    assert found.mean == 50.5
    assert found.total == 100


def test_large_values_are_wrong_by_less_than_one_percent() -> None:
    random = Random(1)
    values = sorted(int(random.lognormvariate(11, 1)) for _ in range(5000))
    found = histogram(values)
    for share in (0.1, 0.5, 0.9, 0.95, 0.99, 1.0):
        exact = values[max(0, -int(-share * len(values) // 1) - 1)]
        assert exact * 0.99 < found.percentile(share) <= exact
    assert found.mean == pytest.approx(sum(values) / len(values), rel=0.01)


def test_memory_does_not_grow_with_the_number_of_values() -> None:
    found = histogram([value * 97 for value in range(100_000)])
    assert found.total == 100_000
    assert len(found._counts) < 2500


def test_an_empty_histogram_has_no_percentiles() -> None:
    assert Histogram().mean == 0
    with pytest.raises(ValueError, match="no values"):
        Histogram().percentile(0.5)


def test_replies_are_counted_by_the_rank_of_the_destination() -> None:
    latencies = Latencies(None)
    latencies.note(1, 0, 20, False)
    latencies.note(0, 0, 30, True)
    latencies.note(0, 100, 105, True)
    assert {rank: found.total for rank, found in latencies.by_rank.items()} == {0: 2, 1: 1}
    assert latencies.by_rank[1].percentile(1.0) == 20
    assert (latencies.all.total, latencies.all.percentile(1.0)) == (2, 30)
    assert latencies.completed == 2


def test_the_first_and_last_tenth_of_a_duration_are_left_out() -> None:
    latencies = Latencies(1000)
    for sent in (0, 99, 100, 899, 900, 999):
        latencies.note(0, sent, sent + sent // 100, True)
    assert latencies.completed == 6
    assert (latencies.all.total, latencies.all.percentile(0.5)) == (2, 1)
    assert latencies.by_rank[0].percentile(1.0) == 8
