"""Uniform sets: every size as likely, and every set of a size as likely."""

from __future__ import annotations

from collections import Counter
from math import comb
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.workloads import UniformSets, uniform

FOUR = ("g1", "g2", "g3", "g4")
DRAWS = 20_000


def test_sizes_and_then_sets_are_equally_likely() -> None:
    workload = UniformSets(FOUR, sizes=(1, 2))
    random = Random(1)
    counts = Counter(workload.draw("g1", random).dst for _ in range(DRAWS))
    assert len(counts) == 4 + 6
    for dst, count in counts.items():
        assert count / DRAWS == pytest.approx(1 / 2 / comb(4, len(dst)), abs=0.01)


def test_a_size_given_twice_is_twice_as_likely() -> None:
    workload = UniformSets(FOUR, sizes=(1, 1, 4))
    random = Random(1)
    local = sum(len(workload.draw("g1", random).dst) == 1 for _ in range(DRAWS))
    assert local / DRAWS == pytest.approx(2 / 3, abs=0.015)


def test_the_home_has_no_influence() -> None:
    workload = UniformSets(FOUR)
    there, here = Random(7), Random(7)
    assert [workload.draw("g1", there) for _ in range(50)] == [
        workload.draw("g4", here) for _ in range(50)
    ]


def test_sets_that_are_not_listed_in_advance_are_uniform_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uniform, "LISTED_SETS_MAX", 3)
    workload = UniformSets(FOUR, sizes=(2,))
    random = Random(1)
    counts = Counter(workload.draw("g1", random).dst for _ in range(DRAWS))
    assert len(counts) == 6
    for dst, count in counts.items():
        assert dst == tuple(sorted(dst))
        assert count / DRAWS == pytest.approx(1 / 6, abs=0.015)


def test_many_groups_need_no_list() -> None:
    groups = tuple(f"g{number}" for number in range(1000))
    dst = UniformSets(groups, sizes=(500,)).draw("g1", Random(1)).dst
    assert len(set(dst)) == 500
    assert list(dst) == sorted(dst, key=groups.index)


def test_the_rest_of_a_draw() -> None:
    draw = UniformSets(FOUR, size_bytes=5).draw("g1", Random(1))
    assert (draw.size_bytes, draw.kind, draw.keys) == (5, "multicast", None)
    assert UniformSets(FOUR).draw("g1", Random(1)).size_bytes == 80


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ((), "a uniform workload needs at least one number of destinations"),
        ((1, 0), "a message to 0 groups is not possible: use 1 or more"),
        ((5,), "a message to 5 groups is not possible: there are only 4"),
    ],
)
def test_sizes_that_are_refused(sizes: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        UniformSets(FOUR, sizes=sizes)
    assert str(refused.value) == sentence


def test_a_negative_payload_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        UniformSets(FOUR, size_bytes=-1)
    assert str(refused.value) == "a payload of -1 bytes is not possible: use 0 or more"
