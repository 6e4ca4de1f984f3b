"""Whether a run kept the promises of atomic multicast, and if not, a witness in words.

Write a run down in a `History`, then `check` it. Nothing here knows how the run came about.
"""

from amcast.check.checker import check, violations
from amcast.check.history import History
from amcast.check.verdict import PROPERTIES, Finding, Verdict, merge

__all__ = ["PROPERTIES", "Finding", "History", "Verdict", "check", "merge", "violations"]
