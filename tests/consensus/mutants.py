"""Known ways to get Multi-Paxos wrong: each must be caught by the seeds, or the seeds are weak."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import amcast.consensus.replica as replica_module
import tests.consensus.disk as disk_module
from amcast.consensus.acceptor import Acceptor
from amcast.consensus.effects import Apply, InstallSnapshot, ReadReady, Truncate
from amcast.consensus.election import Election
from amcast.consensus.leader import Leader
from amcast.consensus.learner import Learner
from amcast.consensus.memory import Leadership, Memory
from amcast.consensus.messages import Accepted, CatchUp, Learn, Promise
from amcast.consensus.reads import Reads
from amcast.consensus.records import (
    AcceptRecord,
    IdentityRecord,
    PromiseRecord,
    SnapshotRecord,
)
from tests.consensus.membership_mutants import MEMBERSHIP_MUTANTS
from tests.consensus.oracle import Violation
from tests.consensus.world import World

# The originals, before anything is replaced.
READ_BACK = replica_module.read_back
PROPOSE = Leader._propose


def muted(method: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, while `method` of its outbox does nothing."""

    @functools.wraps(function)
    def wrapped(self: Any, *arguments: Any) -> Any:
        setattr(self._outbox, method, lambda *_: None)
        try:
            return function(self, *arguments)
        finally:
            delattr(self._outbox, method)

    return wrapped


