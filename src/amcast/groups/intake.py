"""The way into the log: at the leader to be proposed, elsewhere to be handed to the leader."""

from __future__ import annotations

from collections.abc import Iterable

from amcast.consensus import Replica, ReplicaId
from amcast.core import Event, GroupId, Suspected, Trusted
from amcast.groups.commands import NULL, Codec, subject_of
from amcast.groups.effects import Forward
from amcast.groups.outlet import Outlet

# While no leader is known, so much waits for one. Whoever sent what is dropped sends it again.
WAITING_MAX = 10_000


class Intake:
    """All of this is forgotten in a crash: whoever sent it sends it again."""

    def __init__(self, replica: Replica, codec: Codec, outlet: Outlet) -> None:
        self.leading = False
        self._replica = replica
        self._codec = codec
        self._outlet = outlet
        # What this leader has proposed and not seen applied: once is enough.
        self._proposed: dict[tuple[object, ...], None] = {}
        self._commands: list[bytes] = []
        self._waiting: dict[bytes, None] = {}
        self._noticed: dict[GroupId, Suspected | Trusted] = {}

    def offer(self, event: Event, bypass: int = 0) -> None:
        """Put `event` into the log, here or through the leader."""
        if self.leading:
            subject = subject_of(event, bypass)
            if subject not in self._proposed:
                self._proposed[subject] = None
                self._commands.append(self._codec.encode(event, bypass))
        else:
            self.keep((self._codec.encode(event, bypass),))

    def keep(self, commands: Iterable[bytes]) -> None:
        """Not for this replica to propose, at least not now."""
        for command in commands:
            if command != NULL and len(self._waiting) < WAITING_MAX:
                self._waiting[command] = None

    def on_forwarded(self, commands: tuple[bytes, ...]) -> None:
        if self.leading:
            for command in commands:
                self.offer(*self._codec.decode(command))
        elif self._leader_elsewhere() is None:
            self.keep(commands)

    def notice(self, about: Suspected | Trusted) -> None:
        self._noticed[about.group] = about
        if self.leading:
            self.offer(about)

    def applied(self, event: Event, bypass: int) -> None:
        if self._proposed:
            self._proposed.pop(subject_of(event, bypass), None)

    # Coming and going.

    def lead(self, wanted: Iterable[bytes]) -> None:
        self.leading = True
        self._proposed = {}
        waiting, self._waiting = self._waiting, {}
        for command in (*wanted, *waiting):
            self.offer(*self._codec.decode(command))
        for about in self._noticed.values():
            self.offer(about)

    def follow(self) -> None:
        self.leading = False
        self.keep(self._commands)
        self._commands = []
        self._proposed = {}

    # Leaving.

    def take(self, more_instances: bool) -> tuple[bytes, ...]:
        """What to propose now: all that gathered, or nothing to make the log longer."""
        if not self.leading:
            self._forward()
            return ()
        if more_instances and self._is_idle():
            self._commands.append(NULL)
        if not self._commands:
            return ()
        commands, self._commands = tuple(self._commands), []
        return commands

    def _is_idle(self) -> bool:
        """Whether nothing that was proposed is still to be applied."""
        memory = self._replica.memory
        leadership = memory.leadership
        if leadership is None:
            return False
        return leadership.next_slot == memory.commit + 1 and not leadership.queue

    def _forward(self) -> None:
        if self._waiting:
            leader = self._leader_elsewhere()
            if leader is not None:
                self._outlet.emit(Forward(leader, tuple(self._waiting)))
                self._waiting = {}

    def _leader_elsewhere(self) -> ReplicaId | None:
        leader = self._replica.memory.leader
        return None if leader == self._replica.settings.me else leader
