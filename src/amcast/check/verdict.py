"""What a check says about a run, and about several runs together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

PROPERTIES: tuple[str, ...] = (
    "integrity",
    "validity",
    "agreement",
    "prefix_order",
    "acyclic_order",
    "conflict_order",
    "genuineness",
    "minimality",
    "global_order",
)

_WORST_FIRST: tuple[Literal["violated", "unknown", "holds"], ...] = ("violated", "unknown", "holds")


class Finding(msgspec.Struct, frozen=True):
    """One property of one run. An unknown property's witness says what the trace lacks."""

    verdict: Literal["holds", "violated", "unknown"]
    required: bool = False
    witness: str | None = None


HOLDS = Finding("holds")


def violated(witness: str) -> Finding:
    return Finding("violated", witness=witness)


def unknown(reason: str) -> Finding:
    return Finding("unknown", witness=reason)


class Verdict(msgspec.Struct, frozen=True):
    """All properties of one run, in the order of `PROPERTIES`."""

    run: str
    properties: dict[str, Finding]
    messages: int
    deliveries: int

    @property
    def ok(self) -> bool:
        """Whether the run keeps every promise that is known to be checked."""
        return not any(
            finding.required and finding.verdict == "violated"
            for finding in self.properties.values()
        )


def merge(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Several runs as one JSON object: violated outweighs unknown, unknown outweighs holds."""
    runs = list(verdicts)
    return {
        "properties": {name: _merged(name, runs) for name in PROPERTIES},
        "runs": len(runs),
        "messages": sum(verdict.messages for verdict in runs),
        "deliveries": sum(verdict.deliveries for verdict in runs),
        "per_run": [msgspec.to_builtins(verdict) for verdict in runs],
    }


def _merged(name: str, runs: Sequence[Verdict]) -> dict[str, Any]:
    """The worst finding; of equally bad ones the first that is required.

    So the merged finding is violated and required exactly if that is so in some run: a
    promise of one run is never held against another run that did not make it.
    """
    found = [(verdict.run, verdict.properties[name]) for verdict in runs]
    for wanted in _WORST_FIRST:
        equally_bad = [(run, finding) for run, finding in found if finding.verdict == wanted]
        if equally_bad:
            required = [(run, finding) for run, finding in equally_bad if finding.required]
            run, finding = (required or equally_bad)[0]
            witness = finding.witness
            if witness is not None and len(runs) > 1:
                witness = f"{run}: {witness}"
            return {"verdict": wanted, "required": finding.required, "witness": witness}
    return {"verdict": "unknown", "required": False, "witness": "there are no runs"}
