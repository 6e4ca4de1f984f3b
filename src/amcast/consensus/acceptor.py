"""The acceptor: promises ballots, accepts values, and remembers both durably."""

from __future__ import annotations

from amcast.consensus.memory import Memory
from amcast.consensus.messages import Accept, Accepted, Nack, Prepare, Promise
from amcast.consensus.outbox import Outbox
from amcast.consensus.records import AcceptRecord, PromiseRecord
from amcast.consensus.values import Ballot, Entry, ReplicaId


class Acceptor:
    """Its promise is never below the ballot of anything that it accepted or knows as chosen.

    So an Accept that it may answer, for a slot that it knows as chosen, carries the
    chosen value again: it votes without looking at it.
    """

    def __init__(self, memory: Memory, outbox: Outbox) -> None:
        self._memory = memory
        self._outbox = outbox

    def on_prepare(self, source: ReplicaId, message: Prepare) -> None:
        memory = self._memory
        if message.ballot < memory.promised:
            self.refuse(source, message.ballot)
            return
        self.promise(message.ballot)
        accepted = tuple(entry for entry in memory.log.values() if entry.slot > message.commit)
        self._outbox.send_after_sync(source, Promise(message.ballot, memory.base, accepted))

    def on_accept(self, source: ReplicaId, message: Accept) -> None:
        if message.slot > self._memory.commit:
            self.accept(Entry(message.slot, message.ballot, message.batch, message.members))
        else:
            self.promise(message.ballot)
        self.vote(source, message.ballot, message.slot)

    def vote(self, leader: ReplicaId, ballot: Ballot, slot: int) -> None:
        self._outbox.send_after_sync(leader, Accepted(ballot, slot))

    def refuse(self, source: ReplicaId, ballot: Ballot) -> None:
        self._outbox.send(source, Nack(ballot, self._memory.promised))

    def promise(self, ballot: Ballot) -> None:
        """Accept nothing below `ballot` from now on."""
        if ballot > self._memory.promised:
            self._raise_promise(ballot)
            self._outbox.persist(PromiseRecord(ballot))

    def accept(self, entry: Entry) -> None:
        """Take `entry`, of a ballot that may be accepted or that is known to be chosen."""
        memory = self._memory
        found = memory.log.get(entry.slot)
        if found is not None and found.ballot >= entry.ballot:
            return
        if entry.ballot > memory.promised:
            self._raise_promise(entry.ballot)
        memory.log[entry.slot] = entry
        self._outbox.persist(AcceptRecord(entry))

    def _raise_promise(self, ballot: Ballot) -> None:
        memory = self._memory
        memory.promised = ballot
        memory.highest_round = max(memory.highest_round, ballot.round)
