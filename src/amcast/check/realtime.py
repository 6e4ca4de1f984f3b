"""Global order: no cycle even if a delivery comes before every multicast at a later time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from amcast.check.arrange import ALWAYS, NEVER
from amcast.check.cycles import Chain, Step, shortest_cycle, smallest_component
from amcast.check.history import History
from amcast.check.order import add_edges, in_order, moves_of
from amcast.check.sequences import Delivered
from amcast.check.verdict import HOLDS, Finding, unknown, violated


class Times:
    """When each message was multicast, and first delivered anywhere, by message number."""

    def __init__(self, history: History, sequences: Iterable[Delivered]) -> None:
        self.sent = history.multicast_us.tolist()
        self.first = [NEVER] * len(self.sent)
        first = self.first
        for sequence in sequences:
            for m, at_us in zip(sequence.msgs, sequence.times, strict=True):
                if at_us < first[m]:
                    first[m] = at_us
        if history.messages < len(self.sent):
            # Nothing comes before a multicast that did not happen.
            self.sent = [
                at_us if groups else ALWAYS
                for at_us, groups in zip(self.sent, history.dst, strict=True)
            ]

    def floors(self, order: Sequence[int]) -> list[int]:
        """For each place in `order`, the first delivery of all from there on."""
        backwards = map(self.first.__getitem__, reversed(order))
        return list(accumulate(backwards, min))[::-1]

    def adrift(self, orders: Iterable[Sequence[int]]) -> list[Sequence[int]]:
        """Messages whose position belongs to another: not in any order, but in time."""
        placed = bytearray(len(self.first))
        for order in orders:
            for m in order:
                placed[m] = 1
        return [[m] for m, at_us in enumerate(self.first) if at_us < NEVER and not placed[m]]


def global_order(
    history: History,
    sequences: Sequence[Delivered],
    candidates: Sequence[Delivered],
    suspect: Iterable[int],
    times: Times | None,
) -> Finding:
    """`suspect` holds every message that can be on a cycle."""
    if times is None:
        return unknown("the trace has no times")
    edges: dict[int, list[int]] = {m: [] for m in suspect}
    if not edges:
        return HOLDS
    messages = list(edges)
    everything = [None] * len(history.ids)
    for sequence in candidates:
        add_edges(edges, sequence.order, everything)
    _add_time(edges, messages, times)
    component = smallest_component(edges)
    if not component:
        return HOLDS
    moves = moves_of(candidates, component, everything)
    in_time = Chain(None)
    for m in sorted(component, key=times.sent.__getitem__):
        in_time.append(times.sent[m], m)
    for m in component:
        moves[m].append((in_time, times.first[m]))
    cycle = shortest_cycle(component[0], moves)
    return violated(", ".join(_clause(history, sequences, times, step) for step in cycle))


def _add_time(edges: dict[int, list[int]], messages: Sequence[int], times: Times) -> None:
    """A chain of moments, each leading to the next and to what is multicast then.

    A delivery leads to the first moment that is strictly later. Moments are negative nodes.
    """
    moments = sorted(dict.fromkeys(times.sent[m] for m in messages))
    node_of = {at_us: -1 - index for index, at_us in enumerate(moments)}
    for node in node_of.values():
        edges[node] = [node - 1] if -node < len(moments) else []
    for m in messages:
        edges[node_of[times.sent[m]]].append(m)
        later = bisect_right(moments, times.first[m])
        if later < len(moments):
            edges[m].append(-1 - later)


def _clause(history: History, sequences: Iterable[Delivered], times: Times, step: Step) -> str:
    before, chain, after = step
    if chain.where is not None:
        return in_order(history, step)
    process = next(
        sequence.process
        for sequence in sequences
        if (before, times.first[before]) in zip(sequence.msgs, sequence.times, strict=True)
    )
    message, other = history.ids[before], history.ids[after]
    return f"{message} is delivered at {process} before {other} is multicast"
