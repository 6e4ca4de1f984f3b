"""A few replicas driven by hand: messages wait until the test hands them over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from amcast.consensus import (
    Apply,
    Ballot,
    Effect,
    Event,
    Message,
    Persist,
    Proposed,
    Received,
    Record,
    Replica,
    Send,
    Settings,
    SnapshotTaken,
    Started,
    TakeSnapshot,
    TimerFired,
)
from amcast.consensus.messages import Support
from amcast.consensus.timers import ELECTION, HEARTBEAT

E = TypeVar("E", bound=Effect)


class Trio:
    """Replicas on good disks. `lost` tells which messages never arrive."""

    def __init__(self, size: int = 3, **settings: Any) -> None:
        self.size = size
        self.rest = settings
        self.settings: list[Settings] = []
        self.replicas: list[Replica] = []
        self.records: list[list[Record]] = []
        self.applied: list[list[bytes]] = []
        self.effects: list[list[Effect]] = []
        self.packets: list[tuple[int, int, Message]] = []
        self.lost: Callable[[int, int, Message], bool] = lambda source, target, message: False
        for _ in range(size):
            self.join()

    def join(self) -> int:
        """One more replica. Those beyond `size` are not members yet."""
        me = len(self.replicas)
        self.settings.append(Settings(me=me, size=self.size, **self.rest))
        self.replicas.append(Replica.create(self.settings[me]))
        self.records.append([])
        self.applied.append([])
        self.effects.append([])
        self.step(me, Started())
        return me

    def step(self, me: int, event: Event) -> list[Effect]:
        effects = self.replicas[me].step(event)
        self.effects[me] += effects
        for effect in effects:
            match effect:
                case Send(target, message):
                    self.packets.append((me, target, message))
                case Persist(record):
                    self.records[me].append(record)
                case Apply(_, batch):
                    self.applied[me] += batch
                case TakeSnapshot(slot):
                    self.step(me, SnapshotTaken(slot, b"state after %d" % slot))
        return effects

    def settle(self) -> None:
        """Hand over messages until nobody says anything more."""
        while self.packets:
            source, target, message = self.packets.pop(0)
            if not self.lost(source, target, message):
                self.step(target, Received(source, message))

    def fire(self, me: int, timer: str) -> list[Effect]:
        generation = self.replicas[me].memory.timers[timer]
        return self.step(me, TimerFired(timer, generation))

    def beat(self, me: int) -> None:
        self.fire(me, HEARTBEAT)
        self.settle()

    def elect(self, me: int) -> None:
        """`me` canvasses; the others have forgotten whatever leader they had."""
        for other in range(len(self.replicas)):
            self.replicas[other].memory.leader_heard = False
        self.fire(me, ELECTION)
        self.settle()
        assert self.replicas[me].memory.leadership is not None

    def campaign(self, me: int, supporters: tuple[int, ...]) -> Ballot:
        """`me` gets as far as phase 1, and nobody has heard of it."""
        memory = self.replicas[me].memory
        self.fire(me, ELECTION)
        assert memory.canvassing is not None
        for supporter in supporters:
            self.step(me, Received(supporter, Support(memory.canvassing.round)))
        self.packets.clear()
        assert memory.candidacy is not None
        return memory.candidacy.ballot

    def found(self, me: int, kind: type[E]) -> list[E]:
        """Effects of one kind, of all steps so far."""
        return [effect for effect in self.effects[me] if isinstance(effect, kind)]

    def restart(self, me: int) -> None:
        self.replicas[me] = Replica.recover(self.settings[me], self.records[me])
        self.applied[me] = []
        self.step(me, Started())


def lagging(slots: int, **settings: int) -> Trio:
    """Replica 2 has missed `slots` slots."""
    trio = Trio(**settings)
    trio.elect(0)
    trio.lost = lambda source, target, message: target == 2
    for number in range(slots):
        trio.step(0, Proposed((b"%d" % number,)))
        trio.settle()
    trio.lost = lambda source, target, message: False
    return trio


def sent(effects: list[Effect], kind: type[Message]) -> list[Any]:
    return [e.message for e in effects if isinstance(e, Send) and isinstance(e.message, kind)]


def between(one: int, other: int) -> Any:
    """Loses what these two say to each other."""
    return lambda source, target, message: {source, target} == {one, other}