def hurried(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which does not wait for the disk."""

    @functools.wraps(function)
    def wrapped(self: Any, *arguments: Any) -> Any:
        self._outbox.send_after_sync = self._outbox.send
        try:
            return function(self, *arguments)
        finally:
            del self._outbox.send_after_sync

    return wrapped


def counts_own_vote_at_once(self: Any, leading: Leadership, *what: Any) -> None:
    PROPOSE(self, leading, *what)
    leading.votes[leading.next_slot - 1][self._settings.me] = None


def commits_any_ballot(self: Any, ballot: Any, commit: int) -> None:
    while self._memory.commit < commit and self._memory.commit + 1 in self._memory.log:
        self.apply(self._memory.log[self._memory.commit + 1])


def only_highest_ballot(self: Any, promises: Any) -> Any:
    entries = [entry for accepted in promises for entry in accepted]
    highest = max((entry.ballot for entry in entries), default=None)
    commit = self._memory.commit
    return {e.slot: e for e in entries if e.ballot == highest and e.slot > commit}


def lowest_ballot(self: Any, promises: Any) -> Any:
    found: dict[int, Any] = {}
    for entry in [entry for accepted in promises for entry in accepted]:
        rival = found.get(entry.slot)
        if entry.slot > self._memory.commit and (rival is None or entry.ballot < rival.ballot):
            found[entry.slot] = entry
    return found


def install_without_commit(self: Any, snapshot: Any) -> None:
    self._outbox.emit(InstallSnapshot(snapshot.slot, snapshot.state))


def accept_without_promise(self: Any, entry: Any) -> None:
    self._memory.log[entry.slot] = entry
    self._outbox.persist(AcceptRecord(entry))


def truncate_at_once(self: Any, slot: int) -> None:
    if slot > self._memory.base:
        self._memory.base = slot
        self._memory.log = {n: entry for n, entry in self._memory.log.items() if n > slot}
        self._outbox.emit(Truncate(slot))


def promise_despite_base(self: Any, source: int, message: Promise) -> None:
    candidacy = self._memory.candidacy
    if candidacy is not None and candidacy.ballot == message.ballot:
        candidacy.promises[source] = message.accepted
        if len(candidacy.promises) >= self._memory.quorum:
            self._memory.candidacy = None
            self._leader.take_over(candidacy.ballot, candidacy.promises)


def teaches_unchosen(self: Any, source: int, message: CatchUp) -> None:
    log = self._memory.log
    entries = tuple(log[slot] for slot in sorted(log) if slot > message.commit)
    self._outbox.send(source, Learn(entries, self._memory.commit))


def skips_refusal(self: Any, source: int, ballot: Any) -> bool:
    self.memory.leader, self.memory.leader_heard = source, True
    return True


def serves_unconfirmed(self: Any, leading: Leadership) -> None:
    for read in leading.reads:
        self._outbox.emit(ReadReady(read.read))
    leading.reads = []


def serves_before_recovery(self: Any, leading: Leadership) -> None:
    leading.reads = [type(r)(r.read, r.round, 0) for r in leading.reads]
    SERVE(self, leading)


SERVE = Reads.serve


def forgets_votes(settings: Any, records: Any) -> Any:
    return READ_BACK(settings, [r for r in records if not isinstance(r, AcceptRecord)])


def compact_loses_promise(records: Any, truncated: int) -> Any:
    kept = [r for r in records if isinstance(r, IdentityRecord | PromiseRecord)]
    votes = [r for r in records if isinstance(r, AcceptRecord) and r.entry.slot > truncated]
    newest = [r for r in records if isinstance(r, SnapshotRecord)][-1:]
    return [kept[0], *votes, *newest]


def counts_votes_of_any_ballot(self: Any, source: int, message: Accepted) -> None:
    leading = self._memory.leadership
    if leading is not None and message.slot in leading.votes:
        leading.votes[message.slot][source] = None
        self._advance(leading)


def applies_out_of_order(self: Any, leading: Leadership) -> None:
    for slot in [s for s, who in leading.votes.items() if len(who) >= self._memory.quorum]:
        del leading.votes[slot]
        self._memory.commit = slot
        self._outbox.emit(Apply(slot, self._memory.log[slot].batch))


def nothing(*_: Any) -> None:
    return None


def small_quorum(self: Memory) -> int:
    return max(1, len(self.members) // 2)


# Name -> what is replaced, by what.
MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "own ballot not persisted": (
        Election, "_prepare_if_supported", muted("persist", Election._prepare_if_supported)),
    "promise not persisted": (Acceptor, "on_prepare", muted("persist", Acceptor.on_prepare)),
    "vote not persisted": (Acceptor, "accept", muted("persist", Acceptor.accept)),
    "vote sent before sync": (Acceptor, "vote", hurried(Acceptor.vote)),
    "promise sent before sync": (Acceptor, "on_prepare", hurried(Acceptor.on_prepare)),
    "own vote counted before sync": (Leader, "_propose", counts_own_vote_at_once),
    "quorum of f": (Memory, "quorum", property(small_quorum)),
    "commit index ahead of the log": (Learner, "commit_to", commits_any_ballot),
    "votes of other ballots counted": (Leader, "on_accepted", counts_votes_of_any_ballot),
    "slots applied out of order": (Leader, "_advance", applies_out_of_order),
    "accepts below its promise": (replica_module.Replica, "_follow", skips_refusal),
    "new leader ignores accepted values": (Leader, "safe_values", lambda *_: {}),
    "ignores values of lower ballots": (Leader, "safe_values", only_highest_ballot),
    "picks the lowest ballot": (Leader, "safe_values", lowest_ballot),
    "leads from behind a snapshot": (Election, "on_promise", promise_despite_base),
    "teaches what is not chosen": (Learner, "on_catch_up", teaches_unchosen),
    "votes forgotten on restart": (replica_module, "read_back", forgets_votes),
    "compaction loses the promise": (disk_module, "compact", compact_loses_promise),
    "learnt entry raises no promise": (Acceptor, "accept", accept_without_promise),
    "snapshot does not move commit": (Learner, "install", install_without_commit),
    "truncation before sync": (Learner, "_truncate", truncate_at_once),
    "read without confirmation": (Reads, "serve", serves_unconfirmed),
    "read before recovery": (Reads, "serve", serves_before_recovery),
    "nothing re-sent": (Leader, "_resend", nothing),
    "no catch-up": (Learner, "ask", nothing),
    **MEMBERSHIP_MUTANTS,
}  # fmt: skip


@contextmanager
def mutated(name: str) -> Iterator[None]:
    owner, attribute, replacement = MUTANTS[name]
    original = owner.__dict__[attribute]
    setattr(owner, attribute, replacement)
    try:
        yield
    finally:
        setattr(owner, attribute, original)


def complaints(name: str, seed: int) -> list[str]:
    """What a mutant violates in the world of `seed`."""
    with mutated(name):
        return complaints_about(seed)


def complaints_about(seed: int) -> list[str]:
    """What is wrong with the world of `seed`, if anything."""
    try:
        World(seed).run()
    except Violation as error:
        return [str(error)]
    except (AssertionError, LookupError) as error:
        return [f"crash: {type(error).__name__}: {error}"]
    return []
