"""Published numbers and statements beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

# Importing these enters their predicates.
from amcast.lab import (  # noqa: F401
    published_flexcast,
    published_models,
    published_studies,
    published_thesis,
)
from amcast.lab.published import (
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    REPRODUCED,
    Claim,
    Value,
    claims,
    values,
)
from amcast.lab.published_claims import PREDICATES, SAMPLES_MIN
from amcast.lab.report_data import Ambiguous, Results, Row, mean_over_groups, of_one_setting, only

FEW: Final = "too few samples"
NOT_MEASURED: Final = "not measured"
STATUSES: Final = (REPRODUCED, NOT_REPRODUCED, NOT_COMPARABLE, FEW, NOT_MEASURED)


@dataclass(frozen=True)
class Found:
    """Our number, from how many samples, and its bounds over seeds."""

    value: float
    samples: int | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Compared:
    """One line of the comparison."""

    published: Value | Claim
    status: str
    ours: str
    deviation: float | None = None
    found: Found | None = None
    # Why it was not measured, if that is no matter of the size.
    trouble: str = ""

    @property
    def as_expected(self) -> bool:
        return self.status == self.published.expected or self.status in (FEW, NOT_MEASURED)

    @property
    def reason(self) -> str:
        """Why it is not reproduced, as far as we know."""
        if self.status == FEW:
            if isinstance(self.published, Claim):
                return "The runs of this size are too short for it."
            return f"A percentile counts from {SAMPLES_MIN:,} samples on."
        if self.status == NOT_MEASURED:
            return self.trouble or "No run of this size shows it."
        if self.status == REPRODUCED:
            return "" if self.as_expected else self.published.reason
        return self.published.reason or "We expected it to be reproduced and do not know why not."


def compare(results: Results, experiment: str) -> list[Compared]:
    """Every published number and statement of an experiment."""
    published: list[Claim | Value] = [*claims(), *values()]
    return [_compared(results, each) for each in published if each.experiment == experiment]


def _compared(results: Results, published: Claim | Value) -> Compared:
    """Runs with parameters that we did not think of may fit more than once: then none counts."""
    try:
        if isinstance(published, Claim):
            return _claim(results, published)
        return _value(results, published)
    except Ambiguous as error:
        return Compared(published, NOT_MEASURED, "", trouble=f"Several runs fit: {error}.")


def _value(results: Results, value: Value) -> Compared:
    found = MEASURES[value.measure](results, value)
    if found is None:
        return Compared(value, NOT_MEASURED, "")
    shown = f"{found.value:.4g} {value.unit}".strip() + (f" ({found.note})" if found.note else "")
    if value.absolute:
        deviation = found.value - value.value
    else:
        deviation = (found.value - value.value) / value.value
    if found.samples is not None and found.samples < SAMPLES_MIN:
        status = FEW
    elif value.expected == NOT_COMPARABLE and not value.judged:
        status = NOT_COMPARABLE
    else:
        status = REPRODUCED if value.agrees(found.value) else NOT_REPRODUCED
    return Compared(value, status, shown, deviation, found)


def _claim(results: Results, claim: Claim) -> Compared:
    judgement = PREDICATES[claim.experiment, claim.id](results)
    if judgement is None:
        return Compared(claim, NOT_MEASURED, "")
    holds, shown = judgement
    if holds is None:
        return Compared(claim, FEW, shown)
    if claim.expected == NOT_COMPARABLE:
        return Compared(claim, NOT_COMPARABLE, shown)
    return Compared(claim, REPRODUCED if holds else NOT_REPRODUCED, shown)


def _latency_ms(results: Results, value: Value) -> Found | None:
    """Of each seed, then the mean; of all seeds together if one alone has too few samples."""
    destination, statistic = value.details
    row = only(
        results.where(
            "latency", value.where,
            order="overlay", scope="global", destination=destination, statistic=statistic,
        )
    )  # fmt: skip
    if row is None:
        return None
    if row["samples_min"] < SAMPLES_MIN:
        return Found(row["pooled_us"] / 1000, row["samples"])
    low, high = row["us_low"], row["us_high"]
    return Found(
        row["us"] / 1000,
        row["samples"],
        None if low is None else low / 1000,
        None if high is None else high / 1000,
    )


def _overhead_percent(results: Results, value: Value) -> Found | None:
    row = only(results.where("overhead_summary", value.where))
    return None if row is None else Found(100 * row[value.details[0]])


def _received_kb_s(results: Results, value: Value) -> Found | None:
    """The mean over groups of what they receive from other groups and from clients."""
    rows = of_one_setting(results.where("traffic", value.where, direction="received", kind="all"))
    if not rows:
        return None
    return Found(mean_over_groups(rows, "bytes_s") / 1000, note=_packet_sizes(results, value))


def _packet_sizes(results: Results, value: Value) -> str:
    """What a packet between groups has on average, beside those of the other protocols.

    All carry the same payloads: what one protocol has more than the others is its own.
    """
    rows = results.where("traffic", {}, direction="received", peer="group", kind="all")
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["setting"].values["protocol"], []).append(row)
    sizes = {
        name: sum(row["bytes_s"] for row in each) / sum(row["packets_s"] for row in each)
        for name, each in found.items()
    }
    ours = sizes.pop(value.where["protocol"], None)
    if ours is None or not sizes or ours <= max(sizes.values()):
        return ""
    more = 1 - max(sizes.values()) / ours
    return f"of the {ours:,.0f} bytes of a packet, {more:.0%} are more than the others need"


def _beta_ratio(results: Results, value: Value) -> Found | None:
    """The larger fitted batch size over the smaller one."""
    betas = [row["beta"] for row in results.rows("fits/beta")]
    if len(betas) < 2:
        return None
    return Found(max(betas) / min(betas))


MEASURES: Final[Mapping[str, Callable[[Results, Value], Found | None]]] = {
    "latency_ms": _latency_ms,
    "overhead_percent": _overhead_percent,
    "received_kb_s": _received_kb_s,
    "beta_ratio": _beta_ratio,
}
