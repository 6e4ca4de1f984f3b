"""The twelve AWS regions: the shipped data, spot-checked against the published values."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from amcast.core import InvalidInput
from amcast.scenarios import aws12
from amcast.scenarios.aws12 import REGIONS
from amcast.workloads import make_workload

LISTS = ("O1", "O2", "T1", "T2", "T3", "skeen", "latency_sorted")


def numbered(*numbers: int) -> tuple[str, ...]:
    """Regions by their number in the evaluation, from 1."""
    return tuple(REGIONS[number - 1] for number in numbers)


def depth(tree: str, region: str) -> int:
    above = aws12.tree(tree).parent(region)
    return 0 if above is None else 1 + depth(tree, above)


def test_the_matrix_is_complete_and_positive() -> None:
    matrix = aws12.latency_ms()
    assert tuple(matrix) == REGIONS
    assert len(set(REGIONS)) == 12
    for row in matrix.values():
        assert tuple(row) == REGIONS
        assert all(latency > 0 for latency in row.values())


@pytest.mark.parametrize(
    ("source", "target", "latency"),
    [
        ("us-west-1", "us-west-1", 2.18),
        ("us-west-1", "ca-central-1", 79.22),
        ("ca-central-1", "us-west-1", 79.38),
        ("eu-west-3", "eu-central-1", 13.13),
        ("eu-central-1", "eu-west-3", 12.25),
        ("ap-southeast-1", "sa-east-1", 340.9),
        ("ap-southeast-2", "ap-southeast-2", 2.84),
    ],
)
def test_known_latencies(source: str, target: str, latency: float) -> None:
    assert aws12.latency_ms()[source][target] == latency


def test_the_matrix_is_nearly_symmetric_and_home_is_nearest() -> None:
    matrix = aws12.latency_ms()
    for here, row in matrix.items():
        assert min(REGIONS, key=row.__getitem__) == here
        assert all(abs(row[there] - matrix[there][here]) < 5 for there in REGIONS)


def test_places_name_every_region() -> None:
    places = aws12.places()
    assert tuple(places) == REGIONS
    assert (places["eu-west-1"], places["eu-west-3"]) == ("Ireland", "Paris")


@pytest.mark.parametrize(
    ("name", "depths"),
    [
        ("T1", (3, 2, 2, 3, 1, 0, 1, 2, 2, 3, 3, 4)),
        ("T2", (2, 2, 2, 2, 1, 0, 1, 2, 2, 2, 2, 2)),
        ("T3", (1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1)),
    ],
)
def test_the_trees_are_rooted_in_paris(name: str, depths: tuple[int, ...]) -> None:
    tree = aws12.tree(name)
    assert tree.groups == REGIONS
    assert tree.root == "eu-west-3"
    assert tuple(depth(name, region) for region in REGIONS) == depths


def test_who_is_above_whom() -> None:
    t1, t2, t3 = (aws12.tree(name) for name in ("T1", "T2", "T3"))
    paris, ireland, frankfurt, mumbai = numbered(6, 5, 7, 9)
    assert t1.children(paris) == t2.children(paris) == (ireland, frankfurt)
    assert t1.children(ireland) == numbered(2, 3)
    assert t1.children(frankfurt) == numbered(8, 9)
    assert t1.children(mumbai) == numbered(10, 11)
    assert t2.children(ireland) == numbered(1, 2, 3, 4)
    assert t2.children(frankfurt) == numbered(8, 9, 10, 11, 12)
    assert t3.children(paris) == tuple(region for region in REGIONS if region != paris)


def test_rank_orders() -> None:
    assert aws12.rank("O1") == numbered(8, 7, 6, 5, 2, 1, 3, 4, 9, 10, 11, 12)
    assert aws12.rank("O2") == REGIONS


@pytest.mark.parametrize("name", LISTS)
def test_every_region_has_a_list_of_nearest_regions(name: str) -> None:
    nearest = aws12.nearest(name)
    assert tuple(nearest) == REGIONS
    for near in nearest.values():
        assert len(near) == (11 if name == "latency_sorted" else 3)
        assert len(set(near)) == len(near)
        assert set(near) <= set(REGIONS)


def test_published_lists_are_kept_as_they_are() -> None:
    assert aws12.nearest("O1")["sa-east-1"] == numbered(3, 9, 1)
    assert aws12.nearest("T3")["ap-south-1"] == numbered(11, 10, 12)
    assert aws12.nearest("skeen")["eu-central-1"] == numbered(5, 6, 7)
    own = [(name, home) for name in LISTS for home in REGIONS if home in aws12.nearest(name)[home]]
    assert own == [("skeen", "eu-central-1")]


def test_the_sorted_lists_follow_the_matrix() -> None:
    for home, row in aws12.latency_ms().items():
        others = sorted((region for region in REGIONS if region != home), key=row.__getitem__)
        assert aws12.nearest("latency_sorted")[home] == tuple(others)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("workload", ["gtpcc", "gtpcc-evaluation"])
def test_every_list_feeds_a_workload(name: str, workload: str) -> None:
    made = make_workload(workload, REGIONS, nearest=aws12.nearest(name))
    random = Random(1)
    for home in REGIONS:
        assert home in made.draw(home, random).dst


def test_published_latencies() -> None:
    rows = aws12.published_latencies()
    assert len(rows) == 36
    first = rows[0]
    assert (first.tables, first.protocol, first.overlay) == ((2, 3), "flexcast", "O1")
    assert (first.locality, first.destination) == (0.9, 1)
    assert (first.p90_ms, first.p95_ms, first.p99_ms) == (144.0, 279.0, 1403.1)
    for row in rows:
        assert row.p90_ms <= row.p95_ms <= row.p99_ms
        assert (row.protocol == "skeen") == (row.overlay is None)


def test_each_table_has_its_rows() -> None:
    rows = aws12.published_latencies()
    second = {(row.overlay, row.locality) for row in rows if 2 in row.tables}
    third = {(row.overlay, row.locality) for row in rows if 3 in row.tables}
    assert second == {(overlay, 0.9) for overlay in ("O1", "O2", "T1", "T2", "T3")}
    assert third == {(o, share) for o in ("O1", "T1", None) for share in (0.9, 0.95, 0.99)}
    for table, count in ((2, 15), (3, 27)):
        assert sum(table in row.tables for row in rows) == count


def test_names_may_be_written_in_any_case() -> None:
    assert aws12.tree("t1").children("eu-west-1") == aws12.tree("T1").children("eu-west-1")
    assert aws12.rank("o1") == aws12.rank("O1")


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (aws12.tree, "the AWS regions have no tree 'T4': there is T1, T2, T3"),
        (aws12.rank, "the AWS regions have no rank order 'T4': there is O1, O2"),
        (
            aws12.nearest,
            "the AWS regions have no list of nearest regions 'T4': "
            "there is O1, O2, T1, T2, T3, skeen, latency_sorted",
        ),
    ],
)
def test_an_unknown_name_is_refused(ask: Callable[[str], object], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ask("T4")
    assert str(refused.value) == sentence
