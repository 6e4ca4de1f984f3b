"""FlexCast: groups have ranks, messages only go up, and each packet carries history.

Idea        A message enters at its lowest destination, which delivers it at once and passes
            it on (MSG). Every other destination delivers it after all that precedes it, and
            tells the destinations above (ACK). A group between them that may have delivered
            something that precedes the message is asked (NOTIF) to tell them, too. Packets
            carry what the sender has learned of who delivered what after what.
Assumes     FIFO channels from each group to all of higher rank. Client `flush` multicasts to
            all groups now and then: a group that delivers a flush forgets all before it.
Guarantees  Atomic multicast. Not quite genuine: whoever sends or receives is a destination of
            some message, though not always of the one that the packet is about. Alone, a
            message takes one delay for each destination below and k(k - 1)/2 messages for k
            destinations; one more of each if the client is outside the lowest of them.
Reference   Batista, Coelho, Alchieri, Dotti and Pedone, "FlexCast: genuine overlay-based
            atomic multicast" (2023), Algorithms 1 to 3, corrected: a token tells one answer
            from another (by group there are cycles); an ACK may precede its MSG; a group
            waits for lower groups only; every parked NOTIF is answered, and parked only
            behind what precedes its message; a flush drops its past and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from amcast.core import ClientId, GroupId, MessageId, Multicast, Process
from amcast.overlays import Ranks
from amcast.protocols.flexcast_history import Entry, Log, Vertex, pack
from amcast.protocols.flexcast_state import Ack, Msg, Notif, State, Token, Waiting

FLUSH_CLIENT: Final[ClientId] = "flush"
"""Reserved: its messages to all groups are flushes, of no interest to applications."""


class FlexCast(Process[State, Msg | Ack | Notif]):
    fifo: ClassVar[bool] = True

    def __init__(
        self,
        group: GroupId,
        groups: tuple[GroupId, ...],
        ranks: Ranks | None = None,
        *,
        paper_rule: bool = False,
    ) -> None:
        """`paper_rule` notifies as often as the paper does, which is safe but costs far more."""
        super().__init__(group, groups)
        self.ranks = Ranks(groups) if ranks is None else ranks
        self.rank = self.ranks.rank(group)
        self.paper_rule = paper_rule

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return (self.ranks.lowest(dst),)

    def on_submit(self, multicast: Multicast) -> None:
        if multicast.is_local:
            # No other group delivers it, so what precedes it also precedes what follows it.
            self.deliver(multicast)
        else:
            # Nobody knows the message yet: only what this group delivered can precede it.
            dst = self.ranks.ranks(multicast.dst)
            self.deliver_next(multicast, dst, self.state.flushes)

    def on_message(self, source: GroupId, message: Msg | Ack | Notif) -> None:
        self.learn(message.news)
        match message:
            case Msg(multicast, tokens):
                self.on_msg(multicast, tokens)
            case Ack(id, token, tokens):
                self.on_ack(id, token, tokens)
            case Notif(id, token):
                self.on_notif(id, token)

    def on_msg(self, multicast: Multicast, tokens: Iterable[Token]) -> None:
        waiting = self.waiting_for(multicast.id)
        waiting.multicast = multicast
        self.expect(waiting, tokens)
        self.deliver_from(multicast.id)

    def on_ack(self, id: MessageId, token: Token, tokens: Iterable[Token]) -> None:
        waiting = self.waiting_for(id)
        waiting.arrived[token] = None
        self.expect(waiting, tokens)
        self.deliver_from(id)

    def on_notif(self, id: MessageId, token: Token) -> None:
        # Only what precedes the message counts: to wait for more might outlast the next flush.
        first = self.state.history.blocker(id)
        if first is None:
            self.announce(id, token)
        else:
            self.state.parked.setdefault(first, []).append((id, token))

    # Delivery.

    def waiting_for(self, id: MessageId) -> Waiting:
        found = self.state.waiting.get(id)
        if found is None:
            vertex = self.state.history.vertex(id)
            self.invariant(self.rank not in vertex.delivered_at, "an answer comes too late")
            between = [rank for rank in vertex.dst[1:] if rank < self.rank]
            found = Waiting(awaited={Token(rank, rank): None for rank in between})
            self.state.waiting[id] = found
        return found

    def expect(self, waiting: Waiting, tokens: Iterable[Token]) -> None:
        for token in tokens:
            # Groups above answer to those above them, never to this one.
            if token.asked < self.rank:
                waiting.awaited[token] = None

    def deliver_from(self, id: MessageId) -> None:
        """Deliver `id` if it is time, and then what has waited for it, and so on."""
        candidates = [id]
        for candidate in candidates:
            if self.can_deliver(candidate):
                multicast = self.state.waiting.pop(candidate).multicast
                assert multicast is not None
                vertex = self.state.history.vertex(candidate)
                self.deliver_next(multicast, vertex.dst, vertex.epoch)
                candidates += self.state.blocked.pop(candidate, [])

    def can_deliver(self, id: MessageId) -> bool:
        waiting = self.state.waiting[id]
        if not waiting.complete:
            return False
        first = self.state.history.blocker(id)
        if first is not None:
            # One is enough: once it is delivered there may be another, or none.
            self.state.blocked.setdefault(first, []).append(id)
            return False
        self.invariant(len(waiting.arrived) == len(waiting.awaited), "an answer is not awaited")
        return True

    def deliver_next(self, multicast: Multicast, dst: tuple[int, ...], epoch: int) -> None:
        state, id = self.state, multicast.id
        entry = Entry(id, dst, epoch, state.last, self.rank)
        self.record([entry])
        state.last = id
        self.deliver(multicast)
        passed_on = multicast if self.rank == dst[0] else None
        self.announce(id, Token(self.rank, self.rank), passed_on)
        # Only now: the message itself must not count as an earlier one.
        state.last_to |= {rank: id for rank in dst if rank > self.rank}
        for parked, token in state.parked.pop(id, []):
            self.on_notif(parked, token)
        if self.is_flush(entry):
            self.prune(state.history.vertex(id))

    # What others must know.

    def announce(self, id: MessageId, token: Token, multicast: Multicast | None = None) -> None:
        """Tell the destinations above what precedes `id` here, and who else may have a say."""
        vertex = self.state.history.vertex(id)
        tokens = tuple([self.notify(vertex, rank) for rank in self.to_notify(vertex)])
        for rank in [rank for rank in vertex.dst if rank > self.rank]:
            news = self.news_for(rank)
            if multicast is None:
                self.send_up(rank, Ack(id, token, tokens, news))
            else:
                self.send_up(rank, Msg(multicast, tokens, news))

    def notify(self, vertex: Vertex, rank: int) -> Token:
        token = self.new_token(rank)
        vertex.notified[rank] = pack(self.state.history.before(vertex, rank))
        self.send_up(rank, Notif(vertex.id, token, self.news_for(rank)))
        return token

    def new_token(self, rank: int) -> Token:
        self.state.tokens_made += 1
        return Token(self.rank, rank, self.state.tokens_made)

    def to_notify(self, vertex: Vertex) -> list[int]:
        """The groups below the highest destination that may know more of what precedes."""
        heard_of = self.state.history.addressed
        between = range(self.rank + 1, vertex.dst[-1])
        others = [rank for rank in between if rank in heard_of and rank not in vertex.dst]
        if self.paper_rule:
            return others
        return [rank for rank in others if self.must_notify(vertex, rank)]

    def must_notify(self, vertex: Vertex, rank: int) -> bool:
        before = self.state.history.before(vertex, rank)
        if not before:
            return False
        if self.rank in vertex.dst:
            # What preceded an earlier message to a destination above `rank`, that one has heard.
            return any(before & ~self.covered(above) for above in vertex.dst if above > rank)
        # The messages that a group is notified for are in no order among each other, so only
        # an earlier question for this very message counts, and only if it was the same one.
        return pack(before) != vertex.notified.get(rank)

    def covered(self, rank: int) -> int:
        """What the group of `rank` knows by the time it delivers the next message from here."""
        last = self.state.last_to.get(rank)
        return 0 if last is None else self.state.history.up_to(last)

    def news_for(self, rank: int) -> tuple[Entry, ...]:
        return self.state.log.news_for(rank)

    def send_up(self, rank: int, message: Msg | Ack | Notif) -> None:
        self.send((self.ranks.order[rank],), message)

    # History.

    def learn(self, news: Iterable[Entry]) -> None:
        knows = self.state.history.knows
        self.record([entry for entry in news if not knows(entry)])

    def record(self, entries: list[Entry]) -> None:
        state = self.state
        for entry in entries:
            fresh = entry.epoch >= state.flushes or entry.id in state.history.numbers
            self.invariant(fresh, "a forgotten message is back")
        just_now = {entry.id for entry in entries if entry.at == self.rank}
        for vertex in state.history.add(entries, self.rank, self.is_flush):
            final = self.rank in vertex.delivered_at and vertex.id not in just_now
            self.invariant(not final, "the past of a delivered message grows")
        if self.rank < len(self.groups) - 1:
            state.log.entries += entries

    def is_flush(self, entry: Entry) -> bool:
        return entry.id.client == FLUSH_CLIENT and len(entry.dst) == len(self.groups)

    def prune(self, flush: Vertex) -> None:
        """Forget what precedes a flush: it is over here, and the groups above have been told."""
        state = self.state
        above = range(self.rank + 1, len(self.groups))
        self.invariant(state.log.is_known_to(above), "a flush does not take the log to all")
        self.invariant(flush.epoch == state.flushes, "a flush is missing")
        self.check_forgotten(flush, state.history.forget_before(flush))
        state.log = Log()
        state.flushes += 1

    def check_forgotten(self, flush: Vertex, forgotten: list[Vertex]) -> None:
        """The past of a flush is just what was multicast before it, and nothing waits in it."""
        state, history = self.state, self.state.history
        for vertex in forgotten:
            self.invariant(vertex.epoch <= flush.epoch, "a flush forgets a later message")
            self.invariant(vertex.id not in state.waiting, "a flush forgets an open message")
        for vertex in history.vertices.values():
            later = vertex.epoch > flush.epoch or vertex is flush
            self.invariant(later, "a flush leaves an earlier message")
        for questions in state.parked.values():
            known = all(id in history.numbers for id, _ in questions)
            self.invariant(known, "a flush forgets a question")

    def invariant(self, holds: bool, what: str) -> None:
        """What the proof says can never happen."""
        assert holds, f"{self.group}: {what}"
