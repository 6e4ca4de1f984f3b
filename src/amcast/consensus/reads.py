"""Reads of the leader's state that never miss what was chosen before they were asked for.

A leader may have been deposed without knowing. So a read waits for a round in which a
quorum says that it has promised no higher ballot: whoever leads later needs a promise from
one of them, given after the read was asked for. The read also waits until everything that
earlier leaders may have chosen is applied. No clock and no lease is trusted.
"""

from __future__ import annotations

from amcast.consensus.effects import ReadReady, ReadRefused
from amcast.consensus.memory import Leadership, Memory, Read
from amcast.consensus.messages import Heartbeat
from amcast.consensus.outbox import Outbox
from amcast.consensus.values import Members, ReplicaId, Settings


class Reads:
    """The reads that wait at the leader."""

    def __init__(self, settings: Settings, memory: Memory, outbox: Outbox) -> None:
        self._settings = settings
        self._memory = memory
        self._outbox = outbox

    def on_requested(self, read: int) -> None:
        leading = self._memory.leadership
        if leading is None:
            self._outbox.emit(ReadRefused(read, self._memory.leader))
            return
        if len(leading.reads) >= self._settings.queue_max:
            self._outbox.emit(ReadRefused(read, None))
            return
        leading.read_round += 1
        slot = max(self._memory.commit, leading.recovered)
        leading.reads.append(Read(read, leading.read_round, slot))
        self.beat(leading, self._memory.members)
        self.serve(leading)

    def beat(self, leading: Leadership, members: Members) -> None:
        message = Heartbeat(leading.ballot, self._memory.commit, leading.read_round)
        for replica in members:
            if replica != self._settings.me:
                self._outbox.send(replica, message)

    def on_confirmation(self, leading: Leadership, source: ReplicaId, read_round: int) -> None:
        if read_round > leading.confirmed.get(source, 0):
            leading.confirmed[source] = read_round
            self.serve(leading)

    def serve(self, leading: Leadership) -> None:
        if not leading.reads:
            return
        others = sorted(leading.confirmed.values(), reverse=True)
        rounds = [leading.read_round, *others, *[0] * len(self._memory.members)]
        confirmed = rounds[self._memory.quorum - 1]
        waiting = []
        for read in leading.reads:
            if read.round <= confirmed and read.slot <= self._memory.commit:
                self._outbox.emit(ReadReady(read.read))
            else:
                waiting.append(read)
        leading.reads = waiting

    def refuse(self, leading: Leadership) -> None:
        for read in leading.reads:
            self._outbox.emit(ReadRefused(read.read, self._memory.leader))
