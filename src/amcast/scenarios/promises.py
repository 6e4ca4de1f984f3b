"""What a run that somebody wrote down was to keep, by what is written about it."""

from __future__ import annotations

from amcast.protocols import PROTOCOLS
from amcast.traces import RunInfo


def promised(run: RunInfo) -> tuple[str, ...] | None:
    """The properties that the run's protocol promises; None if we do not know the protocol."""
    if run.protocol is None or run.protocol not in PROTOCOLS:
        return None
    chosen = run.parameters.get("options")
    return PROTOCOLS[run.protocol].promises_with(chosen if isinstance(chosen, dict) else {})
