"""What can go wrong only when groups crash."""

from __future__ import annotations

from typing import ClassVar

from amcast.core import GroupId
from amcast.protocols.genuine_dt import GenuineDisasterTolerant, Undecided, Vector


class OneRound(GenuineDisasterTolerant):
    """Groups decide on what they hear first: one that crashes may have told only some."""

    rounds: ClassVar[int] = 1


class ListensToTheDead(GenuineDisasterTolerant):
    """What a crashed group sent still counts if it comes after the suspicion."""

    def on_message(self, source: GroupId, message: Vector) -> None:
        suspected = self.state.suspected
        self.state.suspected = {group: None for group in suspected if group != source}
        super().on_message(source, message)
        self.state.suspected = suspected


class NoFifo(GenuineDisasterTolerant):
    """A vector may be heard before what its sender stamped earlier: a hole, if it crashes."""

    fifo: ClassVar[bool] = False


class NoClockUpdate(GenuineDisasterTolerant):
    """The clock does not follow the stamps of others. Seldom seen where nobody crashes."""

    def go_on(self, entry: Undecided) -> None:
        clock = self.state.clock
        super().go_on(entry)
        self.state.clock = clock


class LateClock(GenuineDisasterTolerant):
    """The clock follows the decision, not what is learned on the way to it."""

    def go_on(self, entry: Undecided) -> None:
        clock = self.state.clock
        super().go_on(entry)
        if entry.multicast.id in self.state.undecided:
            self.state.clock = clock


class TrustsItsStamps(GenuineDisasterTolerant):
    """Own stamps are taken for lower bounds of timestamps, which holds only if one survives."""

    def may_deliver(self, decided_at: int) -> bool:
        timestamp, id, *_ = self.state.decided[0]
        entries = self.state.undecided.values()
        return all((each.own_stamp, each.multicast.id) > (timestamp, id) for each in entries)
