"""Latencies of a run in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Mapping

# Values are rounded down to this many leading bits: too low by less than one percent.
LEADING_BITS = 8
# A run of a given duration leaves out its first and last tenth, when load is not steady.
TRIMMED_SHARE = 0.1


class Histogram:
    """Counts of values, close ones together."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def add(self, value: int) -> None:
        cut = value.bit_length() - LEADING_BITS
        if cut > 0:
            value = value >> cut << cut
        counts = self._counts
        counts[value] = counts.get(value, 0) + 1

    @property
    def total(self) -> int:
        return sum(self._counts.values())

    @property
    def mean(self) -> float:
        total = self.total
        return sum(value * many for value, many in self._counts.items()) / total if total else 0.0

    def percentile(self, share: float) -> int:
        """The smallest value that at least `share` of all values do not exceed."""
        total = self.total
        if not total:
            raise ValueError("there are no values")
        seen = 0
        for value in sorted(self._counts):
            seen += self._counts[value]
            if seen >= share * total:
                return value
        raise AssertionError("all values were counted")


class Latencies:
    """From multicast to reply: of the k-th destination, in the order of groups, and of all."""

    def __init__(self, duration_us: int | None) -> None:
        self.all = Histogram()
        self._by_rank: dict[int, Histogram] = {}
        self.completed = 0
        trimmed = 0 if duration_us is None else int(duration_us * TRIMMED_SHARE)
        self._from_us = trimmed
        self._to_us = None if duration_us is None else duration_us - trimmed

    def note(self, rank: int, sent_us: int, now_us: int, last: bool) -> None:
        """One reply; `last` when it completes its message."""
        if last:
            self.completed += 1
        if sent_us < self._from_us or (self._to_us is not None and sent_us >= self._to_us):
            return
        found = self._by_rank.get(rank)
        if found is None:
            found = self._by_rank[rank] = Histogram()
        found.add(now_us - sent_us)
        if last:
            self.all.add(now_us - sent_us)

    @property
    def by_rank(self) -> Mapping[int, Histogram]:
        """Destination 0, 1, 2, ... of the message, in the order of the configuration."""
        return dict(sorted(self._by_rank.items()))
