"""The leader: proposes batches in a window of slots, counts votes, and re-sends what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from amcast.consensus.acceptor import Acceptor
from amcast.consensus.effects import BecameLeader, ChangeRefused, Refused, SteppedDown
from amcast.consensus.events import ChangeMembers
from amcast.consensus.learner import Learner
from amcast.consensus.membership import members_after, objection
from amcast.consensus.memory import Leadership, Memory
from amcast.consensus.messages import Accept, Accepted, HeartbeatAck
from amcast.consensus.outbox import Outbox
from amcast.consensus.reads import Reads
from amcast.consensus.timers import Timers
from amcast.consensus.values import Ballot, Batch, Entry, Members, ReplicaId, Settings, Slot

Accepteds = tuple[Entry, ...]


class Leader:
    """Phase 2 for every slot, under the one ballot that phase 1 won."""

    def __init__(
        self,
        settings: Settings,
        memory: Memory,
        outbox: Outbox,
        timers: Timers,
        acceptor: Acceptor,
        learner: Learner,
        reads: Reads,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._outbox = outbox
        self._timers = timers
        self._acceptor = acceptor
        self._learner = learner
        self._reads = reads

    # Coming and going.

    def take_over(self, ballot: Ballot, promises: Mapping[ReplicaId, Accepteds]) -> None:
        """Phase 1 is won: propose again whatever may have been chosen, then lead."""
        memory, me = self._memory, self._settings.me
        found = self.safe_values(promises.values())
        last = max(found, default=memory.commit)
        leading = memory.leadership = Leadership(ballot, memory.commit + 1, recovered=last)
        # They have just answered, and the election timer may fire at any moment.
        leading.heard = {replica: None for replica in promises if replica != me}
        memory.leader = me
        self._outbox.emit(BecameLeader(ballot))
        # Behind a change the members are others, and so is what they accepted.
        while leading.next_slot <= last and leading.change is None:
            entry = found.get(leading.next_slot)
            if entry is None:
                self._propose(leading, ())
            else:
                self._propose(leading, entry.batch, entry.members)
        self._reads.beat(leading, memory.members)
        self._timers.start_heartbeat()

    def safe_values(self, promises: Iterable[Accepteds]) -> dict[Slot, Entry]:
        """For each open slot, what a quorum accepted under the highest ballot."""
        found: dict[Slot, Entry] = {}
        for accepted in promises:
            for entry in accepted:
                rival = found.get(entry.slot)
                if entry.slot > self._memory.commit and (
                    rival is None or entry.ballot > rival.ballot
                ):
                    found[entry.slot] = entry
        return found

    def step_down(self) -> None:
        memory = self._memory
        leading = memory.leadership
        if leading is None:
            return
        memory.leadership = None
        if memory.leader == self._settings.me:
            memory.leader = None
        self._outbox.emit(SteppedDown())
        if leading.queue:
            self._outbox.emit(Refused(tuple(leading.queue), memory.leader))
        if leading.change is not None and leading.change_slot is None:
            self._refuse_change("this replica does not lead any more")
        self._reads.refuse(leading)

    def hand_over(self, members: Members) -> None:
        """Its members have changed: the old ones hear so, and it leads no more."""
        leading = self._memory.leadership
        if leading is not None:
            self._reads.beat(leading, members)
            self.step_down()

    def check_quorum(self) -> None:
        """A leader that a quorum no longer answers makes way for one that it would."""
        leading = self._memory.leadership
        assert leading is not None
        if len(leading.heard) + 1 < self._memory.quorum:
            self.step_down()
        leading.heard = {}

    # Proposing.

    def on_proposed(self, commands: Batch) -> None:
        leading = self._memory.leadership
        if leading is None:
            self._outbox.emit(Refused(commands, self._memory.leader))
            return
        if len(leading.queue) + len(commands) > self._settings.queue_max:
            self._outbox.emit(Refused(commands, None))
            return
        leading.queue.extend(commands)
        self._fill_window(leading)

    def on_change(self, change: ChangeMembers) -> None:
        leading = self._memory.leadership
        reason = objection(self._memory, change)
        if leading is None:
            reason = "this replica does not lead"
        elif leading.change is not None:
            reason = "another change of members is under way"
        if reason is not None or leading is None:
            self._refuse_change(reason or "")
            return
        leading.change = members_after(self._memory, change)
        self._fill_window(leading)

    def _refuse_change(self, reason: str) -> None:
        self._outbox.emit(ChangeRefused(reason, self._memory.leader))

    def _fill_window(self, leading: Leadership) -> None:
        """While the window is full commands gather, and the next slot takes them together."""
        if leading.change is not None:
            if leading.change_slot is None and leading.next_slot == self._memory.commit + 1:
                self._propose(leading, (), leading.change)
            return
        limit = self._settings.batch_max
        while leading.queue and leading.next_slot <= self._memory.commit + self._settings.window:
            batch = tuple(leading.queue[:limit])
            del leading.queue[:limit]
            self._propose(leading, batch)

    def _propose(self, leading: Leadership, batch: Batch, members: Members | None = None) -> None:
        slot, me, memory = leading.next_slot, self._settings.me, self._memory
        leading.next_slot += 1
        leading.votes[slot] = {}
        if members is not None:
            leading.change, leading.change_slot = members, slot
        message = Accept(leading.ballot, slot, batch, memory.commit, members)
        for replica in memory.members:
            if replica != me:
                self._outbox.send(replica, message)
        # Its own vote counts, like any other, when it is durable.
        self._acceptor.accept(Entry(slot, leading.ballot, batch, members))
        self._acceptor.vote(me, leading.ballot, slot)

    def on_accepted(self, source: ReplicaId, message: Accepted) -> None:
        leading = self._memory.leadership
        if leading is None or leading.ballot != message.ballot:
            return
        if source != self._settings.me:
            leading.heard[source] = None
        votes = leading.votes.get(message.slot)
        if votes is not None:
            votes[source] = None
            self._advance(leading)

    def _advance(self, leading: Leadership) -> None:
        """Apply every slot in order that a quorum has accepted."""
        memory, quorum = self._memory, self._memory.quorum
        while len(leading.votes.get(memory.commit + 1, ())) >= quorum:
            self._learner.apply(memory.log[memory.commit + 1])
            del leading.votes[memory.commit]

    def on_commit_moved(self) -> None:
        """By votes, or by what another replica taught: what has waited for it goes on."""
        memory, leading = self._memory, self._memory.leadership
        if leading is None:
            return
        for slot in [slot for slot in leading.votes if slot <= memory.commit]:
            del leading.votes[slot]
        self._advance(leading)
        # Behind a change it neither proposes nor answers: it is about to hand over.
        if leading.change_slot is None or memory.commit < leading.change_slot:
            self._reads.serve(leading)
            self._fill_window(leading)

    # Heartbeats.

    def on_heartbeat_timer(self) -> None:
        leading = self._memory.leadership
        if leading is None:
            return
        self._resend(leading)
        self._reads.beat(leading, self._memory.members)
        self._timers.start_heartbeat()

    def _resend(self, leading: Leadership) -> None:
        memory = self._memory
        for slot, votes in leading.votes.items():
            if slot < leading.resend_below:
                entry = memory.log[slot]
                message = Accept(leading.ballot, slot, entry.batch, memory.commit, entry.members)
                for replica in memory.members:
                    if replica not in votes and replica != self._settings.me:
                        self._outbox.send(replica, message)
        leading.resend_below = leading.next_slot

    def on_heartbeat_ack(self, source: ReplicaId, message: HeartbeatAck) -> None:
        leading = self._memory.leadership
        if leading is not None and leading.ballot == message.ballot:
            leading.heard[source] = None
            self._reads.on_confirmation(leading, source, message.read_round)
