"""The statements of the study of 2009 on genuineness."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from statistics import fmean
from typing import Any

from amcast.lab.published_claims import (
    Judgement,
    NotMeasured,
    at_load,
    below,
    claim,
    latency,
    listed,
    loads,
    sent_kb_s,
    throughput,
)
from amcast.lab.report_data import Results

DELAY_MS = 100
SETUP = {"scenario": "setup1", "global_share": 0.1}
ANG = {"protocol": "ang", "kappa": 60, "eta": 30}
AGE_STAR = {"protocol": "age-star"}


def over_loads(results: Results, where: Mapping[str, Any], scope: str) -> float:
    """The latency at the sender's own group, on average over all loads."""
    return fmean(
        latency(results, at_load(results, where, load), scope=scope)
        for load in loads(results, where)
    )


def rounds(kappa: int, eta: int) -> dict[str, Any]:
    return {"protocol": "ang", "kappa": kappa, "eta": eta}


@claim("rounds-kappa-eta", "kappa-60-best-local")
def _kappa_60(results: Results) -> Judgement:
    found = {f"kappa {k}": over_loads(results, rounds(k, k), "local") for k in (60, 20, 120)}
    return min(found, key=found.__getitem__) == "kappa 60", listed(found, "ms")


@claim("rounds-kappa-eta", "kappa-20-better-global")
def _kappa_20(results: Results) -> Judgement:
    return below(
        {f"kappa {k}": over_loads(results, rounds(k, k), "global") for k in (20, 60)}, "ms"
    )


@claim("rounds-kappa-eta", "eta-30-lowers-global")
def _eta_30(results: Results) -> Judgement:
    found = {
        f"eta {eta} {scope}": over_loads(results, rounds(60, eta), scope)
        for scope in ("global", "local")
        for eta in (30, 60)
    }
    lower = found["eta 30 global"] < found["eta 60 global"]
    similar = abs(found["eta 30 local"] - found["eta 60 local"]) < 0.1 * DELAY_MS
    return lower and similar, listed(found, "ms")


@claim("convoy-local", "age-local-climbs")
def _age_climbs(results: Results) -> Judgement:
    where = at_load(results, {"protocol": "age"}, loads(results, {"protocol": "age"})[-1])
    found = {scope: latency(results, where, scope=scope) for scope in ("local", "global")}
    share = found["local"] / found["global"]
    least = at_load(results, {"protocol": "age"}, loads(results, {"protocol": "age"})[0])
    start = latency(results, least, scope="local")
    return share >= 0.75, f"{share:.3f} of it: {listed(found, 'ms')}; local from {start:.4g} ms on"


@claim("convoy-local", "age-star-local-stays")
def _age_star_stays(results: Results) -> Judgement:
    where = at_load(results, AGE_STAR, loads(results, AGE_STAR)[-1])
    local = latency(results, where, scope="local")
    return local <= 0.2 * DELAY_MS, f"{local:.4g} ms"


@claim("convoy-local", "age-star-slows-global")
def _age_star_slows(results: Results) -> Judgement:
    top = loads(results, AGE_STAR)[-1]
    return below(
        {
            name: latency(results, at_load(results, {"protocol": name}, top), scope="global")
            for name in ("age", "age-star")
        },
        "ms",
    )


@claim("genuine-vs-nongenuine", "ang-fills-the-link")
def _fills(results: Results) -> Judgement:
    where = {**SETUP, **ANG, "groups": 8}
    traffic = _sent_by_load(results, where)
    fills = max(traffic.values(), default=0.0) >= 100
    if not fills and len(traffic) < len(loads(results, where)):
        raise NotMeasured
    shown = {f"{load:g}": kb_s for load, kb_s in traffic.items()}
    return fills, "by clients: " + listed(shown, "KB/s")


def _sent_by_load(results: Results, where: Mapping[str, Any]) -> dict[float, float]:
    """What a group sends to others; runs that are over within a second or so do not tell."""
    found = {}
    for load in loads(results, where):
        with suppress(NotMeasured):
            found[load] = sent_kb_s(results, at_load(results, where, load))
    return found


@claim("genuine-vs-nongenuine", "three-quadrants")
def _quadrants(results: Results) -> Judgement:
    return _winners(results, 0.1)


@claim("genuine-vs-nongenuine", "three-quadrants-half-global")
def _quadrants_half_global(results: Results) -> Judgement:
    return _winners(results, 0.5)


