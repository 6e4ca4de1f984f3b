"""lca, route, edges_of and height against their definitions, on random trees."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amcast.overlays import Tree, tree

Parents = dict[str, str | None]

SEVEN = tuple(f"g{number}" for number in range(1, 8))


@st.composite
def parent_maps(draw: st.DrawFn) -> Parents:
    """Any tree of up to nine groups; the order of the groups says nothing about their depth."""
    groups = [f"g{number}" for number in range(draw(st.integers(1, 9)))]
    downwards = draw(st.permutations(groups))
    parents: Parents = {downwards[0]: None}
    for position, group in enumerate(downwards[1:], start=1):
        parents[group] = downwards[draw(st.integers(0, position - 1))]
    return {group: parents[group] for group in groups}


@st.composite
def questions(draw: st.DrawFn) -> tuple[Parents, tuple[str, ...]]:
    parents = draw(parent_maps())
    chosen = draw(st.lists(st.sampled_from([*parents]), min_size=1, unique=True))
    return parents, tuple(chosen)


def upwards(parents: Parents, group: str | None) -> list[str]:
    """The group, its parent, and so on to the root."""
    path = []
    while group is not None:
        path.append(group)
        group = parents[group]
    return path


def lowest_common(parents: Parents, dst: tuple[str, ...]) -> str:
    common = [g for g in parents if all(g in upwards(parents, target) for target in dst)]
    return max(common, key=lambda group: len(upwards(parents, group)))


def downwards_paths(parents: Parents, dst: tuple[str, ...]) -> list[list[str]]:
    """From the lowest common ancestor to each destination."""
    top = lowest_common(parents, dst)
    paths = [upwards(parents, target) for target in dst]
    return [path[: path.index(top) + 1][::-1] for path in paths]


@given(parent_maps())
def test_parents_and_children_are_those_of_the_map(parents: Parents) -> None:
    made = Tree([*parents], parents)
    assert {group: made.parent(group) for group in made.groups} == parents
    for group in made.groups:
        below = tuple(child for child, parent in parents.items() if parent == group)
        assert made.children(group) == below
    assert made.parent(made.root) is None


@given(parent_maps())
def test_edges_say_the_same_as_parents(parents: Parents) -> None:
    edges = [(parent, child) for child, parent in parents.items() if parent is not None]
    made = Tree.from_edges([*parents], edges[::-1])
    assert {group: made.parent(group) for group in made.groups} == parents


@given(questions())
def test_the_lca_is_the_deepest_group_above_all_destinations(
    question: tuple[Parents, tuple[str, ...]],
) -> None:
    parents, dst = question
    assert Tree([*parents], parents).lca(dst) == lowest_common(parents, dst)


@given(questions())
def test_a_group_forwards_to_the_children_that_lead_to_a_destination(
    question: tuple[Parents, tuple[str, ...]],
) -> None:
    parents, dst = question
    made = Tree([*parents], parents)
    leading = {group for target in dst for group in upwards(parents, target)}
    for group in parents:
        wanted = tuple(c for c, parent in parents.items() if parent == group and c in leading)
        assert made.route(group, dst) == wanted


@given(questions())
def test_edges_and_height_are_those_of_the_paths_from_the_lca(
    question: tuple[Parents, tuple[str, ...]],
) -> None:
    parents, dst = question
    made = Tree([*parents], parents)
    paths = downwards_paths(parents, dst)
    edges = {edge for path in paths for edge in pairwise(path)}
    assert made.edges_of(dst) == len(edges)
    assert made.height(dst) == max(len(path) for path in paths)


@given(questions())
def test_a_second_answer_equals_the_first(question: tuple[Parents, tuple[str, ...]]) -> None:
    parents, dst = question
    made = Tree([*parents], parents)
    first = made.lca(dst), made.route(made.root, dst)
    assert (made.lca(dst), made.route(made.root, dst)) == first


def test_answers_stay_right_and_few_when_the_cache_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "CACHED_ANSWERS_MAX", 2)
    made = Tree.binary(SEVEN)
    pairs = [("g4", "g5"), ("g4", "g6"), ("g6", "g7"), ("g2", "g4")]
    routes = [("g2",), ("g2", "g3"), ("g3",), ("g2",)]
    for _ in range(2):
        assert [made.lca(pair) for pair in pairs] == ["g2", "g1", "g3", "g2"]
        assert [made.route("g1", pair) for pair in pairs] == routes
    assert max(len(made._lcas), len(made._routes)) <= 2


@pytest.mark.parametrize(
    ("dst", "lca", "edges", "height"),
    [
        (("g4",), "g4", 0, 1),
        (("g2", "g3"), "g1", 2, 2),
        (("g4", "g5"), "g2", 2, 2),
        (("g5", "g6"), "g1", 4, 3),
        (SEVEN, "g1", 6, 3),
    ],
)
def test_the_binary_tree_of_seven(dst: tuple[str, ...], lca: str, edges: int, height: int) -> None:
    made = Tree.binary(SEVEN)
    assert (made.lca(dst), made.edges_of(dst), made.height(dst)) == (lca, edges, height)


def test_the_order_of_the_destinations_does_not_matter() -> None:
    made = Tree.binary(SEVEN)
    assert made.lca(("g5", "g4")) == made.lca(("g4", "g5")) == "g2"
    assert made.route("g2", ("g5", "g4")) == ("g4", "g5")


def test_a_chain_of_thousands_is_no_problem() -> None:
    groups = tuple(f"g{number}" for number in range(3000))
    made = Tree.chain(groups)
    assert made.lca(("g2999", "g1")) == "g1"
    assert made.height(("g0", "g2999")) == 3000
