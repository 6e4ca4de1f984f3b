"""A_ng: all groups exchange what they ordered, in rounds, whether it concerns them or not.

Idea        Each group's log orders the messages of its own clients. After every eta instances
            a group sends what it gathered as a bundle to all groups, empty or not. When the
            bundles of a round are complete, its messages are delivered, sorted by id. Rounds
            overlap: round r is delivered just before instance r * eta + kappa + 1, and the
            group stalls there if a bundle is late. Messages to one group alone are delivered
            at once.
Assumes     Every replica delivers a round at the same place of its log, which is what the stall
            is for; bundles themselves bypass the log. Groups go on with empty instances while
            a round is open. Reliable channels.
Guarantees  Atomic multicast, not genuine. One delay and the wait for the round; m(m - 1)
            messages a round for m groups, whatever the traffic.
Reference   Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast protocols"
            (2009), sections 4 and 5. The base algorithm there has eta = 1, kappa = 0.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, InvalidInput, Message, MessageId, Multicast, Process
from amcast.protocols.pooled import Pooled, is_new, pooled


class Bundle(Message, frozen=True):
    """What one group's clients sent to the receiver in one round."""

    round: int
    messages: tuple[Pooled, ...]

    def about(self) -> tuple[MessageId, ...]:
        return tuple(found.multicast.id for found in self.messages)


class State(msgspec.Struct):
    # Global messages that go into the next bundle, and the round that it will be of.
    gathered: list[Pooled] = []
    next_round: int = 1
    # Submitted here, addressed to this group among others, and not delivered yet.
    own: dict[MessageId, None] = {}
    # Round -> group -> its bundle, as far as they are for this group.
    bundles: dict[int, dict[GroupId, tuple[Pooled, ...]]] = {}
    # The round that must be delivered before the log goes on.
    due: int | None = None


class Ang(Process[State, Bundle]):
    instances: ClassVar[bool] = True
    unlogged: ClassVar[tuple[type[Message], ...]] = (Bundle,)

    def __init__(
        self, group: GroupId, groups: tuple[GroupId, ...], *, eta: int = 1, kappa: int = 0
    ) -> None:
        super().__init__(group, groups)
        if eta < 1:
            raise InvalidInput(f"eta = {eta} is not possible: use 1 instance a bundle or more")
        self.eta = eta
        self.kappa = kappa

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        # A message to one group goes there directly: through another it would cost a round.
        return (home,) if home is not None and len(dst) > 1 else dst[:1]

    # In the log.

    def on_submit(self, multicast: Multicast) -> None:
        if multicast.dst == (self.group,):
            self.deliver(multicast)
        else:
            self.gather(multicast)
            # Without further messages, empty instances complete the bundle.
            self.request_instance(self.state.next_round * self.eta)

    def gather(self, multicast: Multicast) -> None:
        self.state.gathered.append(pooled(multicast, self.submissions))
        if self.group in multicast.dst:
            self.state.own[multicast.id] = None

    def on_instance_end(self, number: int) -> None:
        if number % self.eta == 0:
            self.send_bundles(number // self.eta)
        due, rest = divmod(number - self.kappa, self.eta)
        if due >= 1 and rest == 0:
            self.state.due = due
            self.stall()
            self.deliver_round()

    def send_bundles(self, round: int) -> None:
        gathered, self.state.gathered = self.state.gathered, []
        self.state.next_round = round + 1
        for group in self.groups:
            share = tuple(found for found in gathered if group in found.multicast.dst)
            self.send((group,), Bundle(round, share))

    # Outside the log.

    def on_message(self, source: GroupId, message: Bundle) -> None:
        self.state.bundles.setdefault(message.round, {})[source] = message.messages
        # Others wait for this group's bundle of the round. To get further, up to where the round
        # is delivered, is worth while only for its messages, or empty rounds would go on for ever.
        lead = self.kappa if message.messages else 0
        self.request_instance(message.round * self.eta + lead)
        self.deliver_round()

    def deliver_round(self) -> None:
        """Deliver the round that is due, if all of it is there, and let the log go on."""
        due = self.state.due
        if due is None or len(self.state.bundles.get(due, {})) < len(self.groups):
            return
        self.state.due = None
        self.deliver_bundles(due)
        self.resume()

    def deliver_bundles(self, round: int) -> None:
        bundles = self.state.bundles.pop(round).values()
        messages = [found for bundle in bundles for found in bundle]
        for found in sorted(messages, key=lambda found: found.multicast.id):
            if self.is_new(found):
                self.deliver(found.multicast)

    def is_new(self, found: Pooled) -> bool:
        return is_new(found, self.state.own, self.submissions)


class LoggedAng(Ang):
    """The variant with bundles in the log: no stall, and local messages never wait.

    A round is delivered where the log has its last bundle, rounds in their order. All that
    happens is in the log, so replicas need not agree on anything else. A group sends a bundle
    when it has something to send, or when another group has opened the round.
    """

    unlogged: ClassVar[tuple[type[Message], ...]] = ()

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups)
        self.state.due = 1

    def on_submit(self, multicast: Multicast) -> None:
        if multicast.dst == (self.group,):
            self.deliver(multicast)
        else:
            self.gather(multicast)

    def on_instance_end(self, number: int) -> None:
        while self.state.gathered or self.state.next_round in self.state.bundles:
            self.send_bundles(self.state.next_round)

    def on_message(self, source: GroupId, message: Bundle) -> None:
        self.state.bundles.setdefault(message.round, {})[source] = message.messages
        self.deliver_round()

    def deliver_round(self) -> None:
        due = self.state.due
        assert due is not None
        while len(self.state.bundles.get(due, {})) == len(self.groups):
            self.deliver_bundles(due)
            due += 1
        self.state.due = due


def make_ang(
    group: GroupId,
    groups: tuple[GroupId, ...],
    *,
    eta: int = 1,
    kappa: int = 0,
    bundles: str = "stall",
) -> Ang:
    """Either variant; `eta` and `kappa` mean nothing to the one with bundles in the log."""
    if bundles == "logged":
        return LoggedAng(group, groups)
    return Ang(group, groups, eta=eta, kappa=kappa)
