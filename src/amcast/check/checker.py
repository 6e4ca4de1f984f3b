"""All properties of one run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from amcast.check.arrange import Arranged, arrange
from amcast.check.genuineness import genuineness, minimality
from amcast.check.history import History
from amcast.check.integrity import integrity
from amcast.check.order import acyclic_order, conflict_order
from amcast.check.prefix import prefix_order
from amcast.check.reach import validity_and_agreement
from amcast.check.realtime import Times, global_order
from amcast.check.sequences import Delivered, delivered, representatives
from amcast.check.verdict import HOLDS, PROPERTIES, Finding, Verdict
from amcast.core import InvalidInput


def check(history: History, *, required: Collection[str] | None = None) -> Verdict:
    """Judge a run. `required` names what its protocol promises; None if nobody knows."""
    promised = _promised(history, required)
    findings = _findings(history)
    return Verdict(
        run=history.run,
        properties={
            name: Finding(findings[name].verdict, name in promised, findings[name].witness)
            for name in PROPERTIES
        },
        messages=history.messages,
        deliveries=history.deliveries,
    )


def violations(history: History, required: Collection[str] | None = None) -> list[str]:
    """The promises that the run breaks, each as `property: witness`."""
    return [
        f"{name}: {finding.witness}"
        for name, finding in check(history, required=required).properties.items()
        if finding.required and finding.verdict == "violated"
    ]


def _promised(history: History, required: Collection[str] | None) -> Collection[str]:
    if required is None:
        optional = ["genuineness", "minimality", "global_order"]
        if not history.has_keys:
            optional.append("conflict_order")
        return [name for name in PROPERTIES if name not in optional]
    for name in required:
        if name not in PROPERTIES:
            raise InvalidInput(
                f"there is no property {name!r} to require: use {', '.join(PROPERTIES)}"
            )
    return required


def _findings(history: History) -> dict[str, Finding]:
    sequences = delivered(history)
    candidates = representatives(sequences)
    times = Times(history, sequences) if history.has_times else None
    arranged = _arranged(len(history.ids), sequences, candidates, times)
    whole = integrity(history, sequences)
    validity, agreement = validity_and_agreement(history, sequences)
    if whole == HOLDS and not arranged.stuck and _all_everywhere(history, candidates):
        # Two groups that share the same messages and agree on their order: no need to compare.
        prefix = HOLDS
    else:
        prefix = prefix_order(history, candidates)
    return {
        "integrity": whole,
        "validity": validity,
        "agreement": agreement,
        "prefix_order": prefix,
        "acyclic_order": acyclic_order(history, candidates, arranged.stuck),
        "conflict_order": conflict_order(history, candidates, arranged.stuck),
        "genuineness": genuineness(history),
        "minimality": minimality(history),
        "global_order": global_order(history, sequences, candidates, arranged.suspect, times),
    }


def _all_everywhere(history: History, candidates: list[Delivered]) -> bool:
    """Whether every group delivers all it should, given that integrity holds."""
    groups = dict.fromkeys(sequence.group for sequence in candidates)
    places = sum(len(sequence.order) for sequence in candidates)
    return len(groups) == len(candidates) and places == sum(map(len, history.dst))


def _arranged(
    messages: int, sequences: list[Delivered], candidates: list[Delivered], times: Times | None
) -> Arranged:
    orders: list[Sequence[int]] = [sequence.order for sequence in candidates]
    if times is None:
        nothing = [0] * messages
        return arrange(orders, [nothing[: len(order)] for order in orders], nothing)
    if any(sequence.clash is not None for sequence in sequences):
        orders += times.adrift(orders)
    return arrange(orders, [times.floors(order) for order in orders], times.sent)
