"""Every workload by its name: the same seed, the same messages; keys; what is refused."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.workloads import (
    WORKLOAD_NAMES,
    Draw,
    FixedSets,
    GtpccEvaluation,
    GtpccPaper,
    TpccMix,
    UniformSets,
    WithKeys,
    Workload,
    make_workload,
)

SEVEN = tuple(f"g{number}" for number in range(1, 8))
NEAREST = {home: tuple(group for group in SEVEN if group != home) for home in SEVEN}


def drawn(workload: Workload, seed: int, count: int = 300) -> list[Draw]:
    random = Random(seed)
    return [workload.draw(SEVEN[number % 7], random) for number in range(count)]


@pytest.mark.parametrize("keys", [None, 3])
@pytest.mark.parametrize("name", WORKLOAD_NAMES)
def test_the_same_seed_gives_the_same_messages(name: str, keys: int | None) -> None:
    first = drawn(make_workload(name, SEVEN, nearest=NEAREST, keys=keys), 5)
    assert drawn(make_workload(name, SEVEN, nearest=NEAREST, keys=keys), 5) == first


@pytest.mark.parametrize("name", WORKLOAD_NAMES)
def test_a_workload_remembers_nothing_that_changes_later_messages(name: str) -> None:
    workload = make_workload(name, SEVEN, nearest=NEAREST)
    assert drawn(workload, 5) == drawn(workload, 5)


@pytest.mark.parametrize(
    "name", [name for name in WORKLOAD_NAMES if name not in ("m3", "m4", "m7")]
)
def test_another_seed_gives_other_messages(name: str) -> None:
    workload = make_workload(name, SEVEN, nearest=NEAREST)
    assert drawn(workload, 5) != drawn(workload, 6)


@pytest.mark.parametrize("name", WORKLOAD_NAMES)
def test_destinations_are_groups_in_the_order_of_the_configuration(name: str) -> None:
    backwards = SEVEN[::-1]
    workload, random = make_workload(name, backwards, nearest=NEAREST), Random(1)
    for number in range(300):
        dst = workload.draw(SEVEN[number % 7], random).dst
        assert dst
        assert dst == tuple(group for group in backwards if group in dst)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("uniform", UniformSets),
        ("tpcc", TpccMix),
        ("gtpcc", GtpccPaper),
        ("gtpcc-evaluation", GtpccEvaluation),
        ("m5", FixedSets),
    ],
)
def test_names_and_classes(name: str, kind: type) -> None:
    assert isinstance(make_workload(name, SEVEN, nearest=NEAREST), kind)


def test_uniform_is_one_or_two_groups_where_there_are_two() -> None:
    sizes = {len(found.dst) for found in drawn(make_workload("uniform", SEVEN), 1)}
    assert sizes == {1, 2}
    three = drawn(make_workload("uniform", SEVEN, sizes=(3,)), 1)
    assert {len(found.dst) for found in three} == {3}
    alone, random = make_workload("uniform", ("g1",)), Random(1)
    assert {alone.draw("g1", random).dst for _ in range(50)} == {("g1",)}


def test_the_locality_is_passed_on() -> None:
    workload, random = make_workload("gtpcc", SEVEN, nearest=NEAREST, locality=1), Random(1)
    assert {workload.draw("g1", random).dst for _ in range(500)} == {("g1", "g2")}


def test_keys_take_no_room_however_many_there_are() -> None:
    assert make_workload("uniform", SEVEN, keys=10**15).draw("g1", Random(1)).keys


def test_keys_change_nothing_else_of_a_message() -> None:
    plain = make_workload("tpcc", SEVEN)
    found = make_workload("tpcc", SEVEN, keys=1000).draw("g1", Random(9))
    assert found[:3] == plain.draw("g1", Random(9))[:3]


def test_a_message_has_at_most_one_key_per_destination_and_none_twice() -> None:
    for found in drawn(WithKeys(UniformSets(SEVEN, sizes=(1, 3, 7)), 4), 1):
        assert found.keys is not None
        assert 1 <= len(found.keys) <= len(found.dst)
        assert len(set(found.keys)) == len(found.keys)
        assert set(found.keys) <= {"k0", "k1", "k2", "k3"}


def test_keys_are_equally_likely() -> None:
    workload = WithKeys(UniformSets(SEVEN, sizes=(1,)), 4)
    counts = Counter(found.keys for found in drawn(workload, 1, 12_000))
    assert set(counts) == {("k0",), ("k1",), ("k2",), ("k3",)}
    for count in counts.values():
        assert count / 12_000 == pytest.approx(1 / 4, abs=0.02)


@pytest.mark.parametrize("keys", [0, -1])
def test_no_keys_at_all_are_refused(keys: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        make_workload("uniform", SEVEN, keys=keys)
    sentence = f"a workload with {keys} keys has none to draw: use 1 or more"
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", ["zipf", "TPCC", ""])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        make_workload(name, SEVEN)
    assert str(refused.value) == (
        f"no workload {name!r}: there is uniform, tpcc, gtpcc, gtpcc-evaluation, home, "
        "d1, d2, d3, d3prime, m1, m2, m3, m4, m5, m6, m7"
    )


@pytest.mark.parametrize("name", ["gtpcc", "gtpcc-evaluation"])
def test_missing_lists_of_nearest_groups_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        make_workload(name, SEVEN)
    assert str(refused.value) == (
        f"workload {name} needs each group's nearest groups: "
        "use a scenario that has them, such as aws12"
    )


def test_bad_groups_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^there are no groups"):
        make_workload("uniform", ())


def test_an_empty_list_of_sizes_is_refused_not_replaced() -> None:
    with pytest.raises(InvalidInput, match="needs at least one number of destinations"):
        make_workload("uniform", SEVEN, sizes=())
