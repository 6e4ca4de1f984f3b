"""A rooted tree over the groups: messages enter at the lowest common ancestor and go down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from amcast.core import GroupId, InvalidInput, check_groups, destinations
from amcast.overlays.shape import Parents, check_parents, parents_of_edges

Destinations = tuple[GroupId, ...]
_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")

# Drivers ask for the same few destinations again and again; a workload of random sets over
# many groups does not, and must not fill the memory of a process that runs for months.
CACHED_ANSWERS_MAX = 1 << 16


class Tree:
    """Made from a parent map, which is refused unless it is one tree; never changes afterwards.

    Destinations are tuples; groups come back in the order of the configuration.
    """

    def __init__(
        self, groups: Sequence[GroupId], parents: Mapping[GroupId, GroupId | None]
    ) -> None:
        self.groups = check_groups(groups)
        self.root, self._parents = check_parents(self.groups, parents)
        self._children = _children_of(self._parents)
        downwards = _parents_first(self.root, self._children)
        self._depths = _depths_of(downwards, self._parents)
        # A subtree as a bit mask over the configuration: "does it meet dst" is one `&`.
        self._bits = {group: 1 << position for position, group in enumerate(self.groups)}
        self._subtrees = _subtrees_of(downwards, self._parents, self._bits)
        self._lcas: dict[Destinations, GroupId] = {}
        self._routes: dict[tuple[GroupId, Destinations], Destinations] = {}

    @classmethod
    def from_edges(
        cls, groups: Sequence[GroupId], edges: Iterable[tuple[GroupId, GroupId]]
    ) -> Tree:
        """The tree with these (parent, child) edges."""
        return cls(groups, parents_of_edges(check_groups(groups), edges))

    @classmethod
    def star(cls, groups: Sequence[GroupId], root: GroupId | None = None) -> Tree:
        """Every group a child of `root`, by default the first group."""
        centre = check_groups(groups)[0] if root is None else root
        return cls(groups, {group: None if group == centre else centre for group in groups})

    @classmethod
    def chain(cls, groups: Sequence[GroupId]) -> Tree:
        """Every group the parent of the next one."""
        return cls(groups, dict(zip(groups, (None, *groups), strict=False)))

    @classmethod
    def binary(cls, groups: Sequence[GroupId]) -> Tree:
        """Heap order: 1 above 2 and 3, 2 above 4 and 5, 3 above 6 and 7, and so on."""
        heap = enumerate(groups)
        return cls(groups, {g: groups[(i - 1) // 2] if i else None for i, g in heap})

    def parent(self, group: GroupId) -> GroupId | None:
        """None for the root."""
        return self._parents[self._known(group)]

    def children(self, group: GroupId) -> Destinations:
        return self._children[self._known(group)]

    def lca(self, dst: Destinations) -> GroupId:
        """The lowest group whose subtree holds all of `dst`: where its messages enter."""
        found = self._lcas.get(dst)
        if found is None:
            wanted = self._mask(dst)
            found = dst[0]
            while wanted & ~self._subtrees[found]:
                above = self._parents[found]
                assert above is not None, "the root reaches every group"
                found = above
            _remember(self._lcas, dst, found)
        return found

    def route(self, group: GroupId, dst: Destinations) -> Destinations:
        """The children that `group` must forward to: those whose subtree meets `dst`."""
        key = (group, dst)
        found = self._routes.get(key)
        if found is None:
            wanted = self._mask(dst)
            below = self.children(group)
            found = tuple(child for child in below if self._subtrees[child] & wanted)
            _remember(self._routes, key, found)
        return found

    def edges_of(self, dst: Destinations) -> int:
        """How many edges a message to `dst` crosses: the union of the paths from the lca."""
        reached = [self.lca(dst)]
        for group in reached:
            reached.extend(self.route(group, dst))
        return len(reached) - 1

    def height(self, dst: Destinations) -> int:
        """How many levels order a message to `dst`, one after the other; 1 for one group."""
        top = self.lca(dst)
        return max(self._depths[group] for group in dst) - self._depths[top] + 1

    def _mask(self, dst: Destinations) -> int:
        return sum(self._bits[group] for group in destinations(dst, self.groups))

    def _known(self, group: GroupId) -> GroupId:
        if group not in self._bits:
            raise InvalidInput(
                f"{group!r} is no group of the tree: its groups are {', '.join(self.groups)}"
            )
        return group


def parse_tree(text: str, groups: Sequence[GroupId]) -> Tree:
    """The tree that a command line names: `star`, `star:g2`, `chain`, `binary`, `g1>g2,g1>g3`."""
    kind, colon, root = text.partition(":")
    match kind, bool(colon):
        case "star", _:
            return Tree.star(groups, root if colon else None)
        case "chain", False:
            return Tree.chain(groups)
        case "binary", False:
            return Tree.binary(groups)
        case _:
            return Tree.from_edges(groups, [_parse_edge(edge) for edge in text.split(",")])


def _parse_edge(text: str) -> tuple[GroupId, GroupId]:
    ends = [end.strip() for end in text.split(">")]
    if len(ends) != 2 or not all(ends):
        raise InvalidInput(
            f"tree {text.strip()!r} is not known: "
            "write star, star:g2, chain, binary, or parent>child edges such as g1>g2,g1>g3"
        )
    return ends[0], ends[1]


def _children_of(parents: Parents) -> dict[GroupId, Destinations]:
    children: dict[GroupId, list[GroupId]] = {group: [] for group in parents}
    for group, parent in parents.items():
        if parent is not None:
            children[parent].append(group)
    return {group: tuple(below) for group, below in children.items()}


def _parents_first(root: GroupId, children: Mapping[GroupId, Destinations]) -> list[GroupId]:
    """All groups, level by level. Not recursive: a chain may have thousands of groups."""
    order = [root]
    for group in order:
        order.extend(children[group])
    return order


def _depths_of(downwards: Iterable[GroupId], parents: Parents) -> dict[GroupId, int]:
    depths: dict[GroupId, int] = {}
    for group in downwards:
        parent = parents[group]
        depths[group] = 0 if parent is None else depths[parent] + 1
    return depths


def _subtrees_of(
    downwards: Sequence[GroupId], parents: Parents, bits: Mapping[GroupId, int]
) -> dict[GroupId, int]:
    subtrees = dict(bits)
    for group in reversed(downwards):
        parent = parents[group]
        if parent is not None:
            subtrees[parent] |= subtrees[group]
    return subtrees


def _remember(answers: dict[_Question, _Answer], question: _Question, answer: _Answer) -> None:
    if len(answers) >= CACHED_ANSWERS_MAX:
        answers.clear()
    answers[question] = answer
