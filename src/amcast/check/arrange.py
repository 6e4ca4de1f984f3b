"""One order of all messages that fits every process, if there is one, and else what resists.

Most runs are good, and then it is cheaper to show such an order than to look for cycles:
take a message as soon as it is next in every sequence that has it. What is never next
everywhere lies on a cycle or behind one.

Real time adds that a message may be taken only if no message that is still to be taken was
delivered before this one was multicast. Protocols seldom promise that, so when it leaves
nothing to take, the earliest multicast is taken all the same. From there on until every
delivery before the latest multicast taken so far is taken too, messages are suspect. No
cycle contains any other message: wherever the arrangement is cut outside such a stretch,
nothing leads from behind the cut back to the front of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

# Later than any time of 64 bits, and earlier than any.
NEVER = 1 << 64
ALWAYS = -NEVER


class Arranged(NamedTuple):
    """`stuck`: all messages on a cycle are here. `suspect`: the same, with real time."""

    stuck: list[int]
    suspect: list[int]


class _Horizon:
    """Until when a message must be multicast to be taken now."""

    def __init__(self, heads: list[int]) -> None:
        self.heads = heads
        self.limit = min(heads, default=NEVER)
        self.stretches: list[tuple[int, int]] = []
        self._start: int | None = None

    def advance(self, taken: int) -> int:
        """Follow the earliest delivery that is still to be taken."""
        now = min(self.heads, default=NEVER)
        if now >= self.limit:
            self.limit = now
            self.close(taken)
        return self.limit

    def force(self, limit: int, taken: int) -> int:
        if self._start is None:
            self._start = taken
        self.limit = limit
        return limit

    def close(self, taken: int) -> None:
        if self._start is not None:
            self.stretches.append((self._start, taken))
            self._start = None


def arrange(
    orders: Sequence[Sequence[int]], floors: Sequence[Sequence[int]], sent: Sequence[int]
) -> Arranged:
    """`floors[i][j]` is when the first of `orders[i][j:]` was delivered anywhere.

    `sent` says by message number when it was multicast. If all times are 0, only order counts.
    """
    left = _occurrences(orders, len(sent))
    total = len(left) - left.count(0)
    horizon = _Horizon([floor[0] if floor else NEVER for floor in floors])
    taken = _take(orders, floors, sent, left, horizon)
    horizon.close(len(taken))
    stuck: list[int] = []
    if len(taken) < total:
        stuck = list(dict.fromkeys(m for order in orders for m in order if left[m]))
    late = [m for start, end in horizon.stretches for m in taken[start:end]]
    return Arranged(stuck, late + stuck)


def _occurrences(orders: Sequence[Sequence[int]], messages: int) -> list[int]:
    left = [0] * messages
    for order in orders:
        for m in order:
            left[m] += 1
    return left


def _take(
    orders: Sequence[Sequence[int]],
    floors: Sequence[Sequence[int]],
    sent: Sequence[int],
    left: list[int],
    horizon: _Horizon,
) -> list[int]:
    """All that can be taken, in that order; `left` falls to 0 for each.

    A sequence is an iterator that stops behind a message that it waits for. The head of a
    sequence that runs is out of date, but too early, so the limit errs on the safe side.
    """
    rows = [zip(*pair, strict=True) for pair in zip(orders, floors, strict=True)]
    heads, limit = horizon.heads, horizon.limit
    waiting: dict[int, list[int]] = {}
    parked: list[tuple[int, int, int]] = []
    taken: list[int] = []
    ready = list(range(len(rows)))
    while ready or parked:
        if not ready:
            limit = _unpark(parked, left, waiting, horizon, taken, ready)
            continue
        which = ready.pop()
        for m, floor in rows[which]:
            if left[m] > 1:
                left[m] -= 1
                heads[which] = floor
                waiting.setdefault(m, []).append(which)
                break
            if sent[m] > limit:
                heads[which] = floor
                limit = horizon.advance(len(taken))
                if sent[m] > limit:
                    heappush(parked, (sent[m], m, which))
                    break
            taken.append(m)
            left[m] = 0
            if m in waiting:
                ready += waiting.pop(m)
        else:
            heads[which] = NEVER
    return taken


def _unpark(
    parked: list[tuple[int, int, int]],
    left: list[int],
    waiting: dict[int, list[int]],
    horizon: _Horizon,
    taken: list[int],
    ready: list[int],
) -> int:
    """Take what waits only for time to pass, and at least one message."""
    limit = horizon.advance(len(taken))
    if parked[0][0] > limit:
        limit = horizon.force(parked[0][0], len(taken))
    while parked and parked[0][0] <= limit:
        _, m, which = heappop(parked)
        taken.append(m)
        left[m] = 0
        ready.append(which)
        ready += waiting.pop(m, ())
    return limit
