"""A simulated operator: puts a new replica in the place of one that has lost its disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amcast.consensus import ChangeMembers
from amcast.core import GroupId
from amcast.sim.replica import ReplicaNode

if TYPE_CHECKING:
    from amcast.sim.simulate_replicas import ReplicatedSimulation

# How long it waits before it looks again, in heartbeats of the group.
PAUSE_HEARTBEATS = 4


class Operator:
    """Changes members through the log, one at a time: first the new one in, then the old out."""

    def __init__(self, sim: ReplicatedSimulation) -> None:
        self.replaced: dict[str, None] = {}
        # Groups with a change under way.
        self.busy: dict[GroupId, None] = {}
        self._sim = sim

    def can_replace(self, machine: ReplicaNode) -> bool:
        """Whether the others alone are a majority, and no other change is under way."""
        return machine.node.plan.replicas >= 3 and machine.group not in self.busy

    def replace(self, machine: ReplicaNode) -> ReplicaNode:
        """Give up `machine`, which is down; the one that comes in its place."""
        machine.disk.wipe()
        self.replaced[machine.name] = None
        self.busy[machine.group] = None
        newcomer = machine.node.add_replica()
        newcomer.start()
        self._look((machine, newcomer))
        return newcomer

    def _is_known(self, leader: ReplicaNode, members: tuple[int, ...]) -> bool:
        """Whether more than half of `members` would remember the last change after a crash.

        Before, another lost disk could take the group with it: those who are left might
        still wait for replicas that are gone.
        """
        replicas = leader.node.replicas
        # Not the slots: a snapshot tells of the same members, but at a later one.
        knowing = [each for each in members if replicas[each].known_members[1] == members]
        return len(knowing) > len(members) // 2

    def _look(self, change: tuple[ReplicaNode, ReplicaNode]) -> None:
        """Ask the leader for the next step, as far as it has not been taken."""
        old, new = change
        leader = old.node.leader()
        if leader is not None and leader.member is not None:
            members = leader.member.replica.memory.members
            if new.number not in members:
                leader.handle(ChangeMembers(add=new.number))
            elif old.number in members:
                leader.handle(ChangeMembers(remove=old.number))
            elif self._is_known(leader, members):
                del self.busy[old.group]
                return
        self._sim.after(PAUSE_HEARTBEATS * old.node.plan.heartbeat_us, self._look, change)
