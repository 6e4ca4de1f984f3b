"""The propagation graph against the examples of its paper and against the paper's own words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amcast.core import InvalidInput
from amcast.overlays import PropagationGraph, parse_propagation
from amcast.overlays.propagation import partitions

SITES = "abcdefghj"
FIGURE_3 = ("cd", "abc", "bcde", "def", "ef", "bg", "ch", "dj")
PAPERS_RANK = "dce"
ALPHA_9 = "ad"


def shape(graph: PropagationGraph) -> dict[str, str]:
    """Every group that has children -> them."""
    below = {group: "".join(graph.children(group)) for group in graph.groups}
    return {group: children for group, children in below.items() if children}


def primaries(graph: PropagationGraph) -> dict[str, str]:
    return {"".join(dst): graph.primary(dst) for dst in graph.sets or ()}


def extras(graph: PropagationGraph) -> dict[str, str]:
    found = {"".join(dst): "".join(graph.extra(dst)) for dst in graph.sets or ()}
    return {dst: extra for dst, extra in found.items() if extra}


class TestFigure3:
    def test_the_paper_breaks_ties_for_d_c_and_e(self) -> None:
        graph = PropagationGraph.generate(SITES, FIGURE_3, PAPERS_RANK)
        assert graph.roots == ("d",)
        assert shape(graph) == {"d": "cej", "c": "abh", "e": "f", "b": "g"}
        assert primaries(graph) == {
            "cd": "d", "bcde": "d", "def": "d", "dj": "d",
            "abc": "c", "ch": "c", "ef": "e", "bg": "b",
        }  # fmt: skip
        assert extras(graph) == {}

    def test_ties_in_the_order_of_the_configuration_give_another_graph(self) -> None:
        graph = PropagationGraph.generate(SITES, FIGURE_3)
        assert graph.roots == ("c",)
        assert shape(graph) == {"c": "abdh", "b": "g", "d": "ej", "e": "f"}
        assert primaries(graph) == {
            "cd": "c", "abc": "c", "bcde": "c", "ch": "c",
            "def": "d", "dj": "d", "ef": "e", "bg": "b",
        }  # fmt: skip
        assert extras(graph) == {}

    def test_ties_in_the_reverse_order_give_a_third_one(self) -> None:
        graph = PropagationGraph.generate(SITES, FIGURE_3, SITES[::-1])
        assert graph.roots == ("d",)
        assert shape(graph) == {"d": "cfj", "f": "e", "c": "abh", "b": "g"}

    def test_two_parts_are_left_below_the_root(self) -> None:
        rest = [tuple(dst) for dst in FIGURE_3 if "d" not in dst]
        parts = [["".join(dst) for dst in part] for part in partitions(rest)]
        assert parts == [["abc", "bg", "ch"], ["ef"]]

    def test_a_ninth_set_keeps_the_papers_tree_and_makes_c_extra(self) -> None:
        before = PropagationGraph.generate(SITES, FIGURE_3, PAPERS_RANK)
        graph = PropagationGraph.generate(SITES, (*FIGURE_3, ALPHA_9), PAPERS_RANK)
        assert graph.parents == before.parents
        assert extras(graph) == {"ad": "c"}

    def test_with_other_ties_the_ninth_set_costs_two_extra_groups(self) -> None:
        graph = PropagationGraph.generate(SITES, (*FIGURE_3, ALPHA_9))
        assert shape(graph) == {"d": "bej", "b": "acg", "c": "h", "e": "f"}
        assert extras(graph) == {"cd": "b", "ad": "b"}

    def test_messages_go_only_where_they_have_a_destination(self) -> None:
        graph = PropagationGraph.generate(SITES, FIGURE_3, PAPERS_RANK)
        dst = tuple("bcde")
        assert graph.route("d", dst) == ("c", "e")
        assert graph.route("c", dst) == ("b",)
        assert graph.route("b", dst) == graph.route("e", dst) == ()
        assert graph.depth(dst) == 2
        assert dict(graph.route_of(("b", "g")).children) == {"b": ("g",), "g": ()}


@pytest.mark.parametrize(
    ("groups", "sets", "expected", "expected_primaries"),
    [
        ("abcdef", ("abcd", "cdef"), {"c": "abdef"}, "cc"),
        ("abcdefgh", ("abcde", "bfgh", "ab"), {"b": "acdefgh"}, "bbb"),
        ("abcde", ("abcde", "cde", "ab"), {"a": "bc", "c": "de"}, "aca"),
        ("abde", ("abde", "de", "ab"), {"a": "bd", "d": "e"}, "ada"),
    ],
    ids=["figure 2", "figure 5", "figure 6", "figure 7"],
)
def test_the_other_figures(
    groups: str, sets: tuple[str, ...], expected: dict[str, str], expected_primaries: str
) -> None:
    graph = PropagationGraph.generate(groups, sets)
    assert shape(graph) == expected
    assert primaries(graph) == dict(zip(sets, expected_primaries, strict=True))
    assert extras(graph) == {}


def test_a_graph_may_be_made_by_hand_to_spread_load() -> None:
    """As in Figure 5(b): deeper, without extra groups, and less work for b."""
    sets = ("abcde", "bfgh", "ab")
    parents = dict.fromkeys("cde", "a") | dict.fromkeys("afgh", "b") | {"b": None}
    graph = PropagationGraph("abcdefgh", parents, sets)
    assert extras(graph) == {}
    assert [graph.depth(tuple(dst)) for dst in sets] == [2, 1, 1]
    assert len(graph.children("b")) < 7


def test_sets_that_share_nothing_get_trees_of_their_own() -> None:
    graph = PropagationGraph.generate("abcdef", ("ab", "de", "bc"))
    assert graph.roots == ("b", "d", "f")
    assert shape(graph) == {"b": "ac", "d": "e"}


def all_sets(groups: str) -> list[tuple[str, ...]]:
    return list(chain(*(combinations(groups, size) for size in range(1, len(groups) + 1))))


@pytest.mark.parametrize("groups", ["a", "ab", "abc", "abcdef"])
def test_all_possible_sets_make_a_chain(groups: str) -> None:
    generated = PropagationGraph.generate(groups, all_sets(groups))
    any_set = PropagationGraph.for_any_set(groups)
    assert generated.parents == any_set.parents
    for dst in all_sets(groups):
        assert generated.route_of(dst) == any_set.route_of(dst)


def test_a_deep_graph_needs_no_recursion() -> None:
    groups = [f"g{number}" for number in range(1100)]
    pairs = list(pairwise(groups))
    graph = PropagationGraph.generate(groups, pairs)
    assert graph.depth((groups[0], groups[1])) == 1
    assert sum(parent is None for parent in graph.parents.values()) == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("a+x", "destination 'x' is no group"),
            ("a+b,", "destination '' is no group"),
            ("a+b:z", "the rank names 'z'"),
        ],
    )
    def test_unknown_groups(self, text: str, reason: str) -> None:
        with pytest.raises(InvalidInput, match=reason):
            parse_propagation(text, "abc")

    def test_a_set_that_was_not_registered(self) -> None:
        graph = PropagationGraph.generate("abc", ("ab",))
        assert graph.serves(("a", "b"))
        assert not graph.serves(("a", "c"))
        with pytest.raises(InvalidInput, match="a, c were not registered"):
            graph.primary(("a", "c"))

    def test_destinations_in_two_trees(self) -> None:
        with pytest.raises(InvalidInput, match="a, c are not in one tree"):
            PropagationGraph("abc", {"b": "a"}, ("ac",))
        graph = PropagationGraph("abc", {"b": "a"})
        assert graph.serves(("a", "b"))
        assert not graph.serves(("a", "c"))
        with pytest.raises(InvalidInput, match="not in one tree"):
            graph.primary(("a", "c"))

    def test_parents_that_are_no_forest(self) -> None:
        with pytest.raises(InvalidInput, match="cycle in or above group 'a'"):
            PropagationGraph("abc", {"a": "b", "b": "a"})
        with pytest.raises(InvalidInput, match="names 'x'"):
            PropagationGraph("abc", {"a": "x"})


def test_a_command_line_names_the_sets_and_the_rank() -> None:
    text = ",".join("+".join(dst) for dst in FIGURE_3)
    assert shape(parse_propagation(text, SITES))["c"] == "abdh"
    assert shape(parse_propagation(f"{text}:d,c,e", SITES))["d"] == "cej"


# The paper's pseudo-code, word for word but for `s in g`, which it writes as `s in G`.


def literal_forest(sites: str, groups: list[str], rank: str) -> dict[str, str | None]:
    parents: dict[str, str | None] = dict.fromkeys(sites)
    unmarked_groups, unmarked_sites = set(groups), set(sites)

    def frequent(candidates: Iterable[str], among: Iterable[str]) -> str:
        counts = {site: sum(site in group for group in among) for site in candidates}
        return max(counts, key=lambda site: (counts[site], -rank.index(site)))

    def new_subtree(subroot: str) -> None:
        unmarked_sites.discard(subroot)
        intersecters = {
            s for s in unmarked_sites if any(s in g and subroot in g for g in unmarked_groups)
        }
        unmarked_groups.difference_update([g for g in unmarked_groups if subroot in g])
        found = {g for g in unmarked_groups if intersecters & set(g)}
        while True:
            inside = set("".join(found))
            larger = found | {g for g in unmarked_groups if inside & set(g)}
            if larger == found:
                break
            found = larger
        for site in intersecters - set("".join(found)):
            parents[site] = subroot
            unmarked_sites.discard(site)
        for part in literal_parts(found):
            child = frequent(intersecters & set("".join(part)), part)
            parents[child] = subroot
            new_subtree(child)

    while unmarked_groups:
        new_subtree(frequent(unmarked_sites, unmarked_groups))
    return parents


def literal_parts(groups: Iterable[str]) -> list[set[str]]:
    parts: list[set[str]] = []
    for group in groups:
        near = [part for part in parts if any(set(group) & set(other) for other in part)]
        parts = [part for part in parts if part not in near] + [{group}.union(*near)]
    return parts


@st.composite
def families(draw: st.DrawFn) -> tuple[str, list[str], str]:
    sites = "abcdefghij"[: draw(st.integers(1, 10))]
    member = st.sampled_from(sites)
    some = st.lists(member, min_size=1, max_size=5, unique=True).map(sorted).map("".join)
    return (
        sites,
        draw(st.lists(some, max_size=10, unique=True)),
        "".join(draw(st.permutations(sites))),
    )


@given(families())
def test_the_generator_is_the_papers(family: tuple[str, list[str], str]) -> None:
    sites, sets, rank = family
    assert PropagationGraph.generate(sites, sets, rank).parents == literal_forest(*family)


@given(families())
def test_the_graph_has_the_papers_properties(family: tuple[str, list[str], str]) -> None:
    graph = PropagationGraph.generate(*family)

    def upwards(group: str | None) -> list[str]:
        return [] if group is None else [group, *upwards(graph.parents[group])]

    for dst in graph.sets or ():
        primary = graph.primary(dst)
        assert primary in dst
        assert all(primary in upwards(member) for member in dst)
        depths = {member: upwards(member).index(primary) for member in dst}
        assert [member for member in dst if depths[member] == 0] == [primary]
        assert graph.depth(dst) == max(depths.values())
        handled = {g for member in dst for g in upwards(member)[: depths[member] + 1]}
        assert {*graph.route_of(dst).children} == handled
        assert {*graph.extra(dst)} == handled - {*dst}
        for group, children in graph.route_of(dst).children.items():
            assert set(children) == {g for g in handled if graph.parents[g] == group}
