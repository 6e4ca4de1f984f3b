"""Tree multicast: messages enter at the lowest common ancestor and flow down.

Idea        The groups form a tree. A message is ordered first by the lowest group whose
            subtree holds all destinations, then passed from parent to child; each group
            keeps the order in which its parent sent. A tree that may change while messages
            flow is a propagation graph, and what closes and opens those does it here.
Assumes     FIFO channels from parent to child. The order is lost without them.
Guarantees  Atomic multicast; genuine for messages to one group, while others may pass
            through groups that are no destination. As many delays as levels below the
            entry, and one message per edge; one more of each if the client is outside
            the entry group.
Reference   Coelho, Schiper, Bessani, Dotti and Pedone, "Byzantine fault-tolerant atomic
            multicast" (2018); in the crash model Inzaghi, "TreeCast" (2019), section 3.2.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, Message, Multicast, Process
from amcast.overlays import PropagationGraph, Tree
from amcast.protocols.propagation import Propagation, change_to


class Down(Message, frozen=True):
    """The next message of the parent's order that is for the child's subtree."""

    multicast: Multicast


class State(msgspec.Struct):
    """Nothing: the channels hold the order."""


class TreeCast(Process[State, Down]):
    fifo: ClassVar[bool] = True

    def __init__(
        self, group: GroupId, groups: tuple[GroupId, ...], tree: Tree | None = None
    ) -> None:
        super().__init__(group, groups)
        self.tree = Tree.star(groups) if tree is None else tree

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return (self.tree.lca(dst),)

    def on_submit(self, multicast: Multicast) -> None:
        self.order(multicast)

    def on_message(self, source: GroupId, message: Down) -> None:
        self.order(message.multicast)

    def order(self, multicast: Multicast) -> None:
        self.send(self.tree.route(self.group, multicast.dst), Down(multicast))
        if self.group in multicast.dst:
            self.deliver(multicast)


def make_tree(
    group: GroupId, groups: tuple[GroupId, ...], tree: Tree | None = None, *, changes: bool = False
) -> TreeCast | Propagation:
    """With `changes` the tree can be replaced, and the first group is the manager."""
    if not changes:
        return TreeCast(group, groups, tree)
    first = Tree.star(groups) if tree is None else tree
    return Propagation(group, groups, PropagationGraph.of_tree(first), manager=groups[0])


def change_to_tree(tree: Tree, number: int) -> Multicast:
    """The message that changes the tree; every group delivers it when it opens the new one."""
    return change_to(PropagationGraph.of_tree(tree), number)
