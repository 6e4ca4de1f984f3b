"""One run, as a checker needs it: who multicast what, and who delivered it when."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from amcast.core import GroupId, InvalidInput, ProcessId


class Log:
    """The delivery rows of one process, in the order they were added."""

    __slots__ = ("group", "msgs", "process", "seqs", "times")

    def __init__(self, process: ProcessId, group: GroupId) -> None:
        self.process = process
        self.group = group
        self.seqs = array("q")
        self.msgs = array("q")
        self.times = array("q")


class Fault(NamedTuple):
    """Something that happened to a process; `seq` is where a rollback starts."""

    process: ProcessId
    kind: str
    at_us: int
    seq: int | None


class History:
    """A run that is being written down. Messages are numbered in the order they are first named.

    `complete` says that clients stopped and the run went on until it was quiet, so that
    what is missing now would be missing for ever. `has_packets` says that all packets are
    known, `has_times` that `at_us` means something.

    The `load_` methods take many rows at once and messages by number: what reads a long trace
    column by column has no use for row after row.
    """

    def __init__(self, run: str = "run", complete: bool = True) -> None:
        self.run = run
        self.complete = complete
        self.has_packets = False
        self.has_times = True
        self.has_keys = False
        self.messages = 0
        self.logs: dict[ProcessId, Log] = {}
        self.faults: list[Fault] = []
        # Parallel lists, by message number. A message that nobody multicast has dst ().
        self.ids: list[Hashable] = []
        self.dst: list[tuple[GroupId, ...]] = []
        self.senders: list[str] = []
        self.homes: list[GroupId | None] = []
        self.keys: list[tuple[str, ...] | None] = []
        self.multicast_us = array("q")
        self.packets: dict[tuple[GroupId | None, GroupId | None], array[int]] = {}
        self._destinations: dict[tuple[GroupId, ...], tuple[GroupId, ...]] = {}

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        """Made when it is needed: a trace that is loaded by number can do without."""
        return {msg: number for number, msg in enumerate(self.ids)}

    @property
    def deliveries(self) -> int:
        """Delivery rows, replay included."""
        return sum(len(log.seqs) for log in self.logs.values())

    def add_process(self, process: ProcessId, group: GroupId) -> None:
        """Name a member of `group`, which need not deliver anything."""
        self._log(process, group)

    def add_multicast(
        self,
        msg: Hashable,
        sender: str,
        dst: tuple[GroupId, ...],
        at_us: int = 0,
        home: GroupId | None = None,
        keys: tuple[str, ...] | None = None,
    ) -> None:
        """Write down that `sender` multicast `msg`; a repeated row is a retry and ignored."""
        shared = self._destinations.get(dst) or self._share(msg, dst)
        number = self._numbers.get(msg)
        if number is None:
            number = self._number(msg)
        elif self.dst[number]:
            if frozenset(self.dst[number]) != frozenset(shared):
                raise InvalidInput(
                    f"message {msg} is multicast twice, to {', '.join(self.dst[number])} and to "
                    f"{', '.join(shared)}: give every message its own id"
                )
            return
        self.messages += 1
        self.dst[number] = shared
        self.senders[number] = sender
        self.homes[number] = home
        self.multicast_us[number] = at_us
        if keys is not None:
            self.keys[number] = tuple(keys)
            self.has_keys = True

    def add_delivery(
        self, process: ProcessId, group: GroupId, seq: int, msg: Hashable, at_us: int = 0
    ) -> None:
        """Write down that `process` delivered `msg` as number `seq`, from 0, of its group."""
        log = self.logs.get(process)
        if log is None or log.group != group:
            log = self._log(process, group)
        number = self._numbers.get(msg)
        if number is None:
            number = self._number(msg)
        log.seqs.append(seq)
        log.msgs.append(number)
        log.times.append(at_us)

    def add_packet(
        self, source_group: GroupId | None, target_group: GroupId | None, msgs: Iterable[Hashable]
    ) -> None:
        """Write down a packet and the messages it helps to order; a client's group is None."""
        self.has_packets = True
        ends = (source_group, target_group)
        about = self.packets.get(ends)
        if about is None:
            about = self.packets[ends] = array("q")
        for msg in msgs:
            number = self._numbers.get(msg)
            about.append(self._number(msg) if number is None else number)

    def add_fault(
        self, process: ProcessId, kind: str, at_us: int = 0, seq: int | None = None
    ) -> None:
        """Write down a crash, restart or rollback; other kinds do not matter here.

        A rollback takes back what the process delivered from `seq` on: its rows with that
        position or a later one and with `at_us` strictly before the rollback's.
        """
        if kind == "rollback" and seq is None:
            raise InvalidInput(f"the rollback of {process} has no seq: say where it starts")
        self.faults.append(Fault(process, kind, at_us, seq))

    def number_of(self, msg: Hashable) -> int:
        """The number of a message, which may be new and multicast by nobody."""
        number = self._numbers.get(msg)
        return self._number(msg) if number is None else number

    def load_multicasts(
        self,
        msgs: Sequence[Hashable],
        senders: Sequence[str],
        dst: Sequence[tuple[GroupId, ...]],
        times: Iterable[int],
        homes: Sequence[GroupId | None],
        keys: Sequence[tuple[str, ...] | None],
    ) -> None:
        """Write down many multicasts; the first of an empty history go in as whole columns."""
        if self.ids or () in dst or len(set(msgs)) < len(msgs):
            for row in zip(msgs, senders, dst, times, homes, keys, strict=True):
                self.add_multicast(*row)
            return
        vars(self).pop("_numbers", None)
        shared = {groups: tuple(dict.fromkeys(groups)) for groups in dict.fromkeys(dst)}
        self.ids += msgs
        self.dst += map(shared.__getitem__, dst)
        self.senders += senders
        self.homes += homes
        self.keys += keys
        self.multicast_us.extend(times)
        self.messages = len(msgs)
        self.has_keys = any(own is not None for own in dict.fromkeys(keys))

    def load_deliveries(
        self,
        process: ProcessId,
        group: GroupId,
        seqs: array[int],
        numbers: array[int],
        times: array[int],
    ) -> None:
        """Write down what `process` delivered, row after row of three columns."""
        log = self._log(process, group)
        log.seqs.extend(seqs)
        log.msgs.extend(numbers)
        log.times.extend(times)

    def load_packets(
        self, source_group: GroupId | None, target_group: GroupId | None, numbers: array[int]
    ) -> None:
        """Write down what all packets between two ends are about."""
        self.has_packets = True
        self.packets.setdefault((source_group, target_group), array("q")).extend(numbers)

    def _log(self, process: ProcessId, group: GroupId) -> Log:
        log = self.logs.get(process)
        if log is None:
            log = self.logs[process] = Log(process, group)
        elif log.group != group:
            raise InvalidInput(
                f"process {process} is in group {log.group} and in group {group}: "
                "a process belongs to one group"
            )
        return log

    def _number(self, msg: Hashable) -> int:
        number = self._numbers[msg] = len(self.ids)
        self.ids.append(msg)
        self.dst.append(())
        self.senders.append("")
        self.homes.append(None)
        self.keys.append(None)
        self.multicast_us.append(0)
        return number

    def _share(self, msg: Hashable, dst: tuple[GroupId, ...]) -> tuple[GroupId, ...]:
        """One tuple for all messages with the same destinations, without repeats."""
        if not dst:
            raise InvalidInput(f"message {msg} has no destination: name at least one group")
        groups = tuple(dst)
        return self._destinations.setdefault(groups, tuple(dict.fromkeys(groups)))
