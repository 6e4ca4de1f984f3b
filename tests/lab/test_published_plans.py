"""Published things beside the whole plan of an experiment: what is compared must be one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from amcast.lab.experiment import named
from amcast.lab.plan import plan
from amcast.lab.published import NOT_REPRODUCED, claims, values
from amcast.lab.published_claims import PREDICATES
from amcast.lab.report_compare import MEASURES, NOT_MEASURED, compare
from amcast.lab.report_data import Ambiguous, mean_over_groups
from amcast.lab.report_findings import findings
from amcast.lab.report_record import command
from tests.lab.planned_tables import PlannedResults

# Those of two experiments are held against tables that are no metrics.
WITH_METRICS = sorted(
    {each.experiment for each in (*claims(), *values())} - {"convoy-model", "propagation-graphs"}
)


def planned(
    name: str, size: str = "full", settings: Mapping[str, Any] | None = None
) -> PlannedResults:
    return PlannedResults(plan(named(name).chosen(size, seeds=1, settings=settings)))


@pytest.mark.parametrize("size", ["tiny", "quick", "full"])
@pytest.mark.parametrize("name", WITH_METRICS)
def test_every_published_thing_is_compared_with_one_setting(name: str, size: str) -> None:
    results = planned(name, size)
    for claim in claims():
        if claim.experiment == name:
            PREDICATES[name, claim.id](results)
    for value in values():
        if value.experiment == name:
            MEASURES[value.measure](results, value)


@pytest.mark.parametrize("name", WITH_METRICS)
def test_at_full_size_everything_published_is_measured(name: str) -> None:
    compared = compare(planned(name), name)
    silent = [each.published.id for each in compared if each.status == NOT_MEASURED]
    # These look at verdicts and at fits.
    others = {"loss-survived", "delays-of-genuine-protocols", "delays-of-rounds"}
    assert set(silent) <= others


def test_computing_times_are_told_apart() -> None:
    """At full size every protocol runs with three of them; one was chosen beforehand."""
    results = planned("flexcast-throughput")
    rows = results.where("throughput", {"protocol": "skeen", "clients": 960}, scope="all")
    assert {row["setting"].values["cpu_us"] for row in rows} == {"50.0", "100.0", "200.0"}
    for id in ("same-throughput", "flexcast-bends-first"):
        assert PREDICATES["flexcast-throughput", id](results) is not None
    others = PlannedResults([run for run in results.runs if run.parameters["cpu_us"] != 100])
    for id in ("same-throughput", "flexcast-bends-first"):
        assert PREDICATES["flexcast-throughput", id](others) is None


def with_traffic(kb_s: float, clients_max: int) -> PlannedResults:
    """With more clients runs are over too soon to tell."""
    results = planned("genuine-vs-nongenuine")
    rows = results.table("traffic")
    told = (row for row in rows if int(row["setting"].values["clients"]) <= clients_max)
    rows[:] = [{**row, "bytes_s": 1000 * kb_s} for row in told]
    return results


def test_runs_that_are_over_too_soon_leave_traffic_open_unless_others_show_it() -> None:
    fills = PREDICATES["genuine-vs-nongenuine", "ang-fills-the-link"]
    for kb_s, clients_max, found in ((110, 24, True), (110, 3840, True), (90, 3840, False)):
        judged = fills(with_traffic(kb_s, clients_max))
        assert judged is not None
        assert judged[0] is found
    for id, clients_max in (("ang-fills-the-link", 1920), ("more-groups-less-traffic", 0)):
        assert PREDICATES["genuine-vs-nongenuine", id](with_traffic(90, clients_max)) is None


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("flexcast-overlays", "o1-better-than-o2"),
        ("flexcast-throughput", "same-throughput"),
        ("flexcast-traffic", "traffic-order"),
        ("flexcast-traffic", "size-rises-with-rank"),
        ("flexcast-overhead", "star-burdens-its-root"),
    ],
)
def test_a_parameter_that_was_left_open_is_never_guessed(name: str, id: str) -> None:
    results = planned(name, settings={"flush_ms": [50.0, 100.0]})
    with pytest.raises(Ambiguous, match="which differ in flush_ms"):
        PREDICATES[name, id](results)
    compared = {each.published.id: each for each in compare(results, name)}
    assert compared[id].status == NOT_MEASURED
    assert "flush_ms" in compared[id].reason


def test_traffic_is_a_mean_over_all_groups() -> None:
    """The lowest rank receives nothing from others: it has no row, and is a group all the same."""
    results = planned("flexcast-traffic", "tiny")
    of_skeen = {"protocol": "skeen"}
    received = results.where("traffic", of_skeen, direction="received", peer="group", kind="all")
    lowest = received[0]["setting"].order()[0]
    for row in results.table("traffic"):
        row["bytes_s"] = 0.0 if row["group"] == lowest else 12_000.0
    kept = [row for row in results.table("traffic") if row["group"] != lowest]
    results.table("traffic")[:] = kept
    assert mean_over_groups(received[1:], "bytes_s") == 11_000
    assert findings(results, "flexcast-traffic")[0].count("11.0 KB with") == 3


def test_traffic_is_judged_with_what_a_packet_has_more_than_others() -> None:
    results = planned("flexcast-traffic", "tiny")
    for row in results.table("traffic"):
        flexcast = row["setting"].matches({"protocol": "flexcast"})
        row |= {"packets_s": 100.0, "bytes_s": 100_000.0 if flexcast else 25_000.0}
    compared = {each.published.id: each for each in compare(results, "flexcast-traffic")}
    found = compared["traffic-flexcast"]
    assert (found.status, found.as_expected) == (NOT_REPRODUCED, False)
    assert "of the 1,000 bytes of a packet, 75% are more than the others need" in found.ours
    assert compared["traffic-skeen"].ours == "75 KB/s"


@pytest.mark.parametrize("measure", ["latency_ms", "overhead_percent", "received_kb_s"])
def test_no_number_is_the_first_of_several(measure: str) -> None:
    value = next(each for each in values() if each.measure == measure)
    results = planned(value.experiment, settings={"flush_ms": [50.0, 100.0]})
    with pytest.raises(Ambiguous, match="which differ in flush_ms"):
        MEASURES[measure](results, value)


@pytest.mark.parametrize(
    ("name", "seeds", "settings", "said"),
    [
        ("convoy-local", None, {}, ""),
        ("convoy-local", None, {"messages": 30_000}, "--set messages=30000 "),
        ("flexcast-throughput", 1, {"duration_s": 5}, "--seeds 1 --set duration_s=5 "),
        ("disaster-cost", None, {"packets": "off"}, "--set packets=off "),
        ("convoy-local", None, {"groups": [2, 4]}, "--set 'groups=[2, 4]' "),
    ],
)
def test_a_record_tells_the_command_that_makes_it(
    name: str, seeds: int | None, settings: dict[str, object], said: str
) -> None:
    chosen = named(name).chosen("full", seeds=seeds, settings=settings)
    assert command(chosen) == f"amcast lab run {name} --size full {said}--out {name}"
