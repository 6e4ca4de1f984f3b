"""The statements about equations and graphs: 2016 on convoys, 1988 on propagation graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from amcast.lab.published_claims import Judgement, NotMeasured, TooFew, claim, listed
from amcast.lab.report_data import Results

# The 1988 paper drew groups of this size, and this many sites; it is silent on repetitions.
SMALL_GROUPS, SITES = 5, 200
REPETITIONS_MIN = 30


@claim("convoy-model", "fitted-model-matches")
def _fitted_matches(results: Results) -> Judgement:
    rows = results.rows("fits/curve")
    if not rows:
        raise NotMeasured
    errors = [abs(row["fitted_ms"] / row["simulated_ms"] - 1) for row in rows]
    betas = {row["protocol"]: row["beta"] for row in results.rows("fits/beta")}
    return max(errors) <= 0.05, (
        f"largest difference {max(errors):.1%} over {len(rows)} points; "
        f"batch sizes: {listed(betas, '')}"
    )


@claim("convoy-model", "model-is-a-lower-bound")
def _lower_bound(results: Results) -> Judgement:
    rows = results.rows("fits/curve")
    if not rows:
        raise NotMeasured
    above = sum(row["simulated_ms"] >= row["model_ms"] for row in rows)
    top = max(rows, key=lambda row: float(row["model_ms"] - row["simulated_ms"]))
    return above == len(rows), (
        f"{above} of {len(rows)} points are above; farthest below: {top['protocol']} at "
        f"{top['rate']:,.0f}/min, {top['simulated_ms']:.0f} ms against {top['model_ms']:.0f} ms"
    )


@claim("propagation-graphs", "depth-rises-then-falls")
def _depth(results: Results) -> Judgement:
    return _rises_then_falls(results, "depth_total")


@claim("propagation-graphs", "extra-rises-then-falls")
def _extra(results: Results) -> Judgement:
    return _rises_then_falls(results, "extra_total")


def _rises_then_falls(results: Results, total: str) -> Judgement:
    """For groups of five, and the largest number of them."""
    rows = [row for row in results.rows("computed/rows") if row["group_size"] == 5]
    if not rows:
        raise NotMeasured
    most = max(row["groups"] for row in rows)
    points = sorted({row["sites"] for row in rows if row["groups"] == most})
    drawn = {
        sites: [row[total] / row["groups"] for row in rows if _is(row, sites, most)]
        for sites in points
    }
    found = {sites: fmean(values) for sites, values in drawn.items()}
    shown = ", ".join(f"{sites} sites {value:.2f}" for sites, value in found.items())
    if min(map(len, drawn.values())) < REPETITIONS_MIN:
        raise TooFew(f"{most} groups: {shown}")
    peak = max(found, key=found.__getitem__)
    return points[0] < peak < points[-1], f"{most} groups: {shown}"


def _is(row: Mapping[str, Any], sites: int, groups: int) -> bool:
    return bool(row["sites"] == sites and row["groups"] == groups)


@claim("propagation-graphs", "load-between")
def _load(results: Results) -> Judgement:
    rows = results.rows("computed/rows")
    if not rows:
        raise NotMeasured
    # As published: small groups among any number of sites, groups of any size among 200.
    drawn: dict[tuple[int, ...], list[float]] = {}
    for row in rows:
        if row["group_size"] == SMALL_GROUPS or row["sites"] == SITES:
            key = (row["sites"], row["group_size"], row["groups"])
            share = row["load_propagation"] / row["load_centralised"]
            drawn.setdefault(key, []).append(share)
    highest = max(fmean(shares) for shares in drawn.values())
    return highest < 1, f"at most {highest:.0%} of it, over {len(drawn)} kinds of families"


@claim("propagation-graphs", "fewer-messages-than-two-phase")
def _fewer(results: Results) -> Judgement:
    rows = results.rows("computed/rows")
    if not rows:
        raise NotMeasured
    fewer = sum(_messages(row) < 3 * row["group_size"] for row in rows)
    return fewer == len(rows), f"on average over the groups of {_share(fewer, rows)}"


def _messages(row: Mapping[str, Any]) -> float:
    return float(row["group_size"] + row["extra_total"] / row["groups"])


def _share(count: int, rows: Iterable[object]) -> str:
    return f"{count} of {len(list(rows))} families"
