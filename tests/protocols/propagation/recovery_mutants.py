"""`RecoveringPropagation` with the paper's error, and with others that come to mind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amcast.core import GroupId
from amcast.protocols.propagation import Data, Request
from amcast.protocols.propagation_history import ids_of, merged
from amcast.protocols.propagation_recovery import Continue, RecoveringPropagation, Stop


class CountsPerSet(RecoveringPropagation):
    """Survivors report the last message of each destination set, which orders no two sets."""

    def merge(self, histories: Mapping[GroupId, Sequence[Data]]) -> list[Data]:
        by_set: dict[tuple[GroupId, ...], dict[object, Data]] = {}
        for history in histories.values():
            for data in history:
                by_set.setdefault(data.multicast.dst, {})[data.multicast.id] = data
        return [data for numbered in by_set.values() for data in numbered.values()]


class AppendsAnywhere(RecoveringPropagation):
    """The merged order keeps every history, but groups would have to insert what they miss."""

    def merge(self, histories: Mapping[GroupId, Sequence[Data]]) -> list[Data]:
        # As if nobody was a destination: then nobody has anything to append.
        nowhere = {
            group: [_without_dst(data) for data in history] for group, history in histories.items()
        }
        found = {data.multicast.id: data for history in histories.values() for data in history}
        return [found[id] for id in ids_of(merged(nowhere))]


def _without_dst(data: Data) -> Data:
    multicast = type(data.multicast)(data.multicast.id, ())
    return Data(multicast, data.graph, data.settled)


class NeverTakesBack(RecoveringPropagation):
    """A group that comes back delivers what it missed after what it has."""

    def adopt(self, order: Sequence[Data], *, survives: bool) -> None:
        super().adopt(order, survives=True)


class HandsNothingInAgain(RecoveringPropagation):
    """What only a failed group knew is gone when it comes back."""

    def complete(self, order: Sequence[Data], survivors: Sequence[GroupId]) -> list[Data]:
        return [*order]


class HandsInAgain(HandsNothingInAgain):
    """What only a failed group has is asked for once more, but its client may be done with it."""

    def adopt(self, order: Sequence[Data], *, survives: bool) -> None:
        ordered = ids_of(order)
        lost = [data for data in self.state.history if data.multicast.id not in ordered]
        super().adopt(order, survives=survives)
        for data in lost:
            client, seq = data.multicast.id.client, data.multicast.id.seq
            self.submissions.clients[client].above.pop(seq, None)
            self.state.waiting.append(Request(data.multicast, 0, data.settled))


class GoesOnAfterItsReport(RecoveringPropagation):
    """Handles messages of the old graph although it has reported already."""

    def on_stop(self, stop: Stop) -> None:
        super().on_stop(stop)
        self.state.stopped = self.state.closed = False
        self.state.oldest = 0


class TrustsThoseThatComeBack(RecoveringPropagation):
    """Merges the history of a group that was left out with the others'."""

    def merge(self, histories: Mapping[GroupId, Sequence[Data]]) -> list[Data]:
        return merged(self.state.reports)


class ForgetsTooEarly(RecoveringPropagation):
    """Takes the survivors for everybody, and forgets what a failed group will have missed."""

    def on_continue(self, message: Continue) -> None:
        super().on_continue(message)
        self.state.settled_deliveries += sum(map(self.is_ours, self.state.history))
        self.state.history = []


RECOVERY_MUTANTS = (
    CountsPerSet,
    AppendsAnywhere,
    NeverTakesBack,
    HandsNothingInAgain,
    GoesOnAfterItsReport,
    TrustsThoseThatComeBack,
    ForgetsTooEarly,
)
