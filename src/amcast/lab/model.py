"""Equations beside measured metrics: what the stage `model` leaves in `fits/`.

A table each:

    beta        by protocol: the batch size that fits best, and what it leaves over
    curve       by protocol and load: simulated, model, and fitted latency
    shares      the convoy effect over load, for several probabilities of conflict
    conflict    that probability over the number of groups and destinations
    commuting   the wait where a share of all pairs commutes, model and simulated
    costs       delays and messages of one message, as analysed in 2009 and as measured
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from amcast.lab.convoy import (
    Point,
    blocked_share,
    conflict_probability,
    convoy_ms,
    fit_beta,
    latency_ms,
)
from amcast.lab.model_costs import costs
from amcast.lab.report_data import Results, Row, Setting
from amcast.scenarios import scenario_named

FITS: Final = "fits"
CONVOY_MODEL: Final = "convoy-model"
GENUINE_OR_NOT: Final = "genuine-vs-nongenuine"
SECONDS_PER_MINUTE: Final = 60
# Delays until delivery, of a message that meets no other; clients are outside.
DELAYS_ALONE: Final = {"skeen": 2, "skeen-coordinator": 3, "generic": 2}
FITTED: Final = ("skeen", "skeen-coordinator")
GROUPS, DESTINATIONS = 4, 2
CONFLICTS: Final = (0.25, 0.5, 5 / 6, 1.0)
ARRIVALS: Final = (0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
SETS: Final = (1, 2, 3, 5, 10)


def fit(experiment: str, metrics: Path) -> dict[str, list[Row]]:
    """The tables of an experiment, by name; `metrics` is the folder of its metrics."""
    if experiment == GENUINE_OR_NOT:
        return {"costs": costs()}
    if experiment != CONVOY_MODEL:
        return {}
    results = Results(metrics.parent)
    return {
        **_fitted(results),
        "shares": list(_shares()),
        "conflict": list(_conflicts()),
        "commuting": list(_commuting(results)),
    }


def write_fits(directory: Path, experiment: str) -> None:
    """Leave the tables in `fits/` of an experiment's directory, instead of those before."""
    target, draft = directory / FITS, directory / f".{FITS}.partial"
    shutil.rmtree(draft, ignore_errors=True)
    for name, rows in fit(experiment, directory / "metrics").items():
        if rows:
            (draft / name).mkdir(parents=True)
            pq.write_table(pa.Table.from_pylist(rows), draft / name / "part-0.parquet")
    shutil.rmtree(target, ignore_errors=True)
    if draft.exists():
        draft.rename(target)


def _fitted(results: Results) -> dict[str, list[Row]]:
    betas, curve = [], []
    where = {"groups": GROUPS, "sizes": DESTINATIONS}
    conflict = conflict_probability(GROUPS, DESTINATIONS)
    for protocol in FITTED:
        found = sorted(
            (rate(each), until_delivery_ms(results, each), delay_ms(each))
            for each in results.settings
            if each.matches({**where, "protocol": protocol})
        )
        if not found:
            continue
        delay = found[0][2]
        # The equation is for two delays; what a coordinator adds to them is no convoy.
        more = (DELAYS_ALONE[protocol] - 2) * delay
        fitted = fit_beta([Point(load, ms - more) for load, ms, _ in found], delay, conflict)
        betas.append(
            {
                "protocol": protocol,
                "delay_ms": delay,
                "conflict": conflict,
                "beta": fitted.beta,
                "deviation_ms": fitted.deviation_ms,
                "points": len(found),
            }
        )
        curve += [
            {
                "protocol": protocol,
                "rate": load,
                "simulated_ms": ms,
                "model_ms": more + latency_ms(load, 1, delay, conflict),
                "fitted_ms": more + latency_ms(load, fitted.beta, delay, conflict),
            }
            for load, ms, _ in found
        ]
    return {"beta": betas, "curve": curve}


def rate(setting: Setting) -> float:
    """Messages a minute of all clients together."""
    values = setting.values
    return float(values["rate"]) * float(values["clients"]) * SECONDS_PER_MINUTE


def delay_ms(setting: Setting) -> float:
    """Between two groups. All are equally far apart here, and clients as far."""
    values = setting.values
    network = scenario_named(values["scenario"], int(values["groups"])).network
    first, second, *_ = network.sites
    return network.scaled(float(values["latency_scale"])).base_us[first][second] / 1000


def until_delivery_ms(results: Results, setting: Setting) -> float:
    """The mean over destinations until they deliver: until the reply, without its way back."""
    rows = [
        row
        for row in results.where("latency", {}, order="arrival", statistic="mean", scope="global")
        if row["setting"] is setting
    ]
    return float(sum(row["us"] for row in rows)) / len(rows) / 1000 - delay_ms(setting)


def _shares() -> Iterator[Row]:
    for conflict in CONFLICTS:
        for arrivals in ARRIVALS:
            share = conflict * blocked_share(arrivals)
            yield {"label": f"P_c = {conflict:.2f}", "x": float(arrivals), "y": share}


def _conflicts() -> Iterator[Row]:
    for destinations in SETS:
        for groups in range(max(2, destinations), 101):
            found = conflict_probability(groups, destinations)
            yield {"label": f"{destinations} destinations", "x": float(groups), "y": found}


def _commuting(results: Results) -> Iterator[Row]:
    """The equation is a straight line; runs with fewer and fewer conflicts beside it."""
    for tenth in range(11):
        share = tenth / 10
        whole = convoy_ms(1, 1, 1)
        yield {"label": "model", "x": share, "y": convoy_ms(1, 1, 1, share) / whole}
    waits = dict(sorted(_waits_by_keys(results)))
    if len(waits) > 1 and waits.get(1):
        for keys, wait in waits.items():
            yield {"label": "simulated", "x": 1 - 1 / keys, "y": wait / waits[1]}


def _waits_by_keys(results: Results) -> Iterator[tuple[int, float]]:
    """Messages have one of so many keys: two of them commute unless it is the same."""
    for each in _of_protocol(results.settings, "generic"):
        alone = DELAYS_ALONE["generic"] * delay_ms(each)
        yield int(each.values["keys"]), until_delivery_ms(results, each) - alone


def _of_protocol(settings: Sequence[Setting], protocol: str) -> Iterator[Setting]:
    wanted: Mapping[str, Any] = {"protocol": protocol}
    return (each for each in settings if each.matches(wanted) and "keys" in each.values)
