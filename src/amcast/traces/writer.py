"""Writing a trace while the run goes on, in memory that does not grow with it."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Literal, get_args

from amcast.core import GroupId, InvalidInput, MessageId, ProcessId
from amcast.traces.progress import Progress
from amcast.traces.sinks import Sink, Traffic
from amcast.traces.staging import Staging

Packets = Literal["all", "counts", "off"]

ALWAYS_WRITTEN = (
    "runs",
    "processes",
    "multicasts",
    "deliveries",
    "replies",
    "faults",
)
PACKET_TABLES = {"all": ("packets", "milestones"), "counts": ("traffic", "milestones"), "off": ()}


class TraceWriter:
    """The trace of one run: a context manager, whose directory appears with `finish`.

    A run that ends without `finish`, by an exception or by being killed, leaves no
    directory. The recording methods are called millions of times, so they only gather
    tuples; columns are made, and ids turned into text, a batch at a time.
    """

    def __init__(
        self,
        directory: Path,
        *,
        run: str,
        protocol: str,
        driver: str,
        parameters: dict[str, object],
        seed: int,
        packets: Packets = "all",
    ) -> None:
        if packets not in get_args(Packets):
            raise InvalidInput(f"packets = {packets!r} is not known: use all, counts or off")
        if not -(2**63) <= seed < 2**63:
            raise InvalidInput(f"seed = {seed} does not fit into 64 bits: choose a smaller one")
        canonical = json.dumps(parameters, sort_keys=True, ensure_ascii=False, allow_nan=False)
        self._about = (protocol, driver, canonical, seed)
        self.packets: Packets = packets
        self.milestones = packets != "off"
        self._open = True
        self._staging = Staging(Path(directory))
        tables = (*ALWAYS_WRITTEN, *PACKET_TABLES[packets])
        try:
            self._sinks = {table: Sink(self._staging.path, table, run) for table in tables}
        except BaseException:
            self._staging.discard()
            raise
        self._multicasts = self._sinks["multicasts"]
        self._deliveries = self._sinks["deliveries"]
        self._replies = self._sinks["replies"]
        self._packets = self._sinks.get("packets")
        traffic = self._sinks.get("traffic")
        self._traffic = Traffic(traffic) if traffic else None
        milestones = self._sinks.get("milestones")
        self._progress = Progress(milestones) if milestones else None

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._open:
            self._open = False
            try:
                for sink in self._sinks.values():
                    sink.abandon()
            finally:
                self._staging.discard()

    def process(self, process: ProcessId, group: GroupId) -> None:
        self._sinks["processes"].add(process, group)
        if self._progress is not None:
            self._progress.groups[process] = group

    def multicast(
        self,
        msg: MessageId,
        sender: str,
        dst: tuple[GroupId, ...],
        at_us: int,
        size: int,
        home: GroupId | None = None,
        keys: tuple[str, ...] | None = None,
    ) -> None:
        """Record that `sender`, a client of group `home` if any, multicast `msg`."""
        self._multicasts.add(msg, sender, dst, at_us, size, home, keys)
        if self._progress is not None:
            self._progress.begin(msg, dst)

    def delivery(
        self, process: ProcessId, group: GroupId, seq: int, msg: MessageId, at_us: int
    ) -> None:
        """Record that `process` delivered `msg` as number `seq`, from 0, of its group."""
        self._deliveries.add(process, group, seq, msg, at_us)
        if self._progress is not None:
            self._progress.end(msg, group)

    def reply(self, msg: MessageId, group: GroupId, at_us: int) -> None:
        """Record that the sender of `msg` got the reply of `group`."""
        self._replies.add(msg, group, at_us)

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
        """Record a protocol message; a client's group is None, as is the arrival of a lost one.

        `payload` says whether it carries what the application sent, `history_size` how many
        of its bytes tell about other messages.
        """
        if self._packets is not None:
            self._packets.add(
                source, target, source_group, target_group, kind, msgs, sent_us, received_us, size,
                payload, history_size,
            )  # fmt: skip
        elif self._traffic is not None:
            self._traffic.add((source_group, target_group, kind), sent_us, size)

    def milestone(self, process: ProcessId, msg: MessageId, kind: str, at_us: int) -> None:
        """Note how far a message has got at `process`; its delivery decides what is written."""
        if self._progress is not None:
            self._progress.note(process, msg, kind, at_us)

    def fault(
        self,
        process: ProcessId,
        kind: str,
        at_us: int,
        peer: ProcessId | None = None,
        seq: int | None = None,
    ) -> None:
        """Record a crash, restart, partition, heal, or a rollback to `seq`."""
        self._sinks["faults"].add(process, kind, at_us, peer, seq)

    def finish(self, drained: bool) -> None:
        """Commit the trace; `drained` says that it ran until quiet. Nothing may follow."""
        if not self._open:
            raise RuntimeError("the trace is finished already")
        if self._traffic is not None:
            self._traffic.finish()
        self._sinks["runs"].add(*self._about, drained)
        for sink in self._sinks.values():
            sink.close()
        # Before the commit: should that fail, it has discarded everything itself.
        self._open = False
        self._staging.commit()
