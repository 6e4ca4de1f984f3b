"""Cycles in a graph of messages: which messages lie on one, and a short one in particular."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping

from amcast.core import ProcessId

_CLOSED = 1 << 62


def smallest_component(edges: Mapping[int, list[int]]) -> list[int]:
    """The messages of the strong component that has fewest but lies on a cycle; [] if none.

    Negative nodes are no messages. No node may have an edge to itself.
    """
    best: list[int] = []
    for component in _components(edges):
        messages = sorted(node for node in component if node >= 0)
        if not best or (len(messages), messages) < (len(best), best):
            best = messages
    return best


def _components(edges: Mapping[int, list[int]]) -> Iterator[list[int]]:
    """Strong components of more than one node: Tarjan's algorithm, without recursion."""
    number: dict[int, int] = {}
    # The lowest number that a node is known to lead back to; _CLOSED if its component is known.
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    for root in edges:
        path = [] if root in low else [root]
        branches = [iter(edges[root])]
        while path:
            node = path[-1]
            if node not in low:
                number[node] = low[node] = len(low)
                open_nodes.append(node)
            for after in branches[-1]:
                if after not in low:
                    path.append(after)
                    branches.append(iter(edges[after]))
                    break
                low[node] = min(low[node], low[after])
            else:
                path.pop()
                branches.pop()
                if low[node] == number[node]:
                    component = _close(node, open_nodes, low)
                    if len(component) > 1:
                        yield component
                elif path:
                    low[path[-1]] = min(low[path[-1]], low[node])


def _close(node: int, open_nodes: list[int], low: dict[int, int]) -> list[int]:
    """Take the component of `node`, the first of it that was met, off the open nodes."""
    start = len(open_nodes) - 1
    while open_nodes[start] != node:
        start -= 1
    component = open_nodes[start:]
    del open_nodes[start:]
    for member in component:
        low[member] = _CLOSED
    return component


class Chain:
    """Messages in order, such that some messages lead to all from a certain place on.

    `where` is the process whose deliveries these are, or None if this is the order in time.
    """

    __slots__ = ("at", "msgs", "unseen", "where")

    def __init__(self, where: ProcessId | None) -> None:
        self.where = where
        self.at: list[int] = []
        self.msgs: list[int] = []
        # Messages from here on have been visited.
        self.unseen = _CLOSED

    def append(self, at: int, message: int) -> None:
        self.at.append(at)
        self.msgs.append(message)

    def visit(self, after: int) -> list[int]:
        """What is behind `after`, except what an earlier visit returned."""
        first = bisect_right(self.at, after)
        found = self.msgs[first : self.unseen]
        self.unseen = min(self.unseen, first)
        return found


# A message leads to all messages of a chain that are behind a place.
Moves = Mapping[int, list[tuple[Chain, int]]]
Step = tuple[int, Chain, int]


def shortest_cycle(start: int, moves: Moves) -> list[Step]:
    """The steps of a shortest way from `start` to itself; linear, for chains are visited once."""
    came_from: dict[int, Step] = {}
    queue = [start]
    for message in queue:
        for chain, after in moves[message]:
            for following in chain.visit(after):
                if following not in came_from:
                    came_from[following] = (message, chain, following)
                    queue.append(following)
        if start in came_from:
            return _way_back(start, came_from)
    raise AssertionError("every message of a strong component is on a cycle")


def _way_back(start: int, came_from: Mapping[int, Step]) -> list[Step]:
    steps = [came_from[start]]
    while steps[-1][0] != start:
        steps.append(came_from[steps[-1][0]])
    return steps[::-1]
