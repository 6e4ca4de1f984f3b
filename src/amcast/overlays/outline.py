"""Overlays as text: trees and forests indented, ranks from the lowest up."""

from __future__ import annotations

from amcast.core import GroupId
from amcast.overlays.propagation import PropagationGraph
from amcast.overlays.rank import Ranks
from amcast.overlays.tree import Tree


def outline(overlay: Tree | Ranks | PropagationGraph) -> str:
    """One line a group; of a propagation graph also where the messages of each set enter."""
    match overlay:
        case Ranks():
            return "\n".join(f"{rank} {group}" for rank, group in enumerate(overlay.order))
        case Tree():
            lines = _indented(PropagationGraph.of_tree(overlay))
        case PropagationGraph():
            lines = [*_indented(overlay), *(_entry(overlay, dst) for dst in overlay.sets or ())]
    return "\n".join(lines)


def _indented(graph: PropagationGraph) -> list[str]:
    lines = []
    # Chains may have thousands of groups, too many for recursion.
    waiting = [(0, root) for root in reversed(graph.roots)]
    while waiting:
        level, group = waiting.pop()
        lines.append("  " * level + group)
        waiting += [(level + 1, child) for child in reversed(graph.children(group))]
    return lines


def _entry(graph: PropagationGraph, dst: tuple[GroupId, ...]) -> str:
    extra = graph.extra(dst)
    through = f", through {', '.join(extra)}" if extra else ""
    return f"{'+'.join(dst)} enters at {graph.primary(dst)}{through}"
