"""What a run tells to whoever wants to know. A trace writer is one such listener."""

from __future__ import annotations

from typing import Literal, Protocol

from amcast.check import History
from amcast.core import GroupId, MessageId, ProcessId


class Recorder(Protocol):
    """Called in the order of the run, once per row of a trace."""

    packets: Literal["all", "counts", "off"]
    """Whether it wants each packet, only their number and size (no `msgs`), or none."""
    milestones: bool
    """Whether it wants to know how far messages get."""

    def process(self, process: ProcessId, group: GroupId) -> None: ...

    def multicast(
        self,
        msg: MessageId,
        sender: str,
        dst: tuple[GroupId, ...],
        at_us: int,
        size: int,
        home: GroupId | None,
        keys: tuple[str, ...] | None,
    ) -> None: ...

    def delivery(
        self, process: ProcessId, group: GroupId, seq: int, msg: MessageId, at_us: int
    ) -> None: ...

    def reply(self, msg: MessageId, group: GroupId, at_us: int) -> None: ...

    def fault(
        self,
        process: ProcessId,
        kind: str,
        at_us: int,
        peer: ProcessId | None = None,
        seq: int | None = None,
    ) -> None: ...

    def milestone(self, process: ProcessId, msg: MessageId, kind: str, at_us: int) -> None: ...

    def packet(
        self,
        source: str,
        target: str,
        source_group: GroupId | None,
        target_group: GroupId | None,
        kind: str,
        msgs: tuple[MessageId, ...],
        sent_us: int,
        received_us: int | None,
        size: int,
        payload: bool | None = None,
        history_size: int | None = None,
    ) -> None: ...


class HistoryRecorder:
    """Keeps a run in memory, ready for `check`."""

    packets: Literal["all", "counts", "off"] = "all"
    milestones = False

    def __init__(self, run: str = "run") -> None:
        self.history = History(run)
        self.history.has_packets = True

    def process(self, process: ProcessId, group: GroupId) -> None:
        self.history.add_process(process, group)

    def multicast(
        self,
        msg: MessageId,
        sender: str,
        dst: tuple[GroupId, ...],
        at_us: int,
        size: int,
        home: GroupId | None,
        keys: tuple[str, ...] | None,
    ) -> None:
        self.history.add_multicast(msg, sender, dst, at_us, home, keys)

    def delivery(
        self, process: ProcessId, group: GroupId, seq: int, msg: MessageId, at_us: int
    ) -> None:
        self.history.add_delivery(process, group, seq, msg, at_us)

    def reply(self, msg: MessageId, group: GroupId, at_us: int) -> None:
        """Replies do not matter for correctness."""

    def fault(
        self,
        process: ProcessId,
        kind: str,
        at_us: int,
        peer: ProcessId | None = None,
        seq: int | None = None,
    ) -> None:
        self.history.add_fault(process, kind, at_us, seq)

    def milestone(self, process: ProcessId, msg: MessageId, kind: str, at_us: int) -> None:
        """Where the time goes does not matter for correctness."""

    def packet(
        self,
        source: str,
        target: str,
        source_group: GroupId | None,
        target_group: GroupId | None,
        kind: str,
        msgs: tuple[MessageId, ...],
        sent_us: int,
        received_us: int | None,
        size: int,
        payload: bool | None = None,
        history_size: int | None = None,
    ) -> None:
        self.history.add_packet(source_group, target_group, msgs)
