"""Fixed sets, and the published lists of them, against lists written out or defined again."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.overlays import Tree
from amcast.workloads import FixedSets, thesis_sets

SEVEN = tuple(f"g{number}" for number in range(1, 8))
ALL = [found for size in range(1, 8) for found in combinations(SEVEN, size)]

WRITTEN_OUT = {
    "d1": "1 2 3 4 5 6 7",
    "d2": "1 2 3 4 5 6 7 12 13 23 24 25 36 37 45 67 123 245 367",
    "d3prime": "14 15 16 17 26 27 34 35 46 47 56 57",
    "m1": "2 4 5",
    "m2": "24 25 45",
    "m3": "245",
    "m4": "1245",
    "m5": "12345 12346 12347 12356 12357 12367 12456 12457 12467 12567 "
    "13456 13457 13467 13567 14567",
    "m6": "123456 123457 123467 123567 124567 134567",
    "m7": "1234567",
}


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_every_list_is_the_published_one(name: str) -> None:
    wanted = [tuple(f"g{digit}" for digit in word) for word in WRITTEN_OUT[name].split()]
    assert list(thesis_sets(name, SEVEN)) == wanted


def test_d3_is_every_set() -> None:
    assert len(thesis_sets("d3", SEVEN)) == 127
    assert list(thesis_sets("d3", SEVEN)) == ALL


@pytest.mark.parametrize(("name", "height"), [("d1", 1), ("d2", 2), ("d3", 3)])
def test_d_sets_are_those_of_at_most_that_height_in_the_binary_tree(name: str, height: int) -> None:
    tree = Tree.binary(SEVEN)
    assert list(thesis_sets(name, SEVEN)) == [dst for dst in ALL if tree.height(dst) <= height]


def test_d3prime_is_the_pairs_of_height_three() -> None:
    tree = Tree.binary(SEVEN)
    pairs = [pair for pair in combinations(SEVEN, 2) if tree.height(pair) == 3]
    assert list(thesis_sets("d3prime", SEVEN)) == pairs


def test_any_seven_groups_will_do() -> None:
    assert thesis_sets("m3", tuple("abcdefg")) == (("b", "d", "e"),)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        thesis_sets("m8", SEVEN)
    assert str(refused.value) == (
        "no destination sets 'm8': there is d1, d2, d3, d3prime, m1, m2, m3, m4, m5, m6, m7"
    )


def test_another_number_of_groups_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        thesis_sets("d1", SEVEN[:3])
    assert str(refused.value) == (
        "workload d1 is made for exactly 7 groups, not for 3: use --groups 7"
    )


def test_fixed_sets_are_equally_likely_and_in_configuration_order() -> None:
    workload, random = FixedSets(SEVEN, [("g2", "g1"), ("g3",), ("g7", "g7")]), Random(1)
    counts = Counter(workload.draw("g1", random).dst for _ in range(12_000))
    assert set(counts) == {("g1", "g2"), ("g3",), ("g7",)}
    for count in counts.values():
        assert count / 12_000 == pytest.approx(1 / 3, abs=0.02)


def test_the_rest_of_a_draw() -> None:
    draw = FixedSets(SEVEN, [("g1",)], size_bytes=9).draw("g1", Random(1))
    assert (draw.size_bytes, draw.kind, draw.keys) == (9, "multicast", None)


def test_fixed_sets_that_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^a workload of fixed sets needs at least one set$"):
        FixedSets(SEVEN, [])
    with pytest.raises(InvalidInput, match=r"^destination 'x' is no group"):
        FixedSets(SEVEN, [("x",)])
    with pytest.raises(InvalidInput, match=r"^a message needs at least one destination group$"):
        FixedSets(SEVEN, [()])
    with pytest.raises(InvalidInput, match=r"^a payload of -1 bytes is not possible"):
        FixedSets(SEVEN, [("g1",)], size_bytes=-1)
