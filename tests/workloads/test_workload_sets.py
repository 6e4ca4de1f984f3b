"""The sets that a workload says it can draw are those that it draws."""

from __future__ import annotations

from random import Random

import pytest

from amcast.workloads import (
    WORKLOAD_NAMES,
    FixedSets,
    GtpccEvaluation,
    GtpccPaper,
    TpccMix,
    UniformSets,
    Workload,
    draw,
    make_workload,
)

SEVEN = tuple(f"g{number}" for number in range(1, 8))
FOUR = tuple("abcd")
NEAR = {"a": "bcd", "b": "acd", "c": "dba", "d": "cba"}
MANY = tuple(f"g{number}" for number in range(1000))
NEAR_OF_MANY = {home: [other for other in MANY[:50] if other != home] for home in MANY}
DRAWS = 3000


def drawn(workload: Workload, homes: tuple[str, ...]) -> set[tuple[str, ...]]:
    random = Random(1)
    return {workload.draw(home, random).dst for home in homes for _ in range(DRAWS)}


def said(workload: Workload) -> set[tuple[str, ...]]:
    found = workload.sets()
    assert found is not None
    assert len(set(found)) == len(found), "each once"
    return set(found)


@pytest.mark.parametrize("name", WORKLOAD_NAMES)
@pytest.mark.parametrize("keys", [None, 3])
def test_nothing_else_is_drawn(name: str, keys: int | None) -> None:
    nearest = {home: tuple(group for group in SEVEN if group != home) for home in SEVEN}
    workload = make_workload(name, SEVEN, nearest=nearest, keys=keys)
    assert drawn(workload, SEVEN) <= said(workload)


@pytest.mark.parametrize("locality", [0, 0.5, 1])
@pytest.mark.parametrize("global_only", [True, False])
def test_gtpcc_draws_exactly_what_it_says(locality: float, global_only: bool) -> None:
    workload = GtpccPaper(FOUR, NEAR, locality, global_only=global_only)
    assert drawn(workload, FOUR) == said(workload)


@pytest.mark.parametrize("locality", [0, 0.5, 1])
@pytest.mark.parametrize("local_share", [0, 0.5, 1])
def test_the_evaluation_draws_exactly_what_it_says(locality: float, local_share: float) -> None:
    workload = GtpccEvaluation(FOUR, NEAR, locality, local_share=local_share)
    assert drawn(workload, FOUR) == said(workload)


def test_uniform_and_fixed_sets_and_tpcc_draw_exactly_what_they_say() -> None:
    fixed = FixedSets(FOUR, ["ab", "ba", "c"])
    assert fixed.sets() == (("a", "b"), ("c",))
    for workload in (fixed, UniformSets(FOUR, sizes=(1, 3, 3)), TpccMix(FOUR[:3])):
        assert drawn(workload, FOUR[:3]) == said(workload)


def test_a_single_warehouse_draws_itself() -> None:
    assert TpccMix(("a",)).sets() == (("a",),)


def test_an_order_has_no_more_warehouses_than_items_and_its_home(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draw, "REGISTERED_SETS_MAX", 1 << 18)
    assert max(map(len, said(TpccMix(MANY[:17])))) == 16


@pytest.mark.parametrize(
    "workload",
    [
        UniformSets(MANY, sizes=(1, 500)),
        TpccMix(MANY),
        GtpccPaper(MANY, NEAR_OF_MANY, 0.5),
        GtpccEvaluation(MANY, {}, 0, local_share=0.5),
    ],
    ids=lambda workload: type(workload).__name__,
)
def test_too_many_sets_are_not_listed(workload: Workload) -> None:
    assert workload.sets() is None


def test_many_groups_may_still_have_few_sets() -> None:
    assert len(said(GtpccEvaluation(MANY, NEAR_OF_MANY, 1))) <= len(MANY)
    assert len(said(GtpccPaper(MANY, NEAR_OF_MANY, 1))) <= len(MANY)
