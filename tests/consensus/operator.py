"""Whoever runs the group: adds, removes and replaces replicas, and loses a disk now and then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amcast.consensus import ChangeMembers

if TYPE_CHECKING:
    from tests.consensus.host import Host
    from tests.consensus.world import World

HOSTS_MAX = 12
MEMBERS_MAX = 5


class Operator:
    """Never lets more disks be lost than the members can bear, whatever change is on its way."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.wipes = 0

    def act(self) -> None:
        world = self.world
        if world.healed:
            return
        if world.random.random() < 0.3 and self._may_wipe():
            self._wipe(world.random.choice(self._members()))
        else:
            self._change()
        world.after(world.soon(world.plan.change_mean), self.act)

    def _members(self) -> list[Host]:
        return [self.world.hosts[member] for member in self.world.oracle.members]

    def _may_wipe(self) -> bool:
        """With four members one may be lost even if a removal of another is on its way."""
        members = self._members()
        return len(members) >= 4 and all(
            host.members == self.world.oracle.members and not host.wiped for host in members
        )

    def _wipe(self, host: Host) -> None:
        self.wipes += 1
        host.crash()
        host.wiped = True

    def _change(self) -> None:
        random, members = self.world.random, self._members()
        wiped = [host for host in members if host.wiped]
        if wiped and random.random() < 0.6:
            change = ChangeMembers(remove=wiped[0].settings.me)
        elif not wiped and len(members) > 1 and random.random() < 0.5:
            change = ChangeMembers(remove=random.choice(members).settings.me)
        elif len(members) < MEMBERS_MAX and len(self.world.hosts) < HOSTS_MAX:
            change = ChangeMembers(add=self._newcomer().settings.me)
        else:
            return
        host = random.choice((random.choice(self.world.hosts), self.world.hosts[self.world.hint]))
        leaders = [host for host in self.world.hosts if host.is_leader]
        random.choice([host, *leaders]).step(change)

    def _newcomer(self) -> Host:
        """One that waits already, or another."""
        world = self.world
        newest = world.hosts[-1]
        if newest.settings.me < world.plan.size or newest.settings.me in world.oracle.ever:
            newest = world.add_host()
            newest.start_for_the_first_time()
        return newest
