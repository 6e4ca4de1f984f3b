"""A simulated group with an ideal log: entries are decided in instances, at once or in a beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amcast.core import (
    Decided,
    Effect,
    Event,
    InstanceEnded,
    Process,
    ProposeToLog,
    Received,
    RequestInstance,
    Resume,
    Stall,
    TakeBackProposal,
)
from amcast.sim.network import Network
from amcast.sim.node import Node

if TYPE_CHECKING:
    from amcast.sim.simulation import Simulation


class LogNode(Node):
    """One group of one process, for protocols that see the log of their group.

    What arrives waits for the next instance. Without a period that comes at the same moment,
    if anything waits or the protocol asked for it. With one, instances keep the beat, empty or
    not, as long as clients send: groups then stay in step. A group that is stalled decides
    nothing, so that it cannot run ahead of itself.
    """

    def __init__(
        self, process: Process[Any, Any], sim: Simulation, network: Network, period_us: int
    ) -> None:
        super().__init__(process, sim, network)
        self._period_us = period_us
        self._waiting: list[Event] = []
        self._instance = 0
        self._wanted = 0
        self._arranged = False
        self._stalled = False
        self._decided_us = -1

    def start(self) -> None:
        self._arrange()

    def handle(self, event: Event) -> None:
        if type(event) is Received and event.number == 0:
            super().handle(event)
        else:
            self._waiting.append(event)
            self._arrange()

    def _arrange(self) -> None:
        """Make sure that there will be an instance, if there is a reason for one."""
        if self._arranged or self._stalled:
            return
        beats = self._period_us and self._sim.is_sending()
        if beats or self._waiting or self._wanted > self._instance:
            self._arranged = True
            self._sim.at(self._next_us(), self._decide, None)

    def _next_us(self) -> int:
        """Now, or the next beat; never two instances in one."""
        now, period = self._sim.now_us, self._period_us
        if not period:
            return now
        beat = now + -now % period
        return beat if beat > self._decided_us else beat + period

    def _decide(self, _: None) -> None:
        self._arranged = False
        if self._stalled:
            return  # it stalled since; `Resume` arranges the next one
        self._decided_us = self._sim.now_us
        entries, self._waiting = self._waiting, []
        self._instance += 1
        for event in entries:
            if self._period_us and self._sim.milestones:
                self._sim.record_milestone(self.name, event, "decided")
            super().handle(event)
        if self.process.instances:
            super().handle(InstanceEnded(self._instance))
        self._arrange()

    def _do_rare(self, effect: Effect) -> None:
        match effect:
            case ProposeToLog(item):
                self.handle(Decided(item))
            case RequestInstance(number):
                self._wanted = max(self._wanted, number)
                self._arrange()
            case Stall():
                self._stalled = True
            case Resume():
                self._stalled = False
                self._arrange()
            case TakeBackProposal():
                """It was decided at once."""
            case _:
                super()._do_rare(effect)
