"""Everything that is no tree is refused, in one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from amcast.core import InvalidInput
from amcast.overlays import Tree, parse_tree

ABC = ("a", "b", "c")
HINT = "write star, star:g2, chain, binary, or parent>child edges such as g1>g2,g1>g3"


def refusal(make: Callable[[], object]) -> str:
    with pytest.raises(InvalidInput) as refused:
        make()
    return str(refused.value)


@pytest.mark.parametrize(
    ("parents", "sentence"),
    [
        (
            {"a": None, "b": "c", "c": "b"},
            "the tree has a cycle: b > c > b; no group may be its own ancestor",
        ),
        (
            {"a": "c", "b": "a", "c": "b"},
            "the tree has a cycle: a > b > c > a; no group may be its own ancestor",
        ),
        (
            {"a": None, "b": "b", "c": "b"},
            "the tree has a cycle: b > b; no group may be its own ancestor",
        ),
        (
            {"a": None, "b": "a", "c": None},
            "a tree has one root, but groups a, c have no parent: "
            "give all but one of them a parent",
        ),
        (
            {"a": None, "b": "a"},
            "group 'c' is missing from the tree: give its parent, or none for the root",
        ),
        (
            {"a": None, "b": "a", "c": "x"},
            "the tree names 'x', which is no group: the groups are a, b, c",
        ),
        (
            {"a": None, "b": "a", "c": "a", "x": "a"},
            "the tree names 'x', which is no group: the groups are a, b, c",
        ),
    ],
)
def test_a_parent_map(parents: dict[str, str | None], sentence: str) -> None:
    assert refusal(lambda: Tree(ABC, parents)) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a>b,b>a,a>c", "the tree has a cycle: a > b > a; no group may be its own ancestor"),
        ("a>b", "group 'c' is missing from the tree: no edge names it"),
        ("a>b,a>x", "the tree names 'x', which is no group: the groups are a, b, c"),
        ("x>b,a>c", "the tree names 'x', which is no group: the groups are a, b, c"),
        ("a>c,b>c", "group 'c' has two parents, a and b: in a tree it has one"),
        ("a>b,a>c,a>b", "edge a>b is given twice: leave one out"),
        ("star:x", "the tree names 'x', which is no group: the groups are a, b, c"),
        ("ring", f"tree 'ring' is not known: {HINT}"),
        ("", f"tree '' is not known: {HINT}"),
        ("chain:a", f"tree 'chain:a' is not known: {HINT}"),
        ("a>b>c", f"tree 'a>b>c' is not known: {HINT}"),
        ("a>b,>c", f"tree '>c' is not known: {HINT}"),
        ("a>b,a>c,", f"tree '' is not known: {HINT}"),
    ],
)
def test_a_command_line(text: str, sentence: str) -> None:
    assert refusal(lambda: parse_tree(text, ABC)) == sentence


def test_two_roots_among_edges() -> None:
    four = (*ABC, "d")
    sentence = refusal(lambda: parse_tree("a>b,c>d", four))
    assert sentence.startswith("a tree has one root, but groups a, c have no parent")


@pytest.mark.parametrize("text", ["star", "star:a", "chain", "binary", "a>b"])
def test_bad_groups_before_any_shape(text: str) -> None:
    assert refusal(lambda: parse_tree(text, ())) == "there are no groups: name at least one"
    assert "named twice" in refusal(lambda: parse_tree(text, ("a", "b", "a")))


@pytest.mark.parametrize(
    "ask",
    [
        lambda tree: tree.parent("x"),
        lambda tree: tree.children("x"),
        lambda tree: tree.route("x", ("a",)),
    ],
)
def test_a_question_about_no_group(ask: Callable[[Tree], object]) -> None:
    sentence = refusal(lambda: ask(Tree.star(ABC)))
    assert sentence == "'x' is no group of the tree: its groups are a, b, c"


@pytest.mark.parametrize(
    "ask",
    [
        lambda tree, dst: tree.lca(dst),
        lambda tree, dst: tree.route("a", dst),
        lambda tree, dst: tree.edges_of(dst),
        lambda tree, dst: tree.height(dst),
    ],
)
def test_destinations_that_are_none(ask: Callable[[Tree, tuple[str, ...]], object]) -> None:
    star = Tree.star(ABC)
    unknown = refusal(lambda: ask(star, ("b", "x")))
    assert unknown == "destination 'x' is no group: the groups are a, b, c"
    assert refusal(lambda: ask(star, ())) == "a message needs at least one destination group"
