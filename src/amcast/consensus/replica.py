"""One replica of a replicated log: Multi-Paxos with a stable leader.

Idea
  The log is a row of slots, each decided by Paxos. A replica wins a ballot for all slots at
  once (phase 1: a quorum promises it, and tells what it accepted) and proposes again
  whatever may have been chosen. Then it leads: each slot costs one round (phase 2), several
  slots are open at a time, and commands that wait share the next slot. A slot accepted by a
  quorum is chosen; every replica applies the chosen slots in order. Replicas that lag ask
  for chosen entries, or for a snapshot where those are truncated. Replicas join and leave one
  at a time, by an entry of the log.

Assumes
  A group of 1, 3, 5 or 7 at its start. Replicas crash and recover with their disk; what was synced
  is found again, what was not may be lost. Messages may be lost, repeated and reordered, but
  not forged. The driver obeys the order of effects. Progress, not safety, further needs a
  majority that is up, messages that arrive, and time-outs longer than a round; and until more
  than half of the new members know of a change, a majority of the old ones, too.

Guarantees
  All replicas apply the same batches in the same slots, and what one has applied is never
  lost while a majority keeps its disk. A command stands in the log only if it was proposed,
  and in one slot for each time it was proposed: a proposer that tries again, because it got
  no answer, may see it applied twice, so the application drops repeats by an id in the
  command. Refused commands were not proposed. ReadReady is linearizable. A replica without
  its disk is refused; one whose storage fails goes silent until it is recovered.

Reference
  L. Lamport, "Paxos Made Simple", 2001; R. van Renesse, D. Altinbuken, "Paxos Made
  Moderately Complex", 2015. Reads by confirmation, canvassing and the quorum check:
  D. Ongaro, "Consensus: Bridging Theory and Practice", 2014, sections 6.4, 9.6 and 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from amcast.consensus.acceptor import Acceptor
from amcast.consensus.effects import ChangeRefused, Effect, ReadRefused, Refused, Sync
from amcast.consensus.election import Election
from amcast.consensus.events import (
    ChangeMembers,
    Event,
    Proposed,
    ReadRequested,
    Received,
    SnapshotTaken,
    Started,
    StorageFailed,
    TimerFired,
)
from amcast.consensus.leader import Leader
from amcast.consensus.learner import Learner
from amcast.consensus.memory import Memory
from amcast.consensus.messages import (
    Accept,
    Accepted,
    Canvass,
    CatchUp,
    Heartbeat,
    HeartbeatAck,
    Learn,
    Message,
    Nack,
    Prepare,
    Promise,
    StateTransfer,
    Support,
)
from amcast.consensus.outbox import Outbox
from amcast.consensus.reads import Reads
from amcast.consensus.records import IdentityRecord, Record, read_back
from amcast.consensus.timers import ELECTION, Timers
from amcast.consensus.values import Ballot, ReplicaId, Settings


class Replica:
    """A deterministic state machine: the same events always give the same effects."""

    def __init__(self, settings: Settings, memory: Memory) -> None:
        self.settings = settings
        self.memory = memory
        self._new = False
        outbox = self._outbox = Outbox()
        timers = self._timers = Timers(settings, memory, outbox)
        acceptor = self._acceptor = Acceptor(memory, outbox)
        learner = self._learner = Learner(settings, memory, outbox, acceptor)
        reads = self._reads = Reads(settings, memory, outbox)
        leader = Leader(settings, memory, outbox, timers, acceptor, learner, reads)
        self._leader = leader
        self._election = Election(settings, memory, outbox, timers, acceptor, learner, leader)

    @classmethod
    def create(cls, settings: Settings) -> Replica:
        """A replica that never ran before, on an empty disk. Only once for each id."""
        start = settings.first_snapshot
        replica = cls(settings, Memory(start, start.members, start.next_id))
        replica._new = True
        return replica

    @classmethod
    def recover(cls, settings: Settings, records: Sequence[Record]) -> Replica:
        """A replica that ran before, from what its disk still holds."""
        durable = read_back(settings, records)
        start = settings.first_snapshot
        memory = Memory(
            members=start.members,
            next_id=start.next_id,
            promised=durable.promised,
            log=durable.accepted,
            base=durable.snapshot.slot,
            chosen=durable.chosen,
            snapshot=durable.snapshot,
            highest_round=durable.promised.round,
        )
        return cls(settings, memory)

    def copy(self) -> Replica:
        """Another one that behaves the same from here on."""
        encoded = msgspec.msgpack.encode(self.memory)
        return Replica(self.settings, msgspec.msgpack.decode(encoded, type=Memory))

    def step(self, event: Event) -> list[Effect]:
        """Handle `event` and return what must now be done, in order."""
        memory = self.memory
        if memory.failed:
            return self._refuse(event)
        members, promised, commit = memory.members, memory.promised, memory.commit
        if type(event) is Received:
            self._receive(event.source, event.message)
        else:
            self._step_local(event)
        if memory.promised is not promised:
            self._step_down_if_outbid()
        if memory.commit != commit:
            self._leader.on_commit_moved()
        if memory.members is not members:
            self._election.on_members_changed(members)
        return self._outbox.take()

    def _step_local(self, event: Event) -> None:
        match event:
            case Proposed(commands):
                self._leader.on_proposed(commands)
            case ReadRequested(read):
                self._reads.on_requested(read)
            case ChangeMembers():
                self._leader.on_change(event)
            case TimerFired(timer, generation):
                self._fire(timer, generation)
            case SnapshotTaken(slot, state):
                self._learner.on_snapshot_taken(slot, state)
            case Started():
                self._start()
            case StorageFailed():
                self._fail()
            case _:
                raise AssertionError(f"no such event {event!r}")

    def _start(self) -> None:
        if self._new:
            # Nothing starts before the disk says whose it is.
            self._outbox.persist(IdentityRecord(self.settings.me, self.settings.size))
            self._outbox.emit(Sync())
        if self.memory.snapshot.slot:
            self._learner.install(self.memory.snapshot)
        self._learner.apply_known()
        self._timers.start_election()

    def _fire(self, timer: str, generation: int) -> None:
        if not self._timers.is_current(timer, generation):
            return
        if timer == ELECTION:
            self._election.on_timeout()
        else:
            self._leader.on_heartbeat_timer()

    def _fail(self) -> None:
        """What is durable is unknown now, so every further promise or vote could be a lie."""
        self.memory.failed = True
        self._leader.step_down()
        self.memory.canvassing = self.memory.candidacy = None

    def _refuse(self, event: Event) -> list[Effect]:
        match event:
            case Proposed(commands):
                return [Refused(commands, None)]
            case ReadRequested(read):
                return [ReadRefused(read, None)]
            case ChangeMembers():
                return [ChangeRefused("the storage of this replica has failed", None)]
        return []

    # Messages.

    def _receive(self, source: ReplicaId, message: Message) -> None:
        if self.memory.removed and not isinstance(message, Canvass | CatchUp):
            # It teaches those who have not heard, and is silent otherwise.
            return
        match message:
            case Accepted():
                self._leader.on_accepted(source, message)
            case Accept():
                if self._follow(source, message.ballot):
                    self._acceptor.on_accept(source, message)
                    self._learner.commit_to(message.ballot, message.commit)
            case Heartbeat():
                self._on_heartbeat(source, message)
            case HeartbeatAck():
                self._leader.on_heartbeat_ack(source, message)
            case Learn():
                self._learner.on_learn(source, message)
            case CatchUp():
                self._learner.on_catch_up(source, message)
            case StateTransfer():
                self._learner.on_state_transfer(source, message)
            case _:
                self._receive_election(source, message)

    def _receive_election(self, source: ReplicaId, message: Message) -> None:
        match message:
            case Canvass():
                self._election.on_canvass(source, message)
            case Support():
                self._election.on_support(source, message)
            case Prepare():
                self._acceptor.on_prepare(source, message)
            case Promise():
                self._election.on_promise(source, message)
            case Nack():
                self._election.on_nack(message)
            case _:
                raise AssertionError(f"no such message {message!r}")

    def _on_heartbeat(self, source: ReplicaId, message: Heartbeat) -> None:
        if not self._follow(source, message.ballot):
            return
        self._learner.commit_to(message.ballot, message.commit)
        self._outbox.send(source, HeartbeatAck(message.ballot, message.read_round))
        if self.memory.commit < message.commit:
            self._learner.ask(source)

    def _follow(self, source: ReplicaId, ballot: Ballot) -> bool:
        """Whether the leader of `ballot` is to be obeyed."""
        memory = self.memory
        if ballot < memory.promised:
            self._acceptor.refuse(source, ballot)
            return False
        memory.leader = source
        memory.leader_heard = True
        memory.canvassing = None
        if memory.leadership is not None:
            self._leader.step_down()
        return True

    def _step_down_if_outbid(self) -> None:
        memory = self.memory
        if memory.candidacy is not None and memory.candidacy.ballot < memory.promised:
            memory.candidacy = None
        if memory.leadership is not None and memory.leadership.ballot < memory.promised:
            self._leader.step_down()
