"""The statements of the thesis of 2019, on BaseCast and trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from amcast.lab.published_claims import Judgement, below, claim, latency, listed, throughput
from amcast.lab.report_data import Results
from amcast.scenarios import scenario_named

CLIENTS: Final = 150
# Delays of the local network do not vary.
JITTER: Final = {"lan": 0.0, "wan1": 0.05, "wan2": 0.05}
ROUND_TRIPS: Final = {("C1", 1): 1, ("C2", 1): 1, ("C3", 1): 1} | {
    ("C1", 7): 2,
    ("C2", 7): 3,
    ("C3", 7): 2,
}
# What a local network adds to delays of 70 ms.
NEARLY: Final = 0.01
# Of a region's own groups, far below the way to another region and back.
NEAR_MS: Final = 50
FOUR_NEAR_MS: Final = 160


def configurations(network: str) -> dict[str, dict[str, Any]]:
    """C1, C2 and C3 of the 2019 thesis. A local network has its trees by their general names."""
    star, binary = ("star", "binary") if network == "lan" else ("C1", "C2")
    shared = {"scenario": network, "jitter": JITTER[network]}
    return {
        "C1": {**shared, "protocol": "tree", "overlay": star},
        "C2": {**shared, "protocol": "tree", "overlay": binary},
        "C3": {**shared, "protocol": "basecast"},
    }


def uniform(destinations: int) -> dict[str, Any]:
    """So many destinations, any of them."""
    return {"workload": "uniform", "sizes": destinations}


def until_all(
    results: Results, network: str, destinations: Mapping[str, Any], **more: Any
) -> dict[str, float]:
    """The median until the last reply, of a client that is alone."""
    return {
        name: latency(
            results, {**where, **destinations, **more, "clients": 1}, "p50", "last", "all"
        )
        for name, where in configurations(network).items()
    }


def rates(results: Results, network: str, destinations: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: throughput(results, {**where, **destinations, "clients": CLIENTS})
        for name, where in configurations(network).items()
    }


@claim("basecast-vs-treecast", "local-alike")
def _local_alike(results: Results) -> Judgement:
    found = until_all(results, "wan1", uniform(1))
    return max(found.values()) <= 1.1 * min(found.values()), listed(found, "ms")


@claim("basecast-vs-treecast", "c2-slowest")
def _c2_slowest(results: Results) -> Judgement:
    found = until_all(results, "wan1", uniform(7))
    return found["C2"] > max(found["C1"], found["C3"]), listed(found, "ms")


@claim("basecast-vs-treecast", "c2-above-c1")
def _c2_above(results: Results) -> Judgement:
    found = rates(results, "lan", uniform(7))
    return found["C2"] > found["C1"], listed(found, "messages/s")


@claim("basecast-vs-treecast", "c3-degrades")
def _c3_degrades(results: Results) -> Judgement:
    two, seven = rates(results, "lan", uniform(2)), rates(results, "lan", uniform(7))
    kept = {name: seven[name] / two[name] for name in two}
    falls = kept["C3"] < min(kept["C1"], kept["C2"])
    return falls, "seven destinations over two: " + listed(kept, "")


@claim("basecast-vs-treecast", "round-trips")
def _round_trips(results: Results) -> Judgement:
    """Without the way from the client and back; a group's majority reaches the next region."""
    delays = scenario_named("wan1").network.base_us
    client_ms, region_ms = (2 * delays["R2"][site] / 1000 for site in ("clients", "R1"))
    found: dict[tuple[str, int], float] = {}
    for count in (1, 7):
        medians = until_all(results, "wan1", uniform(count), jitter=0)
        found |= {(name, count): (ms - client_ms) / region_ms for name, ms in medians.items()}
    exact = all(abs(found[each] - trips) <= NEARLY for each, trips in ROUND_TRIPS.items())
    shown = (f"{name} to {count} {trips:.3f}" for (name, count), trips in found.items())
    return exact, "round trips: " + ", ".join(shown)


@claim("basecast-vs-treecast", "height-costs-throughput")
def _height(results: Results) -> Judgement:
    verdicts, shown = [], []
    for network in ("lan", "wan1"):
        where = configurations(network)["C2"]
        found = {
            name: throughput(results, {**where, "workload": name, "clients": CLIENTS})
            for name in ("d3", "d2", "d1")
        }
        rising, text = below(found, "messages/s")
        verdicts.append(bool(rising))
        shown.append(f"{network}: {text}")
    return all(verdicts), "; ".join(shown)


@claim("basecast-vs-treecast", "high-pairs-are-slower")
def _high_pairs(results: Results) -> Judgement:
    where = {**configurations("lan")["C2"], "clients": CLIENTS}
    high = throughput(results, {**where, "workload": "d3prime"})
    usual = throughput(results, {**where, **uniform(2)})
    return high < usual, f"lower by {1 - high / usual:.0%}: {high:,.0f} and {usual:,.0f} messages/s"


@claim("basecast-vs-treecast", "genuine-pairs-in-wan2")
def _pairs(results: Results) -> Judgement:
    found = rates(results, "wan2", uniform(2))
    return found["C3"] > found["C1"], listed(found, "messages/s")


@claim("basecast-vs-treecast", "trees-for-all-in-wan2")
def _all_groups(results: Results) -> Judgement:
    found = rates(results, "wan2", uniform(7))
    return found["C3"] < min(found["C1"], found["C2"]), listed(found, "messages/s")


@claim("basecast-vs-treecast", "near-is-faster")
def _near_faster(results: Results) -> Judgement:
    near, any_two = rates(results, "wan2", {"workload": "m2"}), rates(results, "wan2", uniform(2))
    found = {name: near[name] / any_two[name] for name in ("C2", "C3")}
    return min(found.values()) >= 5, "near pairs over any: " + listed(found, "")


@claim("basecast-vs-treecast", "near-without-leaving")
def _near_latency(results: Results) -> Judgement:
    found = {name: until_all(results, "wan2", {"workload": name}) for name in ("m2", "m3")}
    stays = all(max(each["C2"], each["C3"]) <= NEAR_MS < each["C1"] for each in found.values())
    return stays, "; ".join(f"{name}: {listed(each, 'ms')}" for name, each in found.items())


@claim("basecast-vs-treecast", "genuine-up-to-four")
def _up_to_four(results: Results) -> Judgement:
    names = ("m1", "m2", "m3", "m4")
    found = {name: until_all(results, "wan2", {"workload": name}) for name in names}
    best = all(each["C3"] <= 1.02 * min(each.values()) for each in found.values())
    shown = "; ".join(f"{name}: {listed(each, 'ms')}" for name, each in found.items())
    return best and max(each["C3"] for each in found.values()) <= FOUR_NEAR_MS, shown
