"""What one replica tells the recorder of its deliveries, from its first start on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from amcast.core import GroupId, MessageId, ProcessId

if TYPE_CHECKING:
    from amcast.sim.simulate_replicas import ReplicatedSimulation


class Account:
    """Survives crashes. After one, what the replica had already taken back is not told again."""

    def __init__(self, sim: ReplicatedSimulation, process: ProcessId, group: GroupId) -> None:
        self._sim = sim
        self._process = process
        self._group = group
        # Of the group's rollbacks: how many the replica has come to since it started, and
        # how many have ever been told.
        self._rollbacks = 0
        self._told = 0
        self._at_us = 0

    def restart(self) -> None:
        self._rollbacks = 0

    def deliver(self, seq: int, id: MessageId) -> None:
        if self._sim.recorder is not None and self._rollbacks == self._told:
            self._at_us = max(self._at_us, self._sim.now_us)
            self._sim.recorder.delivery(self._process, self._group, seq, id, self._at_us)

    def restore(self, seq: int, last: MessageId, rollbacks: Sequence[int]) -> None:
        """A snapshot stands for all deliveries up to its last one, and for all rollbacks."""
        self._rollbacks = len(rollbacks)
        if self._rollbacks > self._told:
            self._take_back(min(rollbacks[self._told :]))
        self.deliver(seq, last)

    def roll_back(self, seq: int) -> None:
        self._rollbacks += 1
        if self._rollbacks > self._told:
            self._take_back(seq)

    def _take_back(self, seq: int) -> None:
        self._told = self._rollbacks
        # Only what is older is taken back, and it may have been delivered at this very moment.
        self._at_us = max(self._at_us + 1, self._sim.now_us)
        if self._sim.recorder is not None:
            self._sim.recorder.fault(self._process, "rollback", self._at_us, seq=seq)
