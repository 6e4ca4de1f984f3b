"""Drives one replica: carries out its effects on a disk, a network and an application."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from amcast.consensus import (
    Apply,
    BecameLeader,
    Effect,
    Event,
    InstallSnapshot,
    MembersChanged,
    Persist,
    ReadReady,
    Received,
    Refused,
    Replica,
    Send,
    SetTimer,
    Settings,
    SnapshotTaken,
    Started,
    Sync,
    TakeSnapshot,
    TimerFired,
    Truncate,
)
from tests.consensus.disk import Disk

if TYPE_CHECKING:
    from tests.consensus.world import World


class Host:
    """A machine: its disk survives a crash, its replica and its application do not."""

    def __init__(self, world: World, settings: Settings) -> None:
        self.world = world
        self.settings = settings
        self.disk = Disk()
        self.replica: Replica | None = None
        self.incarnation = 0
        self.wiped = False
        # As it last said, which is when its disk said so, too.
        self.members = tuple(range(settings.size))
        self.changed_at = 0
        self.joined = settings.me in self.members
        self.applied = 0
        # Commands in the order of their first application: repeats are dropped.
        self.history: dict[bytes, None] = {}

    @property
    def is_leader(self) -> bool:
        return self.replica is not None and self.replica.memory.leadership is not None

    def start_for_the_first_time(self) -> None:
        self.start()
        self.disk.sync(self.disk.persisted)

    def start(self) -> None:
        self.incarnation += 1
        self.applied = 0
        self.history = {}
        if self.incarnation == 1:
            self.replica = Replica.create(self.settings)
        else:
            self.replica = Replica.recover(self.settings, self.disk.records())
        self.step(Started())

    def crash(self) -> None:
        if self.replica is not None:
            self.replica = None
            self.incarnation += 1
            self.disk.crash(self.world.random)

    def step(self, event: Event) -> None:
        if self.replica is not None:
            self.world.steps += 1
            effects = self.replica.step(event)
            if self.joined and self.settings.me not in self.members:
                self.world.oracle.check_silence(self, effects)
            self.carry_out(effects, self.incarnation)

    def carry_out(self, effects: list[Effect], incarnation: int) -> None:
        """In order. A crash can come between any two, and a Sync takes its time."""
        for done, effect in enumerate(effects):
            if incarnation != self.incarnation:
                return
            if self.world.crashes_now(self):
                self.crash()
                return
            if type(effect) is Sync:
                self._sync(effects[done + 1 :], incarnation)
                return
            self._carry_out_one(effect)

    def _sync(self, rest: list[Effect], incarnation: int) -> None:
        mark = self.disk.persisted

        def synced() -> None:
            if incarnation == self.incarnation:
                self.disk.sync(mark)
                self.carry_out(rest, incarnation)

        if self.disk.buffer:
            self.world.after(self.world.disk_delay(self), synced)
        else:
            self.carry_out(rest, incarnation)

    def _carry_out_one(self, effect: Effect) -> None:
        world, me = self.world, self.settings.me
        match effect:
            case Send(target, message):
                world.send(me, target, message)
            case Persist(record):
                self.disk.persist(record)
            case Apply(slot, batch):
                assert self.replica is not None
                members = self.replica.memory.log[slot].members
                world.oracle.on_apply(self, slot, batch, members)
            case MembersChanged(members, slot):
                world.oracle.on_members(self, slot, members)
                # What waited for the disk may come out of order.
                if slot >= self.changed_at:
                    self.members, self.changed_at = members, slot
                    self.joined |= me in members
            case SetTimer(timer, generation, delay, spread):
                world.after(
                    delay + world.random.randint(0, spread),
                    self._step_if_same,
                    TimerFired(timer, generation),
                    self.incarnation,
                )
            case TakeSnapshot(slot):
                assert slot == self.applied
                state = msgspec.msgpack.encode(list(self.history))
                world.after(1, self._step_if_same, SnapshotTaken(slot, state), self.incarnation)
            case InstallSnapshot(slot, state):
                world.oracle.on_install(self, slot, state)
            case Truncate(slot):
                self.disk.truncate(slot)
            case ReadReady(read):
                world.oracle.on_read(self, read)
            case Refused(_, leader):
                world.hint = self.settings.me if leader is None else leader
            case BecameLeader():
                world.elections += 1

    def _step_if_same(self, event: Event, incarnation: int) -> None:
        if incarnation == self.incarnation:
            self.step(event)

    def receive(self, source: int, message: object) -> None:
        self.step(Received(source, message))  # type: ignore[arg-type]
