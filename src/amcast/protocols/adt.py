"""Rounds of bundles that outlive the loss of whole groups.

Idea        In each round every group of the view broadcasts the messages that it took in since
            its last bundle. When the bundles of all of them are there, the messages of the
            round are delivered in the order of their ids. Who is suspected is removed from
            the view, and nobody waits for it any more; who wants to send and is not in the
            view adds itself again. Bundles and changes of the view travel by generic
            broadcast, in which changes conflict with everything and bundles with changes only:
            so all groups see the same changes, and the same bundles between two of them.
Assumes     Reliable channels, in any order. Fewer than a third of the groups crash, so that four
            groups are needed to survive one. For progress, not for safety: in the end exactly
            those that crashed are suspected; until then groups may be removed by mistake.
Guarantees  Atomic multicast, not genuine: every group takes part in every round. Messages that
            enter at their only destination are delivered at once. Others take three delays if
            no round is open, n * n * (n - 1) messages for n groups; one more of each if the
            client is outside. Two delays once all groups have sent their bundles.
Reference   Schiper and Pedone, "Solving atomic multicast when groups crash" (2008), as told by
            Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast" (2009),
            section 3.2. When a group joins, what becomes of bundles that come too late and
            of those of a removed group is not told there: these rules are ours.
"""

from __future__ import annotations

import msgspec

from amcast.core import GroupId, MessageId, Multicast, Process
from amcast.protocols.generic_broadcast import GenericBroadcast
from amcast.protocols.generic_broadcast_state import (
    BroadcastState,
    Cast,
    Content,
    Tell,
    Wire,
)
from amcast.protocols.pooled import Pooled, is_new, pooled


class Bundle(Content, frozen=True):
    """What `sender` has for the round."""

    round: int
    sender: GroupId
    messages: tuple[Pooled, ...]

    def conflicts_with(self, other: Content) -> bool:
        return not isinstance(other, Bundle)

    def about(self) -> tuple[MessageId, ...]:
        return tuple(found.multicast.id for found in self.messages)


class Remove(Content, frozen=True):
    """Take `member` out of the view, if it is still the one that joined in round `joined`."""

    member: GroupId
    joined: int

    def conflicts_with(self, other: Content) -> bool:
        return True

    def about(self) -> tuple[MessageId, ...]:
        return ()


class Add(Content, frozen=True):
    """Take `member` into the view, from the next round that nobody has begun."""

    member: GroupId

    def conflicts_with(self, other: Content) -> bool:
        return True

    def about(self) -> tuple[MessageId, ...]:
        return ()


Broadcast = Bundle | Remove | Add
Messages = Cast[Broadcast] | Wire[Broadcast]


class State(msgspec.Struct):
    broadcast: BroadcastState[Broadcast] = msgspec.field(default_factory=BroadcastState)
    # Who is in the view, and since which round.
    view: dict[GroupId, int] = {}
    # The first round that is not complete here, and the last that this group sent a bundle for.
    round: int = 1
    sent: int = 0
    # The highest round of any bundle that was delivered, and of any that was heard of.
    highest: int = 0
    heard: int = 0
    included: dict[int, dict[GroupId, Bundle]] = {}
    # Taken from clients: not yet in a bundle, and not yet delivered.
    pool: list[Pooled] = []
    own: dict[MessageId, None] = {}
    # This group has asked to be added again.
    adding: bool = False
    # For rounds that the log paces (see `adt_paced`): the present instance, the one of the last
    # bundle and whether clients have sent anything since, the instances at which open rounds
    # may be delivered, and the last round that has messages.
    instance: int = 0
    paced: int = 0
    busy: bool = False
    due: dict[int, int] = {}
    urgent: int = 0


