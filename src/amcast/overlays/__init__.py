"""Who forwards to whom: the static overlays that some protocols route messages on."""

from amcast.overlays.propagation import PropagationGraph, parse_propagation
from amcast.overlays.rank import Ranks, parse_ranks
from amcast.overlays.tree import Tree, parse_tree

__all__ = ["PropagationGraph", "Ranks", "Tree", "parse_propagation", "parse_ranks", "parse_tree"]
