"""The words of the log: ballots, slots, batches, entries, and how a replica is set up."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from amcast.core import InvalidInput

ReplicaId = int
Slot = int
Batch = tuple[bytes, ...]
"""The commands of one slot, opaque to the log. An empty batch fills a gap."""

Members = tuple[ReplicaId, ...]
"""The replicas that make up the group, in the order in which they joined."""

SIZES = (1, 3, 5, 7)


class Ballot(NamedTuple):
    """A leader's term. Only `replica` ever leads in it, and it uses each round once."""

    round: int
    replica: ReplicaId


NO_BALLOT = Ballot(0, 0)


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a replica accepted in `slot`, and under which ballot.

    Where `members` is not None they are the group from the next slot on, and the batch is empty.
    """

    slot: Slot
    ballot: Ballot
    batch: Batch
    members: Members | None = None


class Snapshot(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The application's state after `slot`, and the group's members then.

    No slot up to there was chosen under a ballot above `ballot`. The state is opaque:
    a driver with large states may put a name here and move the bytes itself.
    """

    slot: Slot
    ballot: Ballot
    state: bytes
    members: Members
    # Ids below were members once, or never will be.
    next_id: ReplicaId


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Who this replica is, how patient it is, and how much it does at once.

    `size` is that of the group at its very start, whose members are 0 to size - 1. A replica
    with a higher id waits until it is made a member.
    """

    me: ReplicaId
    size: int
    heartbeat_us: int = 50_000
    # The driver adds a random part of up to `election_spread_us`, anew each time.
    election_us: int = 250_000
    election_spread_us: int = 250_000
    batch_max: int = 64
    # Slots that may be undecided at once.
    window: int = 8
    # A snapshot after so many slots; older slots are then dropped, but for the last few.
    snapshot_every: int = 10_000
    entries_kept: int = 1_000
    catch_up_max: int = 500
    # Commands, and reads, that may wait at the leader; further ones are refused.
    queue_max: int = 100_000

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise InvalidInput(f"a group of {self.size} replicas: use 1, 3, 5 or 7")
        if self.me < 0:
            raise InvalidInput(f"replica {self.me}: ids run from 0 up")
        sizes = (self.batch_max, self.window, self.snapshot_every, self.catch_up_max)
        if min(*sizes, self.queue_max) < 1:
            raise InvalidInput("batch, window, snapshot, catch-up and queue are at least 1")
        if min(self.entries_kept, self.election_spread_us) < 0:
            raise InvalidInput("the entries kept and the spread of elections are at least 0")
        if self.heartbeat_us < 1 or self.election_us <= self.heartbeat_us:
            raise InvalidInput("the election time-out must exceed the heartbeat's, and that 0")

    @property
    def first_snapshot(self) -> Snapshot:
        """Where every log starts."""
        return Snapshot(0, NO_BALLOT, b"", tuple(range(self.size)), self.size)
