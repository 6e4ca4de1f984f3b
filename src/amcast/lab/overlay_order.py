"""In which order published tables count the destinations of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amcast.core import GroupId, InvalidInput
from amcast.overlays import Ranks, Tree, parse_ranks, parse_tree
from amcast.protocols import PROTOCOLS
from amcast.scenarios import scenario_named


def overlay_order(parameters: Mapping[str, Any]) -> tuple[GroupId, ...]:
    """The groups as published tables count destinations; none if the set-up is not ours.

    Ranks count upwards, trees level by level; without an overlay, the configuration decides.
    """
    try:
        count = parameters.get("groups")
        scenario = scenario_named(
            parameters.get("scenario", ""), None if count is None else int(count)
        )
        protocol = PROTOCOLS[parameters["protocol"]]
    except (InvalidInput, KeyError):
        return ()
    name: str | None = parameters.get("overlay")
    groups = scenario.groups
    if protocol.overlay == "ranks":
        return _by_rank(groups, scenario.ranks, name)
    if protocol.overlay == "tree":
        return _level_by_level(_tree(groups, scenario.trees, name), groups)
    return groups


def _by_rank(
    groups: tuple[GroupId, ...], known: Mapping[str, Ranks], name: str | None
) -> tuple[GroupId, ...]:
    if name is None:
        return groups
    named = {each.casefold(): ranks for each, ranks in known.items()}
    ranks = named.get(name.casefold()) or parse_ranks(name, groups)
    return tuple(sorted(groups, key=ranks.rank))


def _tree(groups: tuple[GroupId, ...], known: Mapping[str, Tree], name: str | None) -> Tree:
    if name is None:
        return Tree.star(groups)
    named = {each.casefold(): tree for each, tree in known.items()}
    return named.get(name.casefold()) or parse_tree(name, groups)


def _level_by_level(tree: Tree, groups: tuple[GroupId, ...]) -> tuple[GroupId, ...]:
    """No child comes before its parent; groups of one level in the order of the configuration."""
    depth = {group: tree.height((tree.root, group)) for group in groups}
    return tuple(sorted(groups, key=depth.__getitem__))
