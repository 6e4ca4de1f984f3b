"""What can go wrong in the disaster-tolerant protocol even if nobody crashes."""

from __future__ import annotations

from amcast.core import Effect, Event
from amcast.protocols.genuine_dt import GenuineDisasterTolerant, Undecided
from tests.mutants.timestamps import unguarded


class DisasterTolerantLowestWins(GenuineDisasterTolerant):
    """The lowest stamp of the vector becomes the timestamp."""

    def decide(self, entry: Undecided) -> None:
        entry.stamps = {self.group: min(entry.stamps.values())}
        super().decide(entry)


class DisasterTolerantNeverWaits(GenuineDisasterTolerant):
    """Messages are delivered as they are decided, whatever else is known."""

    def may_deliver(self, decided_at: int) -> bool:
        return True


class DisasterTolerantNoGuard(GenuineDisasterTolerant):
    """A message that arrives a second time is stamped a second time."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))
