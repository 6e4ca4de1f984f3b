"""Genuine and disaster-tolerant: destinations agree on who stamped what, though groups crash.

Idea        Each destination stamps a message with its logical clock, and then they agree on a
            vector of stamps (global data computation): in each of five rounds all tell all
            what they know, and wait for all but those that crashed. The highest stamp in the
            vector is the timestamp; a group that crashed may be missing from it, for all alike.
            A message waits for all those that were known here before its own timestamp was:
            this group's stamps on them may not count after all, should it crash.
Assumes     FIFO channels. A perfect failure detector: who is suspected has crashed, and every
            crash is suspected in the end. Fewer than five of a message's destinations crash.
Guarantees  Atomic multicast, genuine, uniform though whole groups crash. Six delays; k +
            5k(k - 1) messages for k destinations, one less if the client belongs to one of them.
            This is a model: the published delays and agreement, not the published messages,
            which our source does not give; any rounds that agree on a vector would do.
Reference   Schiper and Pedone, "Solving atomic multicast when groups crash" (2008), as told by
            Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast" (2009),
            section 3.2.
"""

from __future__ import annotations

from bisect import insort
from typing import ClassVar

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process


class Vector(Message, frozen=True):
    """The stamps that the sender knows as it enters `round`. It carries the message, too."""

    multicast: Multicast
    round: int
    stamps: tuple[tuple[GroupId, int], ...]


class Undecided(msgspec.Struct):
    """A message without timestamp: what is known, and who was heard in which round."""

    multicast: Multicast
    own_stamp: int
    stamps: dict[GroupId, int]
    round: int = 1
    heard: dict[int, dict[GroupId, tuple[tuple[GroupId, int], ...]]] = {}


class State(msgspec.Struct):
    clock: int = 0
    suspected: dict[GroupId, None] = {}
    # In the order of own stamps.
    undecided: dict[MessageId, Undecided] = {}
    # Timestamp, id, the clock when it was decided, and the message; smallest first.
    decided: list[tuple[int, MessageId, int, Multicast]] = []


class GenuineDisasterTolerant(Process[State, Vector]):
    # Who hears a vector knows all that its sender stamped before: no holes, for which the
    # paper has causal multicast.
    fifo: ClassVar[bool] = True

    rounds: ClassVar[int] = 5
    """One more than the crashes to tolerate, and one less than the published delays."""

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.stamp(multicast)

    def stamp(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        entry = Undecided(multicast, state.clock, {self.group: state.clock})
        state.undecided[multicast.id] = entry
        self.tell(entry)

    def tell(self, entry: Undecided) -> None:
        stamps = tuple(sorted(entry.stamps.items()))
        self.send(entry.multicast.dst, Vector(entry.multicast, entry.round, stamps))

    def on_message(self, source: GroupId, message: Vector) -> None:
        if source in self.state.suspected:
            # It was counted as silent. To listen now would be to know more than others.
            return
        multicast = message.multicast
        if multicast.id not in self.state.undecided:
            # It overtook the client's own message, for which it stands from now on.
            self.submissions.admit(multicast.id)
            self.stamp(multicast)
        entry = self.state.undecided[multicast.id]
        entry.heard.setdefault(message.round, {})[source] = message.stamps
        self.go_on(entry)

    def on_suspect(self, group: GroupId) -> None:
        self.state.suspected[group] = None
        for entry in tuple(self.state.undecided.values()):
            self.go_on(entry)

    def go_on(self, entry: Undecided) -> None:
        """End the round if all destinations that have not crashed were heard in it."""
        heard = entry.heard.get(entry.round, {})
        expected = (group for group in entry.multicast.dst if group not in self.state.suspected)
        if not all(group in heard for group in expected):
            return
        for stamps in heard.values():
            entry.stamps.update(stamps)
        # Before the next round: whoever hears it may rely on later stamps being higher.
        self.state.clock = max(self.state.clock, *entry.stamps.values())
        if entry.round == self.rounds:
            self.decide(entry)
        else:
            entry.round += 1
            # What this group tells itself comes back, and ends that round if it can.
            self.tell(entry)

    def decide(self, entry: Undecided) -> None:
        state, multicast = self.state, entry.multicast
        del state.undecided[multicast.id]
        timestamp = max(entry.stamps.values())
        insort(state.decided, (timestamp, multicast.id, state.clock, multicast))
        while state.decided and self.may_deliver(decided_at=state.decided[0][2]):
            self.deliver(state.decided.pop(0)[3])

    def may_deliver(self, decided_at: int) -> bool:
        """Whether all that were known before are decided; what came since is stamped higher."""
        oldest = next(iter(self.state.undecided.values()), None)
        return oldest is None or oldest.own_stamp > decided_at
