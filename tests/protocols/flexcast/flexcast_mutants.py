"""FlexCast as published, or nearly so: each mutant repeats one error, and no other."""

from __future__ import annotations

from collections.abc import Iterable

from amcast.core import GroupId, MessageId
from amcast.overlays import Ranks
from amcast.protocols.flexcast import FlexCast
from amcast.protocols.flexcast_history import Entry, Vertex, pack, unpack
from amcast.protocols.flexcast_state import Ack, Msg, Notif, Token, Waiting


class LosesEarlyAcks(FlexCast):
    """An ACK that comes before its MSG finds no record and is lost."""

    def on_ack(self, id: MessageId, token: Token, tokens: Iterable[Token]) -> None:
        if id in self.state.waiting:
            super().on_ack(id, token, tokens)


class WaitsForHigherGroups(FlexCast):
    """A destination waits for every notified group, also for those that only send upwards."""

    def expect(self, waiting: Waiting, tokens: Iterable[Token]) -> None:
        waiting.awaited |= dict.fromkeys(tokens)


class AnswersOneNotif(FlexCast):
    """A delivery sets free one of the NOTIFs that waited for it."""

    def on_notif(self, id: MessageId, token: Token) -> None:
        first = self.state.history.blocker(id)
        if first is None or first not in self.state.parked:
            super().on_notif(id, token)


class OneAnswerPerGroup(FlexCast):
    """An answer is known by who gives it, as in the paper."""

    def new_token(self, rank: int) -> Token:
        return Token(-1, rank)


class OneAnswerPerPair(FlexCast):
    """An answer is known by who gives it to whose question."""

    def new_token(self, rank: int) -> Token:
        return Token(self.rank, rank)


class NotifiesForOwnMessages(FlexCast):
    """Only messages that the group delivered itself make it notify their destinations."""

    def must_notify(self, vertex: Vertex, rank: int) -> bool:
        known = self.state.history.vertices.values()
        own = [each for each in known if self.rank in each.delivered_at]
        return any(rank in each.dst for each in own) and super().must_notify(vertex, rank)


class SendsVerticesOnce(FlexCast):
    """History goes out as messages that the receiver has not seen: later edges are lost."""

    def news_for(self, rank: int) -> tuple[Entry, ...]:
        told = self.__dict__.setdefault("told_ids", {}).setdefault(rank, {})
        fresh = []
        for entry in super().news_for(rank):
            if entry.id not in told:
                fresh.append(entry)
            told[entry.id] = None
        return tuple(fresh)


class SendsOwnDeliveries(FlexCast):
    """What a group has learned from others it keeps to itself."""

    def news_for(self, rank: int) -> tuple[Entry, ...]:
        return tuple(entry for entry in super().news_for(rank) if entry.at == self.rank)


class AnswersAtOnce(FlexCast):
    """A NOTIF does not wait for what precedes its message."""

    def on_notif(self, id: MessageId, token: Token) -> None:
        self.announce(id, token)


class FlushForgetsAll(FlexCast):
    """A flush clears the whole history, also of messages that come after it."""

    def prune(self, flush: Vertex) -> None:
        super().prune(flush)
        for vertex in self.state.history.vertices.values():
            vertex.past = b""
            vertex.followers = []


class NotifWaitsForAll(FlexCast):
    """A NOTIF waits for all open messages, and so may be answered after the next flush."""

    def on_notif(self, id: MessageId, token: Token) -> None:
        history = self.state.history
        still_open = unpack(history.open)
        if still_open:
            last = history.vertices[still_open.bit_length() - 1].id
            self.state.parked.setdefault(last, []).append((id, token))
        else:
            self.announce(id, token)


class CountsMessages(FlexCast):
    """A notified group compares how many messages it knows, not which precede."""

    def must_notify(self, vertex: Vertex, rank: int) -> bool:
        if self.rank in vertex.dst:
            return super().must_notify(vertex, rank)
        history = self.state.history
        known = pack(unpack(history.addressed[rank]).bit_count())
        counts = self.__dict__.setdefault("counts", {})
        changed = bool(history.before(vertex, rank)) and counts.get((vertex.id, rank)) != known
        if changed:
            counts[vertex.id, rank] = known
        return changed


class NotifiedTrustsCoverage(FlexCast):
    """A notified group applies the rule for destinations to a message it does not deliver."""

    def must_notify(self, vertex: Vertex, rank: int) -> bool:
        before = self.state.history.before(vertex, rank)
        return any(before & ~self.covered(above) for above in vertex.dst if above > rank)


class NotifiesAllBetween(FlexCast):
    """All groups between the destinations are asked, also those that no message was ever for."""

    def to_notify(self, vertex: Vertex) -> list[int]:
        between = range(self.rank + 1, vertex.dst[-1])
        return [rank for rank in between if rank not in vertex.dst]


class _Unguarded(FlexCast):
    """Goes on where an invariant is broken, to show what users would see of it."""

    def invariant(self, holds: bool, what: str) -> None:
        pass

    def on_message(self, source: GroupId, message: Msg | Ack | Notif) -> None:
        history = self.state.history
        number = None if isinstance(message, Msg) else history.numbers.get(message.id)
        if number is not None and self.rank in history.vertices[number].delivered_at:
            self.learn(message.news)
        else:
            super().on_message(source, message)

    def prune(self, flush: Vertex) -> None:
        history = self.state.history
        asked = [id for questions in self.state.parked.values() for id, _ in questions]
        vertices = [history.vertex(id) for id in asked]
        super().prune(flush)
        for vertex in vertices:
            if vertex.id not in history.numbers:
                again = Entry(vertex.id, vertex.dst, vertex.epoch, None, -1)
                history.add([again], self.rank, self.is_flush)


def unguarded(mutant: type[FlexCast]) -> type[FlexCast]:
    return type(f"Unguarded{mutant.__name__}", (mutant, _Unguarded), {})


def with_paper_rule(mutant: type[FlexCast]) -> type[FlexCast]:
    """Notifies as often as the paper does."""

    def __init__(
        self: FlexCast, group: GroupId, groups: tuple[GroupId, ...], ranks: Ranks | None = None
    ) -> None:
        mutant.__init__(self, group, groups, ranks, paper_rule=True)

    return type(f"PaperRule{mutant.__name__}", (mutant,), {"__init__": __init__})
