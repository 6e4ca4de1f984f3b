"""What makes a parent map a tree; every refusal is one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from amcast.core import GroupId, InvalidInput

Parents = dict[GroupId, GroupId | None]


def parents_of_edges(
    groups: Sequence[GroupId], edges: Iterable[tuple[GroupId, GroupId]]
) -> Parents:
    """The parent map of (parent, child) edges; groups that are nobody's child get None."""
    parents: Parents = {}
    mentioned: dict[GroupId, None] = {}
    for parent, child in edges:
        _check_known(parent, groups)
        _check_known(child, groups)
        if child in parents:
            _refuse_second_parent(child, parents[child], parent)
        parents[child] = parent
        mentioned[parent] = mentioned[child] = None
    if len(groups) > 1:
        for group in groups:
            if group not in mentioned:
                raise InvalidInput(f"group {group!r} is missing from the tree: no edge names it")
    return {group: parents.get(group) for group in groups}


def check_parents(
    groups: Sequence[GroupId], parents: Mapping[GroupId, GroupId | None]
) -> tuple[GroupId, Parents]:
    """The root and the parents in configuration order, refused unless they form one tree."""
    for child, parent in parents.items():
        _check_known(child, groups)
        if parent is not None:
            _check_known(parent, groups)
    for group in groups:
        if group not in parents:
            raise InvalidInput(
                f"group {group!r} is missing from the tree: give its parent, or none for the root"
            )
    ordered = {group: parents[group] for group in groups}
    roots = [group for group, parent in ordered.items() if parent is None]
    # Before the roots are counted: a map without any root is a cycle, and says more as one.
    _refuse_cycles(ordered)
    if len(roots) > 1:
        raise InvalidInput(
            f"a tree has one root, but groups {', '.join(roots)} have no parent: "
            "give all but one of them a parent"
        )
    return roots[0], ordered


def _refuse_cycles(parents: Parents) -> None:
    safe: dict[GroupId, None] = {}
    for start in parents:
        path: dict[GroupId, None] = {}
        group: GroupId | None = start
        while group is not None and group not in safe:
            if group in path:
                walk = [*path]
                cycle = [*walk[walk.index(group) :], group]
                raise InvalidInput(
                    f"the tree has a cycle: {' > '.join(reversed(cycle))}; "
                    "no group may be its own ancestor"
                )
            path[group] = None
            group = parents[group]
        safe |= path


def _check_known(group: GroupId, groups: Sequence[GroupId]) -> None:
    if group not in groups:
        raise InvalidInput(
            f"the tree names {group!r}, which is no group: the groups are {', '.join(groups)}"
        )


def _refuse_second_parent(child: GroupId, first: GroupId | None, second: GroupId) -> None:
    if first == second:
        raise InvalidInput(f"edge {second}>{child} is given twice: leave one out")
    raise InvalidInput(
        f"group {child!r} has two parents, {first} and {second}: in a tree it has one"
    )
