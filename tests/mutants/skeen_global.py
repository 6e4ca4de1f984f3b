"""What can go wrong in Skeen's algorithm with a global order."""

from __future__ import annotations

from amcast.core import Effect, Event
from amcast.protocols.skeen_global import SkeenGlobal
from amcast.protocols.timestamps import Waiting
from tests.mutants.timestamps import unguarded


class SkeenGlobalNoClockUpdate(SkeenGlobal):
    """The clock does not follow final timestamps: a later message gets a smaller one."""

    def on_final(self, waiting: Waiting) -> None:
        clock = self.state.clock
        super().on_final(waiting)
        self.state.clock = clock


class SkeenGlobalForgetsTheNext(SkeenGlobal):
    """Only a message that finds nobody before it is announced; the next never gets its turn."""

    def deliver_in_turn(self) -> None:
        line, turns = self.state.line, self.state.turns
        if line and turns[line[0].id] == len(line[0].dst):
            del turns[line[0].id]
            self.deliver(line.pop(0))


class SkeenGlobalNoGuard(SkeenGlobal):
    """A message that arrives a second time is stamped a second time."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))
