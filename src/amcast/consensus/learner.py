"""The learner: applies what is chosen, catches up, takes and installs snapshots."""

from __future__ import annotations

import msgspec

from amcast.consensus.acceptor import Acceptor
from amcast.consensus.effects import (
    Apply,
    InstallSnapshot,
    MembersChanged,
    TakeSnapshot,
    Truncate,
)
from amcast.consensus.memory import Memory
from amcast.consensus.messages import CatchUp, Learn, StateTransfer
from amcast.consensus.outbox import Outbox
from amcast.consensus.records import ChosenRecord, SnapshotRecord
from amcast.consensus.values import Ballot, Entry, Members, ReplicaId, Settings, Slot, Snapshot


class Learner:
    """Every slot up to `commit` is chosen, and applied in order."""

    def __init__(
        self, settings: Settings, memory: Memory, outbox: Outbox, acceptor: Acceptor
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._outbox = outbox
        self._acceptor = acceptor

    def commit_to(self, ballot: Ballot, commit: Slot) -> None:
        """The leader of `ballot` knows the slots up to `commit` as chosen."""
        memory = self._memory
        while memory.commit < commit:
            entry = memory.log.get(memory.commit + 1)
            # An entry of an older ballot may differ from the one that was chosen.
            if entry is None or entry.ballot != ballot:
                break
            self.apply(entry)

    def apply(self, entry: Entry) -> None:
        """The entry of the next slot is chosen."""
        memory = self._memory
        memory.commit = entry.slot
        if entry.ballot > memory.chosen_ballot:
            memory.chosen_ballot = entry.ballot
        self._outbox.emit(Apply(entry.slot, entry.batch))
        if entry.members is not None:
            self._change_members(entry.slot, entry.members)
        if entry.slot - memory.snapshot.slot >= self._settings.snapshot_every:
            self._ask_for_snapshot()

    def _change_members(self, slot: Slot, members: Members) -> None:
        memory = self._memory
        if slot > memory.chosen:
            memory.chosen = slot
            self._outbox.persist(ChosenRecord(slot))
        self._use_members(slot, members, max(memory.next_id, max(members) + 1))

    def _use_members(self, slot: Slot, members: Members, next_id: ReplicaId) -> None:
        memory = self._memory
        memory.members, memory.next_id, memory.changed_at = members, next_id, slot
        memory.removed = self._settings.me not in members and self._settings.me < next_id
        # Whoever supports or promises now speaks as one of the old members.
        memory.canvassing = memory.candidacy = None
        self._outbox.emit_after_sync(MembersChanged(members, slot))

    def apply_known(self) -> None:
        """After a restart: apply again what the disk knows as chosen."""
        memory = self._memory
        while memory.commit < memory.chosen:
            self.apply(memory.log[memory.commit + 1])

    # Catching up.

    def ask(self, source: ReplicaId) -> None:
        self._outbox.send(source, CatchUp(self._memory.commit))

    def on_catch_up(self, source: ReplicaId, message: CatchUp) -> None:
        self.teach(source, message.commit)

    def teach(self, pupil: ReplicaId, commit: Slot) -> None:
        """Tell one whose log is chosen up to `commit` what comes next."""
        memory = self._memory
        if commit >= memory.commit:
            return
        if commit < memory.base:
            self._outbox.send(pupil, StateTransfer(memory.snapshot))
            return
        last = min(memory.commit, commit + self._settings.catch_up_max)
        entries = tuple(memory.log[slot] for slot in range(commit + 1, last + 1))
        self._outbox.send(pupil, Learn(entries, memory.commit))

    def on_learn(self, source: ReplicaId, message: Learn) -> None:
        memory = self._memory
        before = memory.commit
        for entry in message.entries:
            if entry.slot == memory.commit + 1:
                self._acceptor.accept(entry)
                self.apply(memory.log[entry.slot])
        if before < memory.commit < message.commit:
            self.ask(source)

    # Snapshots.

    def _ask_for_snapshot(self) -> None:
        memory = self._memory
        if memory.snapshot_asked is None:
            # When the answer comes the members may be others, but it speaks of now.
            memory.snapshot_asked = Snapshot(
                memory.commit, memory.chosen_ballot, b"", memory.members, memory.next_id
            )
            self._outbox.emit(TakeSnapshot(memory.commit))

    def on_snapshot_taken(self, slot: Slot, state: bytes) -> None:
        memory = self._memory
        asked = memory.snapshot_asked
        if asked is None or asked.slot != slot:
            return
        memory.snapshot_asked = None
        if slot > memory.snapshot.slot:
            self._store(msgspec.structs.replace(asked, state=state))
            self._truncate(slot - self._settings.entries_kept)

    def on_state_transfer(self, source: ReplicaId, message: StateTransfer) -> None:
        snapshot = message.snapshot
        # A leader has found what was chosen in phase 1, and will have it applied by itself.
        if snapshot.slot <= self._memory.commit or self._memory.leadership is not None:
            return
        # It knows these slots as chosen now, so it must not vote below their ballots.
        self._acceptor.promise(snapshot.ballot)
        self._store(snapshot)
        self.install(snapshot)
        self._truncate(snapshot.slot)
        self.ask(source)

    def install(self, snapshot: Snapshot) -> None:
        memory = self._memory
        memory.commit = snapshot.slot
        memory.chosen_ballot = max(memory.chosen_ballot, snapshot.ballot)
        self._outbox.emit(InstallSnapshot(snapshot.slot, snapshot.state))
        # The members may be the same again, and ids used up all the same.
        if (snapshot.members, snapshot.next_id) != (memory.members, memory.next_id):
            self._use_members(snapshot.slot, snapshot.members, snapshot.next_id)

    def _store(self, snapshot: Snapshot) -> None:
        self._memory.snapshot = snapshot
        self._outbox.persist(SnapshotRecord(snapshot))

    def _truncate(self, slot: Slot) -> None:
        """Forget the entries up to `slot`, on disk only once the snapshot is durable."""
        memory = self._memory
        if slot > memory.base:
            memory.base = slot
            memory.log = {number: entry for number, entry in memory.log.items() if number > slot}
            self._outbox.emit_after_sync(Truncate(slot))
