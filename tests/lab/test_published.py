"""The file of published numbers and statements."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from amcast.lab import experiment, report_compare
from amcast.lab.published import EXPECTATIONS, NOT_REPRODUCED, claims, formulas, values
from amcast.lab.published_claims import PREDICATES
from amcast.lab.published_flexcast import spearman
from amcast.lab.published_formulas import FORMULAS, check_formulas
from amcast.scenarios.aws12 import published_latencies


def test_every_statement_has_a_predicate_and_every_predicate_a_statement() -> None:
    assert {(each.experiment, each.id) for each in claims()} == set(PREDICATES)


def test_everything_belongs_to_an_experiment_and_has_an_expectation() -> None:
    for each in (*values(), *claims()):
        assert each.experiment in experiment.names()
        assert each.expected in EXPECTATIONS
        assert each.source
        if each.expected == NOT_REPRODUCED:
            assert each.reason, each.id
    assert {each.measure for each in values()} <= set(report_compare.MEASURES)


def test_every_formula_is_checked_and_holds() -> None:
    assert {(each.experiment, each.id) for each in formulas()} == set(FORMULAS)
    for name in experiment.names():
        assert [each.formula.id for each in check_formulas(name) if not each.holds] == []


NUMBER = re.compile(r"(?<![\w-])\d+(?:\.\d+)?(?![\w-])")


def test_a_reason_has_no_numbers_but_published_ones() -> None:
    """It is printed for every run, so that a number of one run would be wrong for the next."""
    published = {f"{each.value:g}" for each in values()}
    for each in (*values(), *claims()):
        text = re.sub(r"(Table|Figure|section) \d+", "", each.reason)
        assert set(NUMBER.findall(text)) <= published, each.id
    assert NUMBER.findall("a share of 0.749, 3.9 points, 29 ms in T2 and us-west-1") == [
        "0.749",
        "3.9",
        "29",
    ]


def test_names_are_unique_in_an_experiment() -> None:
    names = Counter((each.experiment, each.id) for each in (*values(), *claims()))
    assert [name for name, count in names.items() if count > 1] == []


def test_tables_2_and_3_are_complete_and_as_the_scenario_has_them() -> None:
    """The same tables stand in a file of the scenario; the two must not drift apart."""
    ours = {
        (value.where["protocol"], value.where.get("overlay"), value.where["locality"], *rest)
        for value in values()
        if value.measure == "latency_ms"
        for rest in [(*value.details, value.value)]
    }
    theirs = {
        (
            row.protocol,
            row.overlay,
            row.locality,
            row.destination,
            share,
            getattr(row, f"{share}_ms"),
        )
        for row in published_latencies()
        for share in ("p90", "p95", "p99")
    }
    assert ours == theirs
    counts = Counter(value.experiment for value in values() if value.measure == "latency_ms")
    assert counts == {"flexcast-overlays": 45, "flexcast-locality": 81}


def test_what_should_be_reproduced_of_table_2() -> None:
    expected = [
        value.id
        for value in values()
        if value.experiment == "flexcast-overlays" and value.expected == "reproduced"
    ]
    assert len(expected) == 19
    assert [name for name in expected if name.startswith("flexcast")] == ["flexcast-O1-90-%-1-p90"]


@pytest.mark.parametrize(
    ("id", "near", "far"),
    [("tree-T1-90-%-1-p90", 229 * 1.099, 229 * 1.101), ("tree-T3-90-%-most", 59.9, 60.1)],
)
def test_a_tolerance_is_a_share_or_a_difference(id: str, near: float, far: float) -> None:
    value = next(each for each in values() if each.id == id)
    assert value.agrees(value.value)
    assert value.agrees(near)
    assert not value.agrees(far)


def test_rank_correlation() -> None:
    assert spearman([1, 2, 3, 4]) == 1
    assert spearman([4, 3, 2, 1]) == -1
    assert spearman([1, 3, 2, 4]) == pytest.approx(0.8)
