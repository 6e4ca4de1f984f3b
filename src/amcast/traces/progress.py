"""How far messages have got: of all that is noted, only what tells where the time went."""

from __future__ import annotations

from typing import Final

from amcast.core import GroupId, MessageId, ProcessId
from amcast.traces.sinks import Sink

RECEIVED: Final = "received"


class Progress:
    """For each message and destination, until the message is delivered there for the first time:

    when something about it was first received, and when each kind of milestone was reached for
    the last time. That makes a few rows a delivery, however many packets it takes, and memory
    grows only with what is under way.
    """

    def __init__(self, sink: Sink) -> None:
        self.groups: dict[ProcessId, GroupId] = {}
        self._sink = sink
        self._first: dict[tuple[MessageId, GroupId], tuple[ProcessId, int]] = {}
        self._last: dict[tuple[MessageId, GroupId], dict[str, tuple[ProcessId, int]]] = {}

    def begin(self, msg: MessageId, dst: tuple[GroupId, ...]) -> None:
        for group in dst:
            self._last[msg, group] = {}

    def note(self, process: ProcessId, msg: MessageId, kind: str, at_us: int) -> None:
        place = msg, self.groups[process]
        last = self._last.get(place)
        if last is None:
            return  # relayed by a group that is no destination, or delivered already
        last[kind] = process, at_us
        if kind == RECEIVED:
            self._first.setdefault(place, last[kind])

    def end(self, msg: MessageId, group: GroupId) -> None:
        last = self._last.pop((msg, group), None)
        if not last:
            return
        first = self._first.pop((msg, group), None)
        if first is not None and first != last[RECEIVED]:
            self._sink.add(first[0], msg, RECEIVED, first[1])
        for kind, (process, at_us) in last.items():
            self._sink.add(process, msg, kind, at_us)