class Adt(Process[State, Messages]):
    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups)
        self.others = tuple(other for other in groups if other != group)
        self.state.view = dict.fromkeys(groups, 1)

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst[:1] if home is None or len(dst) == 1 else (home,)

    def on_submit(self, multicast: Multicast) -> None:
        if multicast.dst == (self.group,):
            self.deliver(multicast)
            return
        self.state.own[multicast.id] = None
        self.state.pool.append(pooled(multicast, self.submissions))
        self.open_round()

    # The generic broadcast.

    @property
    def broadcast(self) -> GenericBroadcast[Broadcast]:
        return GenericBroadcast(self.group, self.groups, self.state.broadcast)

    def cast(self, content: Broadcast) -> None:
        self.carry_out(self.broadcast.cast(content))

    def carry_out(self, outputs: list[Messages]) -> None:
        for output in outputs:
            # What is delivered queues up behind what this step delivered before.
            self.send((self.group,) if isinstance(output, Cast) else self.others, output)

    def on_message(self, source: GroupId, message: Messages) -> None:
        if isinstance(message, Cast):
            self.on_broadcast(message.content)
            return
        self.carry_out(self.broadcast.receive(source, message))
        if isinstance(message, Tell) and isinstance(message.cast.content, Bundle):
            # Do not wait until it is delivered: the round needs this group's bundle, too.
            self.state.heard = max(self.state.heard, message.cast.content.round)
            self.open_round()

    def on_broadcast(self, content: Broadcast) -> None:
        match content:
            case Bundle():
                self.on_bundle(content)
            case Remove(member, joined):
                self.on_remove(member, joined)
            case Add(member):
                self.on_add(member)
        self.end_rounds()
        self.open_round()

    # Rounds.

    def open_round(self) -> None:
        """Send a bundle if there is something to send, or if others wait for it."""
        state = self.state
        if not state.pool and state.heard < state.round:
            return
        if self.group not in state.view:
            self.ask_to_be_added()
        elif state.view[self.group] <= state.round and state.sent < state.round:
            state.sent = state.round
            messages, state.pool = tuple(state.pool), []
            self.cast(Bundle(state.round, self.group, messages))

    def on_bundle(self, bundle: Bundle) -> None:
        state = self.state
        state.highest = max(state.highest, bundle.round)
        state.heard = max(state.heard, bundle.round)
        joined = state.view.get(bundle.sender)
        if joined is not None and joined <= bundle.round:
            assert bundle.round >= state.round, "a round that is over gets no more bundles"
            state.included.setdefault(bundle.round, {})[bundle.sender] = bundle
        elif bundle.sender == self.group:
            # It came too late for everybody alike.
            state.pool[:0] = bundle.messages

    def end_rounds(self) -> None:
        state = self.state
        while state.round <= state.highest and self.is_complete(state.round):
            self.deliver_round(state.included.pop(state.round, {}))
            state.round += 1

    def is_complete(self, round: int) -> bool:
        included = self.state.included.get(round, {})
        return all(h in included for h, joined in self.state.view.items() if joined <= round)

    def deliver_round(self, bundles: dict[GroupId, Bundle]) -> None:
        messages = [found for bundle in bundles.values() for found in bundle.messages]
        for found in sorted(messages, key=lambda found: found.multicast.id):
            if self.group in found.multicast.dst and self.is_new(found):
                self.deliver(found.multicast)
        if self.group in bundles:
            for found in bundles[self.group].messages:
                self.state.own.pop(found.multicast.id, None)

    def is_new(self, found: Pooled) -> bool:
        return is_new(found, self.state.own, self.submissions)

    # Views.

    def on_suspect(self, group: GroupId) -> None:
        self.carry_out(self.broadcast.suspect(group))
        self.remove(group)

    def on_trust(self, group: GroupId) -> None:
        self.broadcast.trust(group)

    def remove(self, member: GroupId) -> None:
        if member in self.state.view and member != self.group:
            self.cast(Remove(member, self.state.view[member]))

    def on_remove(self, member: GroupId, joined: int) -> None:
        # What is included stays so: it may be in a round that is delivered elsewhere.
        view = self.state.view
        if view.get(member) == joined and len(view) > 1:
            del view[member]

    def ask_to_be_added(self) -> None:
        if not self.state.adding:
            self.state.adding = True
            self.cast(Add(self.group))

    def on_add(self, member: GroupId) -> None:
        if member == self.group:
            self.state.adding = False
        if member not in self.state.view:
            self.state.view[member] = self.next_round()
        # It may have crashed since; and the last of a view can be removed only now.
        for suspected in self.state.broadcast.suspected:
            self.remove(suspected)

    def next_round(self) -> int:
        """The first round of which no bundle was delivered: at a change, the same everywhere."""
        return self.state.highest + 1
