"""What the log promises, checked at every step of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from amcast.consensus import Effect, Members, Send
from amcast.consensus.messages import Learn, StateTransfer

if TYPE_CHECKING:
    from tests.consensus.host import Host


class Violation(AssertionError):
    """A promise of the log was broken: which, and how."""


class Oracle:
    """Knows what any replica ever applied, and holds the others to it."""

    def __init__(self, members: Members) -> None:
        self.chosen: dict[int, tuple[bytes, ...]] = {}
        # The members after each change, by its slot; and all that ever were.
        self.changes: dict[int, Members] = {0: members}
        self.ever: dict[int, None] = dict.fromkeys(members)
        self.acknowledged: dict[bytes, None] = {}
        self.proposed: dict[bytes, int] = {}
        # For each read: the last slot that was applied anywhere when it was asked for.
        self.read_floor: dict[int, int] = {}
        self.reads_served = 0
        self.installed = 0

    @property
    def last(self) -> int:
        return len(self.chosen)

    @property
    def members(self) -> Members:
        return self.changes[max(self.changes)]

    def on_apply(
        self, host: Host, slot: int, batch: tuple[bytes, ...], members: Members | None
    ) -> None:
        if slot != host.applied + 1:
            raise Violation(
                f"order: replica {host.settings.me} applies {slot} after {host.applied}"
            )
        if slot not in self.chosen and members is not None:
            self.changes[slot] = members
            self.ever.update(dict.fromkeys(members))
        if self.changes.get(slot) != members:
            raise Violation(
                f"agreement: slot {slot} makes the members {members}, at {host.settings.me}"
            )
        known = self.chosen.setdefault(slot, batch)
        if known != batch:
            raise Violation(
                f"agreement: slot {slot} is {known} and, at {host.settings.me}, {batch}"
            )
        host.applied = slot
        for command in batch:
            host.history[command] = None
            self.acknowledged[command] = None

    def on_install(self, host: Host, slot: int, state: bytes) -> None:
        history: dict[bytes, None] = {}
        for number in range(1, slot + 1):
            history.update(dict.fromkeys(self.chosen[number]))
        if msgspec.msgpack.decode(state, type=list[bytes]) != list(history):
            raise Violation(f"snapshot: that of slot {slot} is not what was chosen up to there")
        if slot < host.applied:
            raise Violation(f"order: replica {host.settings.me} goes back to {slot}")
        self.installed += 1
        host.applied, host.history = slot, history

    def on_members(self, host: Host, slot: int, members: Members) -> None:
        """What a replica says must be the result of the last change up to `slot`."""
        expected = self.changes[max(change for change in self.changes if change <= slot)]
        if members != expected:
            raise Violation(
                f"members: after {slot} {host.settings.me} has {members}, not {expected}"
            )

    def check_members(self, hosts: list[Host]) -> None:
        for host in hosts:
            if host.settings.me in self.members and host.replica is not None:
                found = host.replica.memory.members
                if found != self.members:
                    raise Violation(f"members: replica {host.settings.me} ends up with {found}")

    def check_silence(self, host: Host, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send) and not isinstance(effect.message, Learn | StateTransfer):
                raise Violation(
                    f"silence: replica {host.settings.me} is removed and says {effect.message}"
                )

    def on_read(self, host: Host, read: int) -> None:
        self.reads_served += 1
        if host.applied < self.read_floor[read]:
            raise Violation(f"read: one at slot {host.applied} misses {self.read_floor[read]}")

    def check_log(self) -> None:
        """Nothing stands in the log that was not proposed, nor more often than that."""
        count: dict[bytes, int] = {}
        for batch in self.chosen.values():
            for command in batch:
                count[command] = count.get(command, 0) + 1
        for command, times in count.items():
            if times > self.proposed.get(command, 0):
                raise Violation(f"integrity: {command!r} is {times} times in the log")
