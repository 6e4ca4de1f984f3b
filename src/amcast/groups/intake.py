"""The way into the log: at the leader to be proposed, elsewhere to be handed to the leader."""

from __future__ import annotations

from collections.abc import Iterable

from amcast.consensus import Replica, ReplicaId
from amcast.core import Event, GroupId, Received, Submitted, Suspected, Trusted
from amcast.groups.commands import NULL, Codec, subject_of
from amcast.groups.effects import Forward
from amcast.groups.outlet import Outlet

# So much waits for a leader, or for a stalled process. Of more than that, what somebody sends
# again is dropped; there is never much of the rest.
WAITING_MAX = 10_000
SENT_AGAIN = (Submitted, Received)


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
        # Of what has bypassed the log already, and so does not wait for a stalled process.
        self._bypassing: list[bytes] = []
        self._waiting: dict[bytes, None] = {}
        self._noticed: dict[GroupId, Suspected | Trusted] = {}

    def offer(self, event: Event, bypass: int = 0) -> None:
        """Put `event` into the log, here or through the leader."""
        if self.leading:
            if len(self._commands) >= WAITING_MAX and isinstance(event, SENT_AGAIN):
                return
            subject = subject_of(event, bypass)
            if subject not in self._proposed:
                self._proposed[subject] = None
                commands = self._bypassing if bypass else self._commands
                commands.append(self._codec.encode(event, bypass))
        else:
            self.keep((self._codec.encode(event, bypass),))

    def keep(self, commands: Iterable[bytes]) -> None:
        """Not for this replica to propose, at least not now."""
        for command in commands:
            if command == NULL:
                continue
            if len(self._waiting) < WAITING_MAX or not self._is_sent_again(command):
                self._waiting[command] = None

    def _is_sent_again(self, command: bytes) -> bool:
        return isinstance(self._codec.decode(command)[0], SENT_AGAIN)

    def refused(self, commands: Iterable[bytes]) -> None:
        """The log takes them later, or another replica does."""
        if self.leading:
            for command in commands:
                if command != NULL:
                    self._proposed.pop(subject_of(*self._codec.decode(command)), None)
        self.keep(commands)

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
        if self.leading and isinstance(event, Suspected | Trusted):
            opinion = self._noticed.get(event.group)
            if opinion is not None and opinion != event:
                self.offer(opinion)

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
        self.keep(self._bypassing + self._commands)
        self._bypassing, self._commands, self._proposed = [], [], {}

    # Leaving.

    def take(self, *, more_instances: bool, stalled: bool) -> tuple[bytes, ...]:
        """What to propose now: all that gathered, or nothing to make the log longer.

        A stalled process has enough entries in front of it. Every further one would be an
        instance of its own for it; kept until it goes on, they share one.
        """
        if not self.leading:
            self._forward()
            return ()
        self._offer_again()
        commands, self._bypassing = self._bypassing, []
        if not stalled:
            room = self._replica.settings.queue_max - len(commands)
            if more_instances and not self._commands and room > 0 and self.is_idle():
                self._commands.append(NULL)
            commands += self._commands
            self._commands = []
        return tuple(commands)

    def is_idle(self) -> bool:
        """Whether nothing that was proposed is still to be applied."""
        memory = self._replica.memory
        leadership = memory.leadership
        if leadership is None:
            return False
        return leadership.next_slot == memory.commit + 1 and not leadership.queue

    def _offer_again(self) -> None:
        """What the leader's queue had no room for, as soon as it is empty."""
        leadership = self._replica.memory.leadership
        if self._waiting and leadership is not None and not leadership.queue:
            room = self._replica.settings.queue_max - len(self._bypassing) - len(self._commands)
            for command in list(self._waiting)[: max(0, room)]:
                del self._waiting[command]
                self.offer(*self._codec.decode(command))

    def _forward(self) -> None:
        if self._waiting:
            leader = self._leader_elsewhere()
            if leader is not None:
                self._outlet.emit(Forward(leader, tuple(self._waiting)))
                self._waiting = {}

    def _leader_elsewhere(self) -> ReplicaId | None:
        leader = self._replica.memory.leader
        return None if leader == self._replica.settings.me else leader
