"""Messages to the own group, and a chosen share of them to another one as well."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.workloads import HomeMix, make_workload

GROUPS = ("g1", "g2", "g3", "g4")
NEAREST = {home: tuple(group for group in GROUPS if group != home) for home in GROUPS}


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_every_message_goes_home_and_the_share_goes_to_one_more(share: float) -> None:
    workload, random = HomeMix(GROUPS, global_share=share), Random(1)
    drawn = Counter(workload.draw("g2", random).dst for _ in range(20_000))
    assert set(drawn) == {("g2",), ("g1", "g2"), ("g2", "g3"), ("g2", "g4")}
    assert drawn["g2",] / drawn.total() == pytest.approx(1 - share, abs=0.01)
    for other in (("g1", "g2"), ("g2", "g3"), ("g2", "g4")):
        assert drawn[other] / drawn.total() == pytest.approx(share / 3, abs=0.01)


@pytest.mark.parametrize(("share", "sizes"), [(0.0, {1}), (0.3, {1, 2}), (1.0, {2})])
def test_the_sets_are_those_that_can_be_drawn(share: float, sizes: set[int]) -> None:
    workload, random = HomeMix(GROUPS, global_share=share), Random(2)
    sets = workload.sets()
    assert sets is not None
    drawn = {workload.draw(home, random).dst for _ in range(500) for home in GROUPS}
    assert drawn == set(sets)
    assert {len(dst) for dst in sets} == sizes


def test_one_group_has_nobody_else() -> None:
    with pytest.raises(InvalidInput, match="at least two groups"):
        HomeMix(("g1",))
    assert HomeMix(("g1",), global_share=0).draw("g1", Random(1)).dst == ("g1",)


def test_the_evaluation_has_as_many_local_messages_as_asked_for() -> None:
    workload = make_workload("gtpcc-evaluation", GROUPS, nearest=NEAREST, global_share=0.25)
    random = Random(3)
    local = sum(len(workload.draw("g1", random).dst) == 1 for _ in range(20_000))
    assert local / 20_000 == pytest.approx(0.75, abs=0.01)


def test_other_workloads_have_a_share_of_their_own() -> None:
    with pytest.raises(InvalidInput, match="its own share of global messages"):
        make_workload("tpcc", GROUPS, global_share=0.5)
