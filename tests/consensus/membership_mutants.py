"""Known ways to get a change of members wrong."""

from __future__ import annotations

from typing import Any

import msgspec

import amcast.consensus.replica as replica_module
from amcast.consensus.effects import InstallSnapshot
from amcast.consensus.election import Election
from amcast.consensus.leader import Leader
from amcast.consensus.learner import Learner
from amcast.consensus.memory import Canvassing, Leadership, Memory
from amcast.consensus.messages import Canvass, Support
from amcast.consensus.records import ChosenRecord

# The originals, before anything is replaced.
READ_BACK = replica_module.read_back
PROPOSE = Leader._propose
TAKE_OVER = Leader.take_over
SNAPSHOT_TAKEN = Learner.on_snapshot_taken
USE_MEMBERS = Learner._use_members


def fills_despite_change(self: Any, leading: Leadership) -> None:
    limit = self._settings.batch_max
    while leading.queue and leading.next_slot <= self._memory.commit + self._settings.window:
        batch = tuple(leading.queue[:limit])
        del leading.queue[:limit]
        self._propose(leading, batch)
    if leading.change is not None and leading.change_slot is None:
        self._propose(leading, (), leading.change)


def members_at_once(self: Any, leading: Leadership, batch: Any, members: Any = None) -> None:
    if members is not None:
        self._memory.members = members
    PROPOSE(self, leading, batch, members)


def recovers_past_a_change(self: Any, ballot: Any, promises: Any) -> None:
    TAKE_OVER(self, ballot, promises)
    leading, found = self._memory.leadership, self.safe_values(promises.values())
    while leading.next_slot <= max(found, default=0):
        entry = found.get(leading.next_slot)
        if entry is None:
            PROPOSE(self, leading, ())
        else:
            PROPOSE(self, leading, entry.batch, entry.members)


def install_without_members(self: Any, snapshot: Any) -> None:
    self._memory.commit = snapshot.slot
    self._memory.chosen_ballot = max(self._memory.chosen_ballot, snapshot.ballot)
    self._outbox.emit(InstallSnapshot(snapshot.slot, snapshot.state))


def snapshot_with_members_of_now(self: Any, slot: int, state: bytes) -> None:
    memory = self._memory
    if memory.snapshot_asked is not None:
        memory.snapshot_asked = msgspec.structs.replace(
            memory.snapshot_asked, members=memory.members, next_id=memory.next_id
        )
    SNAPSHOT_TAKEN(self, slot, state)


def keeps_candidacy(self: Any, slot: int, members: Any, next_id: int) -> None:
    before = self._memory.canvassing, self._memory.candidacy
    USE_MEMBERS(self, slot, members, next_id)
    self._memory.canvassing, self._memory.candidacy = before


def is_never_removed(self: Any, slot: int, members: Any, next_id: int) -> None:
    USE_MEMBERS(self, slot, members, next_id)
    self._memory.removed = False


def outsider_canvasses(self: Any) -> None:
    memory, me = self._memory, self._settings.me
    memory.candidacy = None
    memory.canvassing = Canvassing(memory.highest_round + 1, {me: None})
    for replica in memory.members:
        if replica != me:
            self._outbox.send(replica, Canvass(memory.canvassing.round, memory.commit))
    self._prepare_if_supported()


def quorum_of_the_first_members(self: Memory) -> int:
    return 2


def forgets_what_is_chosen(settings: Any, records: Any) -> Any:
    return READ_BACK(settings, [r for r in records if not isinstance(r, ChosenRecord)])


def canvasser_is_not_taught(self: Any, source: int, message: Canvass) -> None:
    memory = self._memory
    content = memory.leadership is not None or memory.leader_heard or memory.removed
    if not content and message.commit >= memory.base:
        self._outbox.send(source, Support(message.round))


# Name -> what is replaced, by what.
MEMBERSHIP_MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "change is not a barrier": (Leader, "_fill_window", fills_despite_change),
    "members count before they are chosen": (Leader, "_propose", members_at_once),
    "leads on after a change": (Election, "on_members_changed", lambda *_: None),
    "proposes behind a change that it found": (Leader, "take_over", recovers_past_a_change),
    "candidacy survives a change": (Learner, "_use_members", keeps_candidacy),
    "snapshot without the members": (Learner, "install", install_without_members),
    "snapshot with later members": (
        Learner, "on_snapshot_taken", snapshot_with_members_of_now),
    "removed replica goes on": (Learner, "_use_members", is_never_removed),
    "outsider campaigns": (Election, "_canvass", outsider_canvasses),
    "quorum of three members for ever": (
        Memory, "quorum", property(quorum_of_the_first_members)),
    "change forgotten on restart": (replica_module, "read_back", forgets_what_is_chosen),
    "old members are not taught": (Election, "on_canvass", canvasser_is_not_taught),
}  # fmt: skip
