"""What replicas of one group say to each other. Any of it may be lost, repeated or late."""

from __future__ import annotations

import msgspec

from amcast.consensus.values import Ballot, Batch, Entry, Members, Slot, Snapshot


class Message(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Base of the messages between replicas."""


class Canvass(Message, frozen=True):
    """Would you vote for me? Binds nobody, so a replica that comes back disturbs nobody."""

    round: int
    commit: Slot


class Support(Message, frozen=True):
    """I hear no leader either."""

    round: int


class Prepare(Message, frozen=True):
    """Phase 1a: accept nothing below `ballot`, and tell me what you accepted after `commit`."""

    ballot: Ballot
    commit: Slot


class Promise(Message, frozen=True):
    """Phase 1b. What is missing up to `base` was chosen and truncated."""

    ballot: Ballot
    base: Slot
    accepted: tuple[Entry, ...]


class Accept(Message, frozen=True):
    """Phase 2a, with the leader's commit index."""

    ballot: Ballot
    slot: Slot
    batch: Batch
    commit: Slot
    members: Members | None = None


class Accepted(Message, frozen=True):
    """Phase 2b: a durable vote."""

    ballot: Ballot
    slot: Slot


class Nack(Message, frozen=True):
    """Your `ballot` is too low: I have promised `promised`."""

    ballot: Ballot
    promised: Ballot


class Heartbeat(Message, frozen=True):
    """The leader lives. `read_round` counts the rounds that confirm it for reads."""

    ballot: Ballot
    commit: Slot
    read_round: int


class HeartbeatAck(Message, frozen=True):
    """When I got that heartbeat I had promised no ballot above yours."""

    ballot: Ballot
    read_round: int


class CatchUp(Message, frozen=True):
    """Tell me what was chosen after `commit`."""

    commit: Slot


class Learn(Message, frozen=True):
    """Chosen entries, in order; the sender's log is chosen up to `commit`."""

    entries: tuple[Entry, ...]
    commit: Slot


class StateTransfer(Message, frozen=True):
    """For a replica so far behind that the entries it lacks are truncated."""

    snapshot: Snapshot


AnyMessage = (
    Canvass
    | Support
    | Prepare
    | Promise
    | Accept
    | Accepted
    | Nack
    | Heartbeat
    | HeartbeatAck
    | CatchUp
    | Learn
    | StateTransfer
)
