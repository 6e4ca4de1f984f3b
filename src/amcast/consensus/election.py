"""Elections: who hears no leader canvasses, and with a quorum's support runs phase 1.

The election timer runs all the time and is set anew when it fires, with a delay that the
driver draws. A replica that heard a leader since the last time does nothing. Canvassing
first keeps a replica that was cut off, or that hears nothing, from deposing a good leader.
"""

from __future__ import annotations

from amcast.consensus.acceptor import Acceptor
from amcast.consensus.leader import Leader
from amcast.consensus.learner import Learner
from amcast.consensus.memory import Candidacy, Canvassing, Memory
from amcast.consensus.messages import Canvass, Nack, Prepare, Promise, Support
from amcast.consensus.outbox import Outbox
from amcast.consensus.timers import Timers
from amcast.consensus.values import NO_BALLOT, Ballot, Members, ReplicaId, Settings


class Election:
    """From silence to leadership."""

    def __init__(
        self,
        settings: Settings,
        memory: Memory,
        outbox: Outbox,
        timers: Timers,
        acceptor: Acceptor,
        learner: Learner,
        leader: Leader,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._outbox = outbox
        self._timers = timers
        self._acceptor = acceptor
        self._learner = learner
        self._leader = leader

    def on_timeout(self) -> None:
        memory = self._memory
        self._timers.start_election()
        if memory.leadership is not None:
            self._leader.check_quorum()
        elif memory.leader_heard:
            memory.leader_heard = False
        else:
            memory.leader = None
            self._canvass()

    def _canvass(self) -> None:
        memory, me = self._memory, self._settings.me
        if me not in memory.members:
            self._ask_who_the_members_are()
            return
        memory.candidacy = None
        memory.canvassing = Canvassing(memory.highest_round + 1, {me: None})
        for replica in memory.members:
            if replica != me:
                self._outbox.send(replica, Canvass(memory.canvassing.round, memory.commit))
        self._prepare_if_supported()

    def _ask_who_the_members_are(self) -> None:
        """It was removed, or not let in yet; or it was let in and does not know, and has votes."""
        memory = self._memory
        if memory.promised != NO_BALLOT and not memory.removed:
            for replica in dict.fromkeys((*memory.members, memory.promised.replica)):
                if replica != self._settings.me:
                    self._learner.ask(replica)

    def on_canvass(self, source: ReplicaId, message: Canvass) -> None:
        memory = self._memory
        if message.commit < memory.changed_at:
            # It does not know who the members are; those it knows may be gone.
            self._learner.teach(source, message.commit)
            return
        content = memory.leadership is not None or memory.leader_heard
        # One so far behind that it needs a snapshot could not lead.
        if not content and message.commit >= memory.base:
            self._outbox.send(source, Support(message.round))

    def on_support(self, source: ReplicaId, message: Support) -> None:
        canvassing = self._memory.canvassing
        if canvassing is not None and canvassing.round == message.round:
            canvassing.supporters[source] = None
            self._prepare_if_supported()

    def _prepare_if_supported(self) -> None:
        memory = self._memory
        canvassing = memory.canvassing
        if canvassing is not None and len(canvassing.supporters) >= memory.quorum:
            memory.canvassing = None
            self._prepare()

    def on_members_changed(self, before: Members) -> None:
        """A leader goes on only if the new members promise it their votes."""
        if self._memory.leadership is None:
            return
        self._leader.hand_over(before)
        if self._settings.me in self._memory.members:
            self._prepare()

    def _prepare(self) -> None:
        memory = self._memory
        ballot = Ballot(memory.highest_round + 1, self._settings.me)
        # Durable before it is used: a restart must never use the same ballot again.
        self._acceptor.promise(ballot)
        memory.candidacy = Candidacy(ballot)
        for replica in memory.members:
            self._outbox.send_after_sync(replica, Prepare(ballot, memory.commit))

    def on_promise(self, source: ReplicaId, message: Promise) -> None:
        memory = self._memory
        candidacy = memory.candidacy
        if candidacy is None or candidacy.ballot != message.ballot:
            return
        if message.base > memory.commit:
            # What was chosen there cannot be told any more, only transferred.
            memory.candidacy = None
            self._learner.ask(source)
            return
        candidacy.promises[source] = message.accepted
        if len(candidacy.promises) >= memory.quorum:
            memory.candidacy = None
            self._leader.take_over(candidacy.ballot, candidacy.promises)

    def on_nack(self, message: Nack) -> None:
        memory = self._memory
        memory.highest_round = max(memory.highest_round, message.promised.round)
        if memory.candidacy is not None and memory.candidacy.ballot < message.promised:
            memory.candidacy = None
        if memory.leadership is not None and memory.leadership.ballot < message.promised:
            self._leader.step_down()
