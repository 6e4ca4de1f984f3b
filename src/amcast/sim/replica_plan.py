"""How the groups of a run are replicated."""

from __future__ import annotations

from dataclasses import dataclass

from amcast.consensus import ReplicaId, Settings
from amcast.core import InvalidInput
from amcast.groups.clients import EXPIRE_AFTER


@dataclass(frozen=True)
class ReplicaPlan:
    """How groups are replicated. Time-outs are long against the delays of most networks."""

    replicas: int = 3
    # One way between two replicas of a group.
    inside_us: int = 50
    sync_us: int = 0
    heartbeat_us: int = 50_000
    election_us: int = 250_000
    election_spread_us: int = 250_000
    resend_us: int = 1_000_000
    # When a client that has not got all replies asks again.
    retry_us: int = 2_000_000
    batch_max: int = 64
    window: int = 8
    snapshot_every: int = 10_000
    entries_kept: int = 1_000
    expire_after: int = EXPIRE_AFTER
    queue_max: int = 100_000
    catch_up_max: int = 500

    def settings(self, me: ReplicaId) -> Settings:
        return Settings(
            me=me,
            size=self.replicas,
            heartbeat_us=self.heartbeat_us,
            election_us=self.election_us,
            election_spread_us=self.election_spread_us,
            batch_max=self.batch_max,
            window=self.window,
            snapshot_every=self.snapshot_every,
            entries_kept=self.entries_kept,
            queue_max=self.queue_max,
            catch_up_max=self.catch_up_max,
        )

    def __post_init__(self) -> None:
        if min(self.inside_us, self.sync_us) < 0 or min(self.resend_us, self.retry_us) < 1:
            raise InvalidInput("delays inside a group and of its disks are 0 or more")
