"""Who forwards to whom: the static overlays that some protocols route messages on."""

from amcast.overlays.builders import best_start_walk, latency_tree, nearest_walk, star_at_centre
from amcast.overlays.outline import outline
from amcast.overlays.picture import picture
from amcast.overlays.propagation import PropagationGraph, parse_propagation
from amcast.overlays.rank import Ranks, parse_ranks
from amcast.overlays.tree import Tree, parse_tree

__all__ = [
    "PropagationGraph",
    "Ranks",
    "Tree",
    "best_start_walk",
    "latency_tree",
    "nearest_walk",
    "outline",
    "parse_propagation",
    "parse_ranks",
    "parse_tree",
    "picture",
    "star_at_centre",
]
