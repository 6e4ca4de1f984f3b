"""Every scenario runs every protocol, and its groups and clients are where they should be."""

from __future__ import annotations

import pytest

from amcast.core import InvalidInput
from amcast.protocols import PROTOCOLS
from amcast.scenarios import SCENARIOS, Parameters, Run, numbered_groups, scenario_named
from amcast.scenarios.aws12 import REGIONS

MESSAGES = 200


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_protocol_keeps_its_promises(scenario: str, protocol: str) -> None:
    run = Run(Parameters(protocol=protocol, scenario=scenario, messages=MESSAGES, clients=14))
    outcome, verdict = run.verify()
    assert verdict.ok, verdict
    assert outcome.messages == outcome.completed == MESSAGES
    assert outcome.drained
    for name in run.protocol.promises:
        assert verdict.properties[name].verdict == "holds", name


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everything_has_a_place_on_the_network(scenario: str) -> None:
    found = scenario_named(scenario)
    assert found.name == scenario
    sites = {*found.placement.values(), *found.client_sites.values()}
    assert set(found.placement) == set(found.client_sites) == set(found.groups)
    for source in sites:
        assert sites <= set(found.network.base_us[source])
    for group, others in found.nearest().items():
        assert sorted([group, *others]) == sorted(found.groups)


@pytest.mark.parametrize(("name", "delay_us", "bytes_s"), [
    ("setup1", 100_000, 125_000), ("setup2", 20_000, 1_250_000)
])  # fmt: skip
def test_the_2009_study_has_its_clients_inside_the_groups(
    name: str, delay_us: int, bytes_s: int
) -> None:
    run = Run(Parameters(protocol="skeen", scenario=name, clients=8))
    assert run.scenario.groups == ("g1", "g2", "g3", "g4")
    network = run.plan.network
    assert network.base_us["g1"] == {"g1": 0, "g2": delay_us, "g3": delay_us, "g4": delay_us}
    assert (network.jitter, network.bandwidth_bytes_s) == (0.05, bytes_s)
    assert all(client.inside and client.site == client.near for client in run.plan.clients)
    assert [client.near for client in run.plan.clients] == [*run.scenario.groups] * 2
    assert scenario_named(name, 8).groups == numbered_groups(8)


def test_local_messages_inside_a_group_take_no_time() -> None:
    parameters = Parameters(protocol="skeen", scenario="setup1", sizes=(1,), workload="uniform")
    outcome, verdict = Run(parameters).verify()
    assert verdict.ok
    assert outcome.packets == 0
    # A client of another group still pays the way there and back.
    assert outcome.latencies.all.percentile(0.05) == 0
    assert 180_000 < outcome.latencies.all.percentile(0.5) < 220_000


def test_wan1_is_led_from_the_clients_region() -> None:
    found = scenario_named("wan1")
    assert set(found.placement.values()) == {"R2"}
    clients = found.network.base_us[found.client_sites["g1"]]
    assert clients["R2"] == 5_000


def test_wan2_spreads_its_groups_over_three_regions() -> None:
    found = scenario_named("wan2")
    assert [found.placement[group] for group in found.groups] == [
        "R1", "R2", "R3", "R2", "R2", "R3", "R3",
    ]  # fmt: skip
    base = found.network.base_us
    assert base["R1"]["R2"] == base["R2"]["R1"] == base["R2"]["R3"] == 70_000
    assert base["R1"]["R3"] == base["R3"]["R1"] == 150_000
    assert found.network.jitter == 0.05
    assert {site: base["clients"][site] for site in ("R1", "R2", "R3")} == {
        "R1": 75_000, "R2": 5_000, "R3": 75_000,
    }  # fmt: skip
    assert all(base[site]["clients"] == base["clients"][site] for site in ("R1", "R2", "R3"))


def test_the_2019_overlays_are_a_star_and_a_binary_tree() -> None:
    trees = scenario_named("wan2").trees
    assert trees["C1"].height(("g1", "g7")) == 2
    assert trees["C2"].height(("g1", "g7")) == 3


@pytest.mark.parametrize("overlay", ["T1", "t1", "star:eu-west-3", None])
def test_half_the_latency_scale_halves_latencies(overlay: str | None) -> None:
    medians = []
    for scale in (1.0, 0.5):
        parameters = Parameters(
            protocol="tree",
            scenario="aws12",
            overlay=overlay,
            workload="gtpcc-evaluation",
            messages=1000,
            clients=12,
            latency_scale=scale,
        )
        outcome, verdict = Run(parameters).verify()
        assert verdict.ok
        medians.append(outcome.latencies.all.percentile(0.5))
    assert medians[1] == pytest.approx(medians[0] / 2, rel=0.05)


def test_a_latency_scale_of_zero_leaves_only_the_order() -> None:
    outcome, verdict = Run(
        Parameters(protocol="skeen", scenario="aws12", latency_scale=0, messages=MESSAGES)
    ).verify()
    assert verdict.ok
    assert outcome.ended_us == 0


def test_without_jitter_a_delay_is_what_was_given() -> None:
    latencies = {}
    for jitter in (None, 0.0):
        parameters = Parameters(
            protocol="skeen", scenario="wan1", sizes=(1,), clients=1, messages=50, jitter=jitter
        )
        found = Run(parameters).simulate().latencies.all
        latencies[jitter] = {found.percentile(share) for share in (0.1, 0.5, 0.9)}
    assert [len(each) for each in latencies.values()] == [3, 1]


def test_clients_are_dealt_to_the_groups_in_turn() -> None:
    run = Run(Parameters(protocol="skeen", scenario="aws12", clients=24))
    assert [client.near for client in run.plan.clients] == [*REGIONS, *REGIONS]
    assert all(client.site == client.near and not client.inside for client in run.plan.clients)


def test_a_run_without_a_length_has_a_thousand_messages() -> None:
    assert Run(Parameters(protocol="skeen")).plan.messages == 1000
    run = Run(Parameters(protocol="skeen", duration_s=1.5))
    assert (run.plan.messages, run.plan.duration_us) == (None, 1_500_000)


def test_fixed_scenarios_refuse_another_number_of_groups() -> None:
    assert len(scenario_named("wan1", 7).groups) == 7
    for name in ("aws12", "wan1", "wan2"):
        with pytest.raises(InvalidInput, match="leave --groups out"):
            scenario_named(name, 3)
