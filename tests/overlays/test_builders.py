"""Overlays from latencies, against every overlay there is on small networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amcast.core import InvalidInput
from amcast.overlays import (
    Tree,
    best_start_walk,
    latency_tree,
    nearest_walk,
    star_at_centre,
)
from amcast.overlays.builders import Latency, centre
from amcast.scenarios import aws12

REGIONS, AWS = aws12.REGIONS, aws12.latency_ms()


@st.composite
def latencies(draw: st.DrawFn, symmetric: bool = False) -> dict[str, dict[str, float]]:
    """Up to five groups; few values, so that there are many ties."""
    groups = [f"g{number}" for number in range(draw(st.integers(1, 5)))]
    value = st.integers(0, 6)
    matrix = {a: {b: float(draw(value)) for b in groups if b != a} for a in groups}
    if symmetric:
        for a, b in permutations(groups, 2):
            matrix[a][b] = matrix[b][a]
    return matrix


def length(order: Sequence[str], latency: Latency) -> float:
    return sum(latency[a][b] for a, b in pairwise(order))


def weight(tree: Tree, latency: Latency) -> float:
    pairs = [(tree.parent(group), group) for group in tree.groups]
    return sum(latency[parent][group] for parent, group in pairs if parent is not None)


def all_trees(groups: Sequence[str], root: str) -> list[Tree]:
    others = [group for group in groups if group != root]
    found = []
    for parents in product(groups, repeat=len(others)):
        try:
            found.append(Tree(groups, {root: None, **dict(zip(others, parents, strict=True))}))
        except InvalidInput:
            continue
    return found


@given(latencies(), st.data())
def test_a_walk_is_the_first_of_all_orders(matrix: Latency, data: st.DataObject) -> None:
    """Step by step: the nearest, and of equally near groups the first."""
    groups = [*matrix]
    start = data.draw(st.sampled_from(groups))
    orders = [order for order in permutations(groups) if order[0] == start]
    best = min(orders, key=lambda order: [(matrix[a][b], b) for a, b in pairwise(order)])
    assert nearest_walk(groups, matrix, start).order == best


@given(latencies())
def test_the_best_start_has_the_shortest_walk(matrix: Latency) -> None:
    groups = [*matrix]
    walks = [nearest_walk(groups, matrix, start).order for start in groups]
    shortest = min(length(order, matrix) for order in walks)
    first = next(order for order in walks if length(order, matrix) == shortest)
    assert best_start_walk(groups, matrix).order == first


@given(latencies(symmetric=True), st.data())
def test_no_tree_has_less_latency_on_its_edges(matrix: Latency, data: st.DataObject) -> None:
    groups = [*matrix]
    root = data.draw(st.sampled_from(groups))
    made = latency_tree(groups, matrix, root)
    assert made.root == root
    assert weight(made, matrix) == min(weight(tree, matrix) for tree in all_trees(groups, root))


@given(latencies(), st.data())
def test_a_tree_grows_by_the_nearest_group(matrix: Latency, data: st.DataObject) -> None:
    """Also if latencies differ by direction: each edge was the best one when it was added."""
    groups = [*matrix]
    made = latency_tree(groups, matrix, data.draw(st.sampled_from(groups)))
    inside = [made.root]
    while len(inside) < len(groups):
        edges = {(a, b): matrix[a][b] for a in inside for b in groups if b not in inside}
        least = min(edges.values())
        grown = [b for a, b in edges if edges[a, b] == least and made.parent(b) == a]
        assert grown
        inside.append(min(grown, key=groups.index))


@given(latencies())
def test_no_star_has_less_latency_on_its_edges(matrix: Latency) -> None:
    groups = [*matrix]
    sums = {root: weight(Tree.star(groups, root), matrix) for root in groups}
    first = next(root for root in groups if sums[root] == min(sums.values()))
    assert star_at_centre(groups, matrix).root == first == centre(groups, matrix)
    assert latency_tree(groups, matrix).root == first


@given(st.integers(1, 6))
def test_where_all_are_equally_near_the_configuration_decides(count: int) -> None:
    groups = tuple(f"g{number}" for number in range(count))
    matrix = {a: dict.fromkeys(groups, 1.0) for a in groups}
    others = [group for group in groups if group != groups[-1]]
    assert nearest_walk(groups, matrix, groups[-1]).order == (groups[-1], *others)
    assert best_start_walk(groups, matrix).order == groups
    for tree in (latency_tree(groups, matrix), star_at_centre(groups, matrix)):
        assert {tree.parent(group) for group in groups[1:]} <= {groups[0]}


@pytest.mark.parametrize(
    ("start", "numbers"),
    [
        ("eu-north-1", (8, 7, 6, 5, 2, 3, 1, 11, 10, 9, 12, 4)),
        ("us-west-1", (1, 3, 2, 5, 6, 7, 8, 9, 10, 11, 12, 4)),
    ],
)
def test_the_aws_walks_are_not_the_published_orders(start: str, numbers: list[int]) -> None:
    """The FlexCast paper says that O1 and O2 were made in this way; they were not quite."""
    walk = nearest_walk(REGIONS, AWS, start)
    assert walk.order == tuple(REGIONS[number - 1] for number in numbers)
    published = {aws12.rank(name)[0]: aws12.rank(name) for name in ("O1", "O2")}
    assert walk.order != published[start]


def test_the_centre_and_the_best_start_of_the_aws_regions() -> None:
    assert centre(REGIONS, AWS) == "eu-west-1"
    best = best_start_walk(REGIONS, AWS).order
    assert best[0] == "sa-east-1"
    assert all(length(best, AWS) < length(aws12.rank(name), AWS) for name in ("O1", "O2"))


def test_the_aws_tree_has_less_latency_than_the_published_ones() -> None:
    made = latency_tree(REGIONS, AWS, "eu-west-3")
    for name in ("T1", "T2", "T3"):
        assert weight(made, AWS) < weight(aws12.tree(name), AWS)


BUILDERS: list[Callable[[Sequence[str], Latency], object]] = [
    lambda groups, latency: nearest_walk(groups, latency, "a"),
    best_start_walk,
    latency_tree,
    star_at_centre,
    centre,
]


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize(
    ("latency", "sentence"),
    [
        ({"a": {"b": 1.0}}, "the latency from b to a is missing: give one from every group"),
        ({"a": {}, "b": {"a": 1.0}}, "the latency from a to b is missing"),
        ({"a": {"b": -1.0}, "b": {"a": 1.0}}, "from a to b cannot be -1.0: use a number from 0"),
        ({"a": {"b": 1.0}, "b": {"a": float("nan")}}, "from b to a cannot be nan"),
    ],
)
def test_a_matrix_that_lacks_something_is_refused(
    build: Callable[[Sequence[str], Latency], object], latency: Latency, sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        build(("a", "b"), latency)


@pytest.mark.parametrize("build", [nearest_walk, latency_tree])
def test_a_start_that_is_no_group_is_refused(build: Callable[..., object]) -> None:
    with pytest.raises(InvalidInput, match="cannot start at 'x', which is no group: the groups"):
        build(REGIONS, AWS, "x")


def test_groups_that_are_left_out_do_not_matter() -> None:
    some = REGIONS[:4]
    assert set(nearest_walk(some, AWS, some[2]).order) == set(some)
    assert latency_tree(some, AWS).groups == some
