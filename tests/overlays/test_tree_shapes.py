"""The named shapes, as code and as a command line writes them."""

from __future__ import annotations

import pytest

from amcast.overlays import Tree, parse_tree

SEVEN = tuple(f"g{number}" for number in range(1, 8))


def parents_of(tree: Tree) -> dict[str, str | None]:
    return {group: tree.parent(group) for group in tree.groups}


def test_a_star_has_the_first_group_in_its_centre() -> None:
    star = Tree.star(("a", "b", "c"))
    assert star.root == "a"
    assert parents_of(star) == {"a": None, "b": "a", "c": "a"}
    assert star.children("a") == ("b", "c")
    assert star.children("b") == ()


def test_a_star_can_have_any_group_in_its_centre() -> None:
    star = Tree.star(("a", "b", "c"), root="b")
    assert star.root == "b"
    assert star.children("b") == ("a", "c")


def test_a_chain_goes_through_the_groups_in_their_order() -> None:
    chain = Tree.chain(("c", "a", "b"))
    assert parents_of(chain) == {"c": None, "a": "c", "b": "a"}


def test_a_binary_tree_is_in_heap_order() -> None:
    binary = Tree.binary(SEVEN)
    assert binary.root == "g1"
    assert binary.children("g1") == ("g2", "g3")
    assert binary.children("g2") == ("g4", "g5")
    assert binary.children("g3") == ("g6", "g7")
    assert all(binary.children(leaf) == () for leaf in SEVEN[3:])


@pytest.mark.parametrize("text", ["star", "star:g1", "chain", "binary"])
def test_one_group_is_a_tree_of_any_shape(text: str) -> None:
    tree = parse_tree(text, ("g1",))
    assert tree.root == "g1"
    assert tree.lca(("g1",)) == "g1"
    assert tree.edges_of(("g1",)) == 0


def test_one_group_needs_no_edges() -> None:
    assert Tree.from_edges(("g1",), []).root == "g1"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("star", Tree.star(SEVEN)),
        ("star:g3", Tree.star(SEVEN, root="g3")),
        ("chain", Tree.chain(SEVEN)),
        ("binary", Tree.binary(SEVEN)),
        ("g3>g7, g1>g2,g1 > g3,g2>g4,g2>g5,g3>g6", Tree.binary(SEVEN)),
    ],
)
def test_a_command_line_names_each_shape(text: str, same: Tree) -> None:
    tree = parse_tree(text, SEVEN)
    assert tree.root == same.root
    assert parents_of(tree) == parents_of(same)
