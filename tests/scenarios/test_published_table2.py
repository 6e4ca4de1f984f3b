"""Tree multicast in twelve regions, against the latencies that FlexCast's evaluation printed.

Table 2 counts destinations by server number. The evaluation's servers were numbered along the
overlay, but the numbering that its trees ran with was not published. Two are tried: the
numbers of the regions, and the order of the tree, level by level, in which no child comes
before its parent. For T3 they give the same values. For T1 the second, in which California
comes after Canada and Virginia, was found to fit every value, the first all but one.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from amcast.core import GroupId, MessageId
from amcast.overlays import Tree
from amcast.scenarios import Parameters, Run
from amcast.scenarios.aws12 import REGIONS, published_latencies, tree
from amcast.sim import Histogram, HistoryRecorder, Latencies, Outcome

DURATION_S = 60
SAMPLES_MIN = 1000
TOLERANCE = 0.10
SHARES = {"p90": 0.90, "p95": 0.95, "p99": 0.99}

Value = tuple[str, int, str]
PUBLISHED: dict[Value, float] = {
    (row.overlay or "", row.destination, share): getattr(row, f"{share}_ms")
    for row in published_latencies()
    if row.protocol == "tree" and row.overlay in ("T1", "T3") and row.locality == 0.9
    for share in SHARES
}


def level_by_level(overlay: Tree) -> tuple[GroupId, ...]:
    depth = {group: overlay.height((overlay.root, group)) for group in REGIONS}
    return tuple(sorted(REGIONS, key=lambda group: depth[group]))


class ByLevel(HistoryRecorder):
    """Counts replies once more, destinations in the order of the tree."""

    packets = "off"

    def __init__(self, overlay: Tree) -> None:
        super().__init__()
        self._place = {group: place for place, group in enumerate(level_by_level(overlay))}
        self._sent: dict[MessageId, tuple[tuple[GroupId, ...], int]] = {}
        self.latencies = Latencies(DURATION_S * 1_000_000)

    def multicast(self, msg, sender, dst, at_us, size, home, keys):  # type: ignore[no-untyped-def]
        self._sent[msg] = (tuple(sorted(dst, key=self._place.__getitem__)), at_us)

    def delivery(self, *row):  # type: ignore[no-untyped-def]
        """Only replies matter here."""

    def reply(self, msg, group, at_us):  # type: ignore[no-untyped-def]
        dst, sent_us = self._sent[msg]
        self.latencies.note(dst.index(group), sent_us, at_us, False)


@cache
def measured(overlay: str) -> tuple[Outcome, Latencies]:
    """The run, and its latencies with destinations in the order of the tree."""
    parameters = Parameters(
        protocol="tree",
        scenario="aws12",
        overlay=overlay,
        workload="gtpcc-evaluation",
        locality=0.9,
        clients=240,
        duration_s=DURATION_S,
        seed=1,
    )
    recorder = ByLevel(tree(overlay))
    return Run(parameters).simulate(recorder), recorder.latencies


def error(value: Value, latencies: Latencies) -> float:
    """How far ours is from the published value, as a share of it."""
    _, destination, share = value
    found: Histogram = latencies.by_rank[destination - 1]
    assert found.total >= SAMPLES_MIN
    return found.percentile(SHARES[share]) / 1000 / PUBLISHED[value] - 1


def table() -> list[str]:
    """Published and ours, as docs/published.md shows them."""
    rows = ["| tree | destination | percentile | published | order of the tree | of the regions |"]
    rows.append("|---|--:|--:|--:|--:|--:|")
    for value, published in PUBLISHED.items():
        overlay, destination, share = value
        outcome, by_level = measured(overlay)
        ours = [
            f"{found.by_rank[destination - 1].percentile(SHARES[share]) / 1000:.0f} "
            f"({error(value, found):+.1%})"
            for found in (by_level, outcome.latencies)
        ]
        rows.append(f"| {overlay} | {destination} | {share} | {published:g} | {' | '.join(ours)} |")
    return rows


@pytest.mark.slow
def test_the_documentation_shows_these_numbers() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "published.md").read_text().splitlines()
    assert [row for row in table() if row not in documented] == []


def test_the_table_has_eighteen_values_for_t1_and_t3() -> None:
    assert len(PUBLISHED) == 18


@pytest.mark.slow
@pytest.mark.parametrize("overlay", ["T1", "T3"])
def test_the_run_is_large_enough_and_complete(overlay: str) -> None:
    outcome, by_level = measured(overlay)
    assert outcome.drained
    assert outcome.completed == outcome.messages > 100_000
    totals = [found.total for found in by_level.by_rank.values()]
    assert totals == [found.total for found in outcome.latencies.by_rank.values()]
    assert min(totals) >= SAMPLES_MIN


@pytest.mark.slow
@pytest.mark.parametrize("overlay", ["T1", "T3"])
def test_in_the_order_of_the_tree_every_value_is_within_a_tenth(overlay: str) -> None:
    errors = {value: error(value, measured(overlay)[1]) for value in PUBLISHED if overlay in value}
    assert len(errors) == 9
    assert {value: found for value, found in errors.items() if abs(found) > TOLERANCE} == {}


@pytest.mark.slow
def test_in_the_order_of_the_regions_all_values_but_one_are_within_a_tenth() -> None:
    errors = {value: error(value, measured(value[0])[0].latencies) for value in PUBLISHED}
    far = {value: found for value, found in errors.items() if abs(found) > TOLERANCE}
    # 91 % of the third replies come within 280 ms and none of the rest before 350 ms, so that
    # the 90th percentile stands at a cliff; published is 307 ms, in between.
    assert set(far) == {("T1", 3, "p90")}
    assert -0.12 < far["T1", 3, "p90"] < -TOLERANCE


if __name__ == "__main__":
    print("\n".join(table()))
