"""One member of a group of one, by hand: its packets to others are kept for the test to look at."""

from __future__ import annotations

from collections import deque
from typing import Any, TypeVar

from amcast.consensus import (
    Effect,
    Event,
    Received,
    Replica,
    Send,
    SetTimer,
    Settings,
    Started,
    TimerFired,
)
from amcast.consensus.timers import ELECTION
from amcast.core import Event as CoreEvent
from amcast.core import Process
from amcast.groups import Codec, Member
from amcast.groups.clients import EXPIRE_AFTER
from amcast.groups.commands import NULL

E = TypeVar("E", bound=Effect)

RESEND_US = 1_000


class LoneMember:
    """Its disk is immediate. What it tells itself waits while `hesitant`."""

    def __init__(
        self, process: Process[Any, Any], *, expire_after: int = EXPIRE_AFTER, **settings: Any
    ) -> None:
        self.codec = Codec(type(process))
        replica = Replica.create(Settings(me=0, size=1, **settings))
        self.member = Member(
            process, replica, self.codec, resend_us=RESEND_US, expire_after=expire_after
        )
        self.timers: dict[str, int] = {}
        self.hesitant = False
        self._to_self: deque[Event] = deque()
        self.step(Started())
        self.fire(ELECTION)
        assert self.member.leading

    def step(self, event: Event) -> list[Effect]:
        """What it asks of others, until it has nothing more to tell itself."""
        done: list[Effect] = []
        self._to_self.append(event)
        if self.hesitant:
            self._step_once(self._to_self.pop(), done)
        else:
            self.settle(done)
        return done

    def settle(self, done: list[Effect] | None = None) -> list[Effect]:
        done = [] if done is None else done
        while self._to_self:
            self._step_once(self._to_self.popleft(), done)
        return done

    def _step_once(self, event: Event, done: list[Effect]) -> None:
        for effect in self.member.step(event):
            match effect:
                case Send(_, message):
                    self._to_self.append(Received(0, message))
                case SetTimer(timer, generation, _, _):
                    self.timers[timer] = generation
                case _:
                    done.append(effect)

    def fire(self, timer: str) -> list[Effect]:
        return self.step(TimerFired(timer, self.timers[timer]))

    def logged(self) -> list[CoreEvent]:
        """The events in its log, in order."""
        log = self.member.replica.memory.log
        return [
            self.codec.decode(command)[0]
            for slot in range(1, self.member.applied + 1)
            for command in log[slot].batch
            if command != NULL
        ]


def of_kind(effects: list[Effect], kind: type[E]) -> list[E]:
    return [effect for effect in effects if isinstance(effect, kind)]
