"""The two timers of a replica. A timer that was set again makes the older one stale."""

from __future__ import annotations

from amcast.consensus.effects import SetTimer
from amcast.consensus.memory import Memory
from amcast.consensus.outbox import Outbox
from amcast.consensus.values import Settings

ELECTION = "election"
HEARTBEAT = "heartbeat"


class Timers:
    """Starts timers and tells stale ones from current ones."""

    def __init__(self, settings: Settings, memory: Memory, outbox: Outbox) -> None:
        self._settings = settings
        self._memory = memory
        self._outbox = outbox

    def start_election(self) -> None:
        self._start(ELECTION, self._settings.election_us, self._settings.election_spread_us)

    def start_heartbeat(self) -> None:
        self._start(HEARTBEAT, self._settings.heartbeat_us, 0)

    def is_current(self, timer: str, generation: int) -> bool:
        return self._memory.timers.get(timer) == generation

    def _start(self, timer: str, delay_us: int, spread_us: int) -> None:
        generation = self._memory.timers.get(timer, 0) + 1
        self._memory.timers[timer] = generation
        self._outbox.emit(SetTimer(timer, generation, delay_us, spread_us))
