"""Atomic multicast for Python: protocols, a simulator and a checker."""

from amcast.check import Finding, History, Verdict, check
from amcast.core import InvalidInput, MessageId, Multicast
from amcast.scenarios import Parameters, simulate
from amcast.sim import Outcome

__all__ = [
    "Finding",
    "History",
    "InvalidInput",
    "MessageId",
    "Multicast",
    "Outcome",
    "Parameters",
    "Verdict",
    "check",
    "simulate",
]