def _winners(results: Results, global_share: float) -> Judgement:
    """Who has the lower latency with few and many groups, at the lowest and highest load."""
    winners, shown = {}, []
    for groups in (4, 8):
        shared = {**SETUP, "groups": groups, "global_share": global_share}
        ends = loads(results, {**shared, **ANG})
        if len(ends) < 2:
            raise NotMeasured
        for word, load in (("low", ends[0]), ("high", ends[-1])):
            found = _both(results, at_load(results, shared, load))
            winners[groups, word] = min(found, key=found.__getitem__)
            shown.append(f"{groups} groups, {word} load: {listed(found, 'ms')}")
    expected = {(4, "low"): "ang", (4, "high"): "ang", (8, "low"): "ang", (8, "high"): "age-star"}
    return winners == expected, "; ".join(shown)


def _both(results: Results, where: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: latency(results, {**where, **protocol})
        for name, protocol in (("ang", ANG), ("age-star", AGE_STAR))
    }


@claim("genuine-vs-nongenuine", "closer-in-the-faster-network")
def _closer(results: Results) -> Judgement:
    """How much longer the genuine protocol takes, on average over loads."""
    longer = {}
    for setup in ("setup2", "setup1"):
        shared = {**SETUP, "scenario": setup, "groups": 4}
        found = [over_loads(results, {**shared, **each}, "all") for each in (AGE_STAR, ANG)]
        longer[setup] = found[0] / found[1]
    rising, shown = below({"as fast": 1.0, **longer}, "")
    return rising, f"age-star over ang: {shown}"


@claim("genuine-vs-nongenuine", "bandwidth-lets-rounds-scale")
def _bandwidth(results: Results) -> Judgement:
    shared = {**SETUP, "scenario": "setup2", "groups": 8}
    found = {}
    for name, where in (("ang", ANG), ("age-star", AGE_STAR)):
        top = loads(results, {**shared, **where})[-1]
        found[name] = throughput(results, at_load(results, {**shared, **where}, top))
    return found["ang"] >= 0.8 * found["age-star"], listed(found, "messages/s")


@claim("genuine-vs-nongenuine", "more-groups-less-traffic")
def _less_traffic(results: Results) -> Judgement:
    """By message a second, since more groups also have more clients; at the top load that tells."""
    shared = {groups: {**SETUP, **AGE_STAR, "groups": groups} for groups in (8, 4)}
    sent = {groups: _sent_by_load(results, where) for groups, where in shared.items()}
    common = {load / 8 for load in sent[8]} & {load / 4 for load in sent[4]}
    if not common:
        raise NotMeasured
    found = {}
    for groups, where in shared.items():
        load = max(common) * groups
        rate = throughput(results, at_load(results, where, load))
        found[f"{groups} groups"] = 1000 * sent[groups][load] / rate
    return below(found, "bytes a group and message")


@claim("genuine-vs-nongenuine", "delays-of-genuine-protocols")
def _genuine_delays(results: Results) -> Judgement:
    return _delays(results, genuine=True)


@claim("genuine-vs-nongenuine", "delays-of-rounds")
def _round_delays(results: Results) -> Judgement:
    return _delays(results, genuine=False)


def _delays(results: Results, *, genuine: bool) -> Judgement:
    """For two and three destinations."""
    rows = [row for row in results.rows("fits/costs") if row["genuine"] == genuine]
    if not rows:
        raise NotMeasured
    same = all(row[f"delays_{k}"] == row[f"expected_{k}"] for row in rows for k in (2, 3))
    shown = (f"{row['protocol']} {row['delays_2']:g} and {row['delays_3']:g}" for row in rows)
    return same, "two and three destinations: " + ", ".join(shown)


@claim("disaster-cost", "one-more-delay")
def _one_more(results: Results) -> Judgement:
    found = _at_lowest_load(results, "global")
    more = found["adt"] - found["ang"]
    return abs(more - DELAY_MS) <= 25, f"{more:+.4g} ms: {listed(found, 'ms')}"


@claim("disaster-cost", "local-the-same")
def _local_same(results: Results) -> Judgement:
    found = _at_lowest_load(results, "local")
    return abs(found["adt"] - found["ang"]) <= 10, listed(found, "ms")


@claim("disaster-cost", "loss-survived")
def _loss_survived(results: Results) -> Judgement:
    losing = {row["run"] for row in results.where("runs", {"lost_groups": 1})}
    rows = [row for row in results.rows("verdicts") if row["run"] in losing and row["required"]]
    if not rows:
        raise NotMeasured
    open_ = sorted({row["property"] for row in rows if row["verdict"] != "holds"})
    found = f"{', '.join(open_)} not shown" if open_ else "all that is promised holds"
    return not open_, f"{len(losing)} runs lost a group: {found}"


def _at_lowest_load(results: Results, scope: str) -> dict[str, float]:
    shared = {**SETUP, "groups": 4, "lost_groups": 0}
    found = {}
    for name, where in (("adt", {"protocol": "adt"}), ("ang", ANG)):
        lowest = loads(results, {**shared, **where})[0]
        found[name] = latency(results, at_load(results, {**shared, **where}, lowest), scope=scope)
    return found
