"""All that changes in a replica, in one struct: copied, compared and stored as bytes."""

from __future__ import annotations

import msgspec

from amcast.consensus.values import (
    NO_BALLOT,
    Ballot,
    Entry,
    Members,
    ReplicaId,
    Slot,
    Snapshot,
)


class Canvassing(msgspec.Struct):
    """Asking who would vote for this replica."""

    round: int
    supporters: dict[ReplicaId, None]


class Candidacy(msgspec.Struct):
    """Phase 1 under way: what each replica that promised had accepted."""

    ballot: Ballot
    promises: dict[ReplicaId, tuple[Entry, ...]] = {}


class Read(msgspec.Struct):
    """A read that waits for the confirmation of `round`, and for `slot` to be applied."""

    read: int
    round: int
    slot: Slot


class Leadership(msgspec.Struct):
    """Phase 2 under way, for as long as nobody has a higher ballot."""

    ballot: Ballot
    next_slot: Slot
    # Up to here it proposed what phase 1 found; earlier leaders chose nothing beyond.
    recovered: Slot
    votes: dict[Slot, dict[ReplicaId, None]] = {}
    queue: list[bytes] = []
    # New members: they wait until no slot is open, take one, and nothing is opened behind it.
    change: Members | None = None
    change_slot: Slot | None = None
    # Who answered since the last check that a quorum still does.
    heard: dict[ReplicaId, None] = {}
    # Slots below were open at the last heartbeat, so their Accepts may be lost.
    resend_below: Slot = 0
    read_round: int = 0
    confirmed: dict[ReplicaId, int] = {}
    reads: list[Read] = []


class Memory(msgspec.Struct):
    """One replica. Durable are `snapshot`, `promised`, `log` and `chosen`; the rest gets lost."""

    snapshot: Snapshot
    # The group, as of `commit`, and the lowest id that nobody in it ever had.
    members: Members
    next_id: ReplicaId
    promised: Ballot = NO_BALLOT
    # What was accepted, for slots above `base`.
    log: dict[Slot, Entry] = {}
    base: Slot = 0
    # Up to here the disk says that what was accepted is chosen.
    chosen: Slot = 0
    # Up to here every slot is chosen and applied; the highest ballot among those entries.
    commit: Slot = 0
    chosen_ballot: Ballot = NO_BALLOT
    # The slot of the last change of members, or a later one.
    changed_at: Slot = 0
    removed: bool = False
    # The snapshot that the application was asked for, still without its state.
    snapshot_asked: Snapshot | None = None
    highest_round: int = 0
    leader: ReplicaId | None = None
    # Whether a leader was heard since the election timer last fired.
    leader_heard: bool = False
    timers: dict[str, int] = {}
    canvassing: Canvassing | None = None
    candidacy: Candidacy | None = None
    leadership: Leadership | None = None
    failed: bool = False

    @property
    def quorum(self) -> int:
        return len(self.members) // 2 + 1
