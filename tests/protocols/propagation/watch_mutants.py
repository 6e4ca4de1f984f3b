"""The bugs of the paper's time-outs: numbers 5, 6 and 8 of its message passing protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from amcast.core import GroupId, Received
from amcast.protocols.propagation import Null
from amcast.protocols.propagation_watch import WatchingPropagation


class NullsHaveNoNumber(WatchingPropagation):
    """Bug 5: null messages take the test of sequence numbers without having one."""

    def send(self, targets: Iterable[GroupId], message: Any) -> None:
        chosen = tuple(targets)
        super().send(chosen, message)
        if isinstance(message, Null):
            for target in chosen:
                self.channels.sent[target] -= 1

    def _receive(self, event: Received) -> None:
        number = 0 if isinstance(event.message, Null) else event.number
        for message in self.channels.accept(event.source, number, event.message, fifo=True):  # type: ignore[arg-type]
            self.on_message(event.source, message)


class NeverNotesTheTimeOfSending(WatchingPropagation):
    """Bug 6: the time of sending is never noted, so null messages go out though others do, too."""

    def send(self, targets: Iterable[GroupId], message: Any) -> None:
        super(WatchingPropagation, self).send(targets, message)


class WatchesOnlyParents(WatchingPropagation):
    """Bug 8: only parents are watched, and nobody notices that the manager failed."""

    def feeder(self) -> GroupId | None:
        return self.graph.parents[self.group]
