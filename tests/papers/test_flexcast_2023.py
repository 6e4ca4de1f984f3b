"""Batista, Coelho, Alchieri, Dotti and Pedone, "FlexCast" (2023): appendix and figures."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from typing import Any

import pytest

from amcast.check import violations
from amcast.core import GroupId, MessageId
from amcast.protocols.flexcast import FlexCast
from tests.papers.watched_world import WatchedWorld, random_world

GROUPS = ("g1", "g2", "g3", "g4")

CLAIMS = (
    "definition 1", "lemma 1", "lemma 2", "lemma 3", "lemma 4", "proposition 1",
    "proposition 2", "proposition 3", "proposition 4", "proposition 5",
    "figure 3a", "figure 3b", "figure 3c",
)  # fmt: skip
STORIES = "tests/protocols/flexcast/test_flexcast_stories.py::test_figure_ends_as_in_the_paper"
ELSEWHERE = {
    "definition 1": "tests/check/test_check_definitions.py::test_small_histories",
    "figure 3a": STORIES,
    "figure 3b": STORIES,
    "figure 3c": STORIES,
}


def known(process: Any) -> frozenset[MessageId]:
    return frozenset(process.state.history.numbers)


@cache
def worlds() -> list[WatchedWorld]:
    make = lambda group: FlexCast(group, GROUPS)  # noqa: E731
    return [random_world(seed, make, GROUPS, watch=known) for seed in range(40)]


def test_lemma_1_a_message_is_received_at_all_and_only_its_destinations() -> None:
    for world in worlds():
        for id, dst in world.sets.items():
            packets = [p for p in world.arrived if p.about == str(id)]
            carrying = {p.target for p in packets if p.kind in ("submit", "msg")}
            assert carrying == {*dst}
            (entry,) = [p.target for p in packets if p.kind == "submit"]
            assert entry == dst[0], "the lowest common ancestor is the lowest destination"


def test_lemma_2_the_lowest_common_destination_orders_two_messages() -> None:
    pairs = 0
    for world in worlds():
        for one, other in combinations(world.sets, 2):
            lowest, *higher = world.common(one, other) or [""]
            for group in higher:
                order = world.delivered[group]
                first = world.delivered[lowest]
                assert (order.index(one) < order.index(other)) == (
                    first.index(one) < first.index(other)
                )
                pairs += 1
    assert pairs > 500


def before(world: WatchedWorld, group: GroupId) -> list[tuple[MessageId, MessageId]]:
    """Messages to several groups that follow each other there."""
    ids = [id for id in world.delivered[group] if len(world.sets[id]) > 1]
    return [*pairwise(ids)]


def test_lemma_3_a_destination_has_heard_of_what_lower_groups_delivered_before() -> None:
    for world in worlds():
        for lower in GROUPS:
            for earlier, later in before(world, lower):
                for group in world.sets[later]:
                    if group > lower:
                        assert earlier in world.knew[group, later]


def test_lemma_4_a_destination_delivers_only_when_the_last_answer_is_there() -> None:
    answers = 0
    for world in worlds():
        for place, packet in enumerate(world.arrived):
            if packet.kind == "ack":
                answers += 1
                delivered = world.packets_before[packet.target, MessageId.parse(packet.about)]
                assert place < delivered, f"{packet} comes after the delivery"
    assert answers > 200


def test_proposition_1_holds_in_the_weaker_form_that_only_some_destinations_communicate() -> None:
    """A NOTIF goes to groups that are no destination of its message: minimal, not genuine."""
    outsiders = 0
    for world in worlds():
        assert violations(world.history, ("minimality",)) == []
        for packet in world.arrived:
            outsiders += packet.target not in world.sets[MessageId.parse(packet.about)]
    assert outsiders > 0


@pytest.mark.parametrize("promise", ["validity", "agreement"])
def test_proposition_2_validity_and_agreement(promise: str) -> None:
    assert [violations(world.history, (promise,)) for world in worlds()] == [[]] * len(worlds())


def test_proposition_3_integrity() -> None:
    assert not any(violations(world.history, ("integrity",)) for world in worlds())


def test_proposition_4_prefix_order() -> None:
    assert not any(violations(world.history, ("prefix_order",)) for world in worlds())


def test_proposition_5_acyclic_order() -> None:
    assert not any(violations(world.history, ("acyclic_order",)) for world in worlds())
