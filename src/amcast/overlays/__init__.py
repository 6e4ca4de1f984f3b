"""Who forwards to whom: the static overlays that some protocols route messages on."""

from amcast.overlays.tree import Tree, parse_tree

__all__ = ["Tree", "parse_tree"]
