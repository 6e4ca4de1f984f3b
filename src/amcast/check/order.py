"""Acyclic and conflict order: what processes deliver earlier and later makes no cycle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amcast.check.cycles import Chain, Step, shortest_cycle, smallest_component
from amcast.check.history import History
from amcast.check.sequences import Delivered
from amcast.check.verdict import HOLDS, Finding, violated

# By message number: what it conflicts on. Without this, all messages conflict.
Keys = Sequence[tuple[str, ...] | None]


def acyclic_order(
    history: History, candidates: Iterable[Delivered], stuck: Iterable[int]
) -> Finding:
    """`stuck` holds every message that can be on a cycle."""
    return _order(history, list(candidates), stuck, [None] * len(history.ids))


def conflict_order(
    history: History, candidates: Iterable[Delivered], stuck: Iterable[int]
) -> Finding:
    """The same for pairs that conflict: fewer cycles, among the same messages."""
    return _order(history, list(candidates), stuck, history.keys)


def _order(
    history: History, candidates: list[Delivered], stuck: Iterable[int], keys: Keys
) -> Finding:
    edges: dict[int, list[int]] = {m: [] for m in stuck}
    if not edges:
        return HOLDS
    for sequence in candidates:
        add_edges(edges, sequence.order, keys)
    component = smallest_component(edges)
    if not component:
        return HOLDS
    cycle = shortest_cycle(component[0], moves_of(candidates, component, keys))
    return violated(", ".join(in_order(history, step) for step in cycle))


def in_order(history: History, step: Step) -> str:
    before, chain, after = step
    return f"{history.ids[before]} < {history.ids[after]} at {chain.where}"


def add_edges(edges: dict[int, list[int]], order: Iterable[int], keys: Keys) -> None:
    """Link messages of `edges` so that a way leads to each later one that conflicts.

    Each key's messages make a chain. A message without keys, which conflicts with all that
    have some, is the end of all chains before it and the start of all behind it.
    """
    barrier: int | None = None
    ends: dict[str, int] = {}
    for m in order:
        if m not in edges:
            continue
        own = keys[m]
        if own is None:
            for end in ends.values():
                edges[end].append(m)
            if barrier is not None and not ends:
                edges[barrier].append(m)
            barrier = m
            ends = {}
            continue
        for key in own:
            before = ends.get(key, barrier)
            if before is not None and before != m:
                edges[before].append(m)
            ends[key] = m


def moves_of(
    candidates: Iterable[Delivered], component: Iterable[int], keys: Keys
) -> dict[int, list[tuple[Chain, int]]]:
    """All pairs, not just neighbours: one step from a message to each later that conflicts."""
    moves: dict[int, list[tuple[Chain, int]]] = {m: [] for m in component}
    for sequence in candidates:
        chains: dict[str | bool, Chain] = {}
        for at, m in enumerate(sequence.order):
            if m in moves:
                member_of, leads_to = _chains_of(keys[m])
                for name in member_of:
                    _chain(chains, name, sequence).append(at, m)
                moves[m] += [(_chain(chains, name, sequence), at) for name in leads_to]
    return moves


def _chains_of(
    own: tuple[str, ...] | None,
) -> tuple[tuple[str | bool, ...], tuple[str | bool, ...]]:
    """The chains that a message is in, and those that it leads to.

    There is one for each key, one (False) for messages without keys, and one (True) for all
    that conflict with those.
    """
    if own is None:
        return (True, False), (True,)
    if not own:
        return (), ()
    named = tuple(dict.fromkeys(own))
    return (*named, True), (*named, False)


def _chain(chains: dict[str | bool, Chain], name: str | bool, sequence: Delivered) -> Chain:
    chain = chains.get(name)
    if chain is None:
        chain = chains[name] = Chain(sequence.process)
    return chain
