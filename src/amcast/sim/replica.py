"""A simulated replica: a machine with a disk that survives a crash, and a member that does not."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from amcast.consensus import (
    Ballot,
    Effect,
    Event,
    Members,
    MembersChanged,
    Persist,
    Received,
    Send,
    SetTimer,
    Settings,
    Slot,
    Started,
    StorageFailed,
    Sync,
    TimerFired,
    Truncate,
)
from amcast.consensus import Replica as LogReplica
from amcast.core import Event as CoreEvent
from amcast.core import process_of
from amcast.groups import (
    Deliver,
    Forgotten,
    Forward,
    Forwarded,
    Member,
    Reply,
    Restored,
    Rollback,
    SendToGroup,
)
from amcast.sim.account import Account
from amcast.sim.disk import Disk

if TYPE_CHECKING:
    from amcast.sim.replicated import GroupNode
    from amcast.sim.simulate_replicas import ReplicatedSimulation


class ReplicaNode:
    """One process of a replicated group."""

    def __init__(self, node: GroupNode, sim: ReplicatedSimulation, settings: Settings) -> None:
        self.node = node
        self.group = node.group
        self.number = settings.me
        self.name = process_of(node.group, settings.me)
        self.settings = settings
        self.disk = Disk()
        self.account = Account(sim, self.name, self.group)
        self.member: Member | None = None
        self.timer_speed = 1.0
        # The newest members that its disk tells of, and the slot that says so.
        self.known_members: tuple[Slot, Members] = (0, ())
        self._sim = sim
        self._incarnation = 0
        self._to_self: deque[Event] = deque()
        self._busy_until_us = 0.0

    # Coming and going.

    def start(self) -> None:
        """Come up with whatever the disk holds; with nothing only the first time."""
        if self.disk.records:
            replica = LogReplica.recover(self.settings, self.disk.records)
        else:
            replica = LogReplica.create(self.settings)
        self.disk.synced = len(self.disk.records)
        self._incarnation += 1
        self.account.restart()
        self.member = self.node.make_member(replica)
        self.handle(Started())

    def crash(self) -> None:
        self.member = None
        self._incarnation += 1
        self._to_self.clear()
        self.disk.crash(self._sim.fault_random)
        self._record("crash")

    def restart(self) -> None:
        if self.member is None:
            self._record("restart")
            self.start()

    def _record(self, kind: str) -> None:
        if self._sim.recorder is not None:
            self._sim.recorder.fault(self.name, kind, self._sim.now_us)

    @property
    def promised(self) -> Ballot:
        assert self.member is not None
        return self.member.replica.memory.promised

    # Running.

    def arrive(self, event: Event) -> None:
        """Something comes over the network; it may have to wait for the processor."""
        self._record_milestone(event, "received")
        cpu_us = self.node.cpu_us(event)
        if not cpu_us:
            self.handle(event)
            return
        self._busy_until_us = max(self._busy_until_us, self._sim.now_us) + cpu_us
        done_us = round(self._busy_until_us)
        self._sim.at(done_us, self._processed, (event, self._incarnation))

    def _processed(self, due: tuple[Event, int]) -> None:
        if due[1] == self._incarnation:
            self._record_milestone(due[0], "processed")
            self.handle(due[0])

    def handle(self, event: Event) -> None:
        member = self.member
        if member is None:
            return
        incarnation = self._incarnation
        self._begin(self._step(member, event), incarnation)
        while self._to_self and incarnation == self._incarnation:
            self._begin(self._step(member, self._to_self.popleft()), incarnation)

    def _step(self, member: Member, event: Event) -> list[Effect]:
        before = member.applied
        effects = member.step(event)
        if self._sim.milestones and member.leading:
            for decided in self.node.decided(member, before):
                self._record_milestone(decided, "decided")
        return effects

    def _record_milestone(self, event: CoreEvent | Event, kind: str) -> None:
        """How far a group has got is how far its leader has."""
        if self._sim.milestones and self.member is not None and self.member.leading:
            self._sim.record_milestone(self.name, event, kind)

    def _begin(self, effects: list[Effect], incarnation: int) -> None:
        faults = self._sim.faults
        if faults is not None:
            end = faults.crash_point(self, effects)
            if end is not None:
                self._carry_out(effects[:end], 0, incarnation)
                faults.crash(self)
                return
        self._carry_out(effects, 0, incarnation)

    def _carry_out(self, effects: list[Effect], start: int, incarnation: int) -> None:
        for place in range(start, len(effects)):
            effect = effects[place]
            kind = type(effect)
            if kind is Send:
                self._send(effect)  # type: ignore[arg-type]
            elif kind is Persist:
                self.disk.append(effect.record)  # type: ignore[attr-defined]
            elif kind is Sync:
                if not self._sync(effects, place + 1, incarnation):
                    return
            elif kind is SendToGroup:
                self.node.send(self, effect)  # type: ignore[arg-type]
            elif kind is Deliver:
                self.node.deliver(self, effect)  # type: ignore[arg-type]
            else:
                self._do_rare(effect)

    def _sync(self, effects: list[Effect], rest: int, incarnation: int) -> bool:
        """Whether it is done at once. If not, the rest of the effects waits for it."""
        delay = self.node.sync_us()
        mark = self.disk.mark()
        if not delay and not self.disk.failing:
            self.disk.sync(mark)
            return True
        self._sim.after(delay, self._synced, (effects, rest, mark, incarnation))
        return False

    def _synced(self, waiting: tuple[list[Effect], int, int, int]) -> None:
        effects, rest, mark, incarnation = waiting
        if incarnation != self._incarnation:
            return
        if self.disk.failing:
            self.handle(StorageFailed())
            return
        self.disk.sync(mark)
        self._carry_out(effects, rest, incarnation)
        member = self.member
        while self._to_self and member is not None and incarnation == self._incarnation:
            self._begin(self._step(member, self._to_self.popleft()), incarnation)

    def _send(self, send: Send) -> None:
        event = Received(self.number, send.message)
        if send.target == self.number:
            self._to_self.append(event)
        else:
            self.node.send_inside(self, send.target, event)

    def _do_rare(self, effect: Effect) -> None:
        match effect:
            case SetTimer(timer, generation, delay_us, spread_us):
                self._later(
                    self.node.timer_us(self, timer, delay_us, spread_us),
                    TimerFired(timer, generation),
                )
            case Forward(replica, commands):
                self.node.send_inside(self, replica, Forwarded(commands))
            case MembersChanged(members, slot):
                self.known_members = max(self.known_members, (slot, members))
            case Truncate(slot):
                self.disk.truncate(slot)
            case Forgotten(client):
                self.node.forget(client)
            case Reply(client, seq):
                self.node.reply_again(client, seq)
            case Restored(seq, last, rollbacks):
                self.account.restore(seq, last, rollbacks)
            case Rollback(seq):
                self.account.roll_back(seq)
            case _:
                """Who leads is of interest to stories only; reads are not simulated."""

    def _later(self, delay_us: int, event: Event) -> None:
        self._sim.after(delay_us, self._wake, (event, self._incarnation))

    def _wake(self, due: tuple[Event, int]) -> None:
        if due[1] == self._incarnation:
            self.handle(due[0])
