"""FlexCast's history: which messages a group has heard of, and which precede which.

Idea        Messages are vertices; an edge a > b says that some group delivered b right after a.
            Each vertex keeps the set of all that precede it, as bits, so that every question
            of the protocol ("which messages to me precede this one?") is one `&`.
Assumes     Entries arrive in an order in which each one's predecessor is known: every group
            passes its log on from the front, over FIFO channels.
Guarantees  Nothing is lost: a late edge reaches the pasts of all messages behind it. Memory
            is given back when a flush is delivered, and only then; between two flushes
            a past takes one bit for each message that the group has heard of.
Reference   Batista, Coelho, Alchieri, Dotti and Pedone, "FlexCast: genuine overlay-based
            atomic multicast" (2023), section 4.1, strategy (a), and section 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

import msgspec

from amcast.core import MessageId


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The group of rank `at` delivered `id` right after `after`."""

    id: MessageId
    # Ranks, lowest first.
    dst: tuple[int, ...]
    # How many flushes the lowest destination had delivered before this message.
    epoch: int
    after: MessageId | None
    at: int


class Vertex(msgspec.Struct):
    """A message that the group has heard of."""

    id: MessageId
    dst: tuple[int, ...]
    epoch: int
    # Bit i: message number i precedes this one. In bytes, since a snapshot has no big integers.
    past: bytes = b""
    followers: list[int] = []
    delivered_at: dict[int, None] = {}
    # Rank -> the messages to it that preceded this one when that group was last notified.
    notified: dict[int, bytes] = {}


class History(msgspec.Struct):
    """What one group knows. A message has a number, its bit, until it is forgotten."""

    vertices: dict[int, Vertex] = {}
    numbers: dict[MessageId, int] = {}
    free: list[int] = []
    # Addressed to this group and not delivered by it.
    open: bytes = b""
    # Rank -> the messages addressed to it; higher ranks only, and flushes left out.
    addressed: dict[int, bytes] = {}

    def vertex(self, id: MessageId) -> Vertex:
        return self.vertices[self.numbers[id]]

    def knows(self, entry: Entry) -> bool:
        number = self.numbers.get(entry.id)
        return number is not None and entry.at in self.vertices[number].delivered_at

    def add(
        self, entries: Iterable[Entry], here: int, is_flush: Callable[[Entry], bool]
    ) -> list[Vertex]:
        """Take in new entries at the group of rank `here`; the messages whose past has grown."""
        edges: list[tuple[int, int]] = []
        for entry in entries:
            number = self.numbers.get(entry.id)
            if number is None:
                number = self._add_vertex(entry, here, is_flush(entry))
            self.vertices[number].delivered_at[entry.at] = None
            if entry.at == here:
                self.open = pack(unpack(self.open) & ~(1 << number))
            if entry.after is not None:
                after = self.numbers[entry.after]
                self.vertices[after].followers.append(number)
                edges.append((after, number))
        return self._grow(edges)

    def _add_vertex(self, entry: Entry, here: int, is_flush: bool) -> int:
        number = self.free.pop() if self.free else len(self.vertices)
        self.numbers[entry.id] = number
        self.vertices[number] = Vertex(entry.id, entry.dst, entry.epoch)
        bit = 1 << number
        if here in entry.dst:
            self.open = pack(unpack(self.open) | bit)
        if not is_flush:
            for rank in entry.dst:
                if rank > here:
                    self.addressed[rank] = pack(unpack(self.addressed.get(rank, b"")) | bit)
        return number

    def _grow(self, edges: Iterable[tuple[int, int]]) -> list[Vertex]:
        """Bring the pasts behind new edges up to date.

        Here FlexCast spends its time. So integers stay integers until all is done, and whoever
        has the shortest past goes first: then the others rarely have to be looked at twice.
        """
        vertices = self.vertices
        grown: dict[int, int] = {}
        unfinished: list[tuple[int, int]] = []

        def past_of(number: int) -> int:
            past = grown.get(number)
            return unpack(vertices[number].past) if past is None else past

        def grow(number: int, behind: int) -> None:
            known = past_of(number)
            past = known | behind
            if past != known:
                grown[number] = past
                heappush(unfinished, (past.bit_count(), number))

        for after, number in edges:
            grow(number, past_of(after) | 1 << after)
        while unfinished:
            size, number = heappop(unfinished)
            past = grown[number]
            if size == past.bit_count():  # else it has grown again, and has its turn later
                for follower in vertices[number].followers:
                    grow(follower, past | 1 << number)
        for number, past in grown.items():
            vertices[number].past = pack(past)
        return [vertices[number] for number in grown]

    # Questions.

    def blocker(self, id: MessageId) -> MessageId | None:
        """A message that this group must deliver before `id`, if there is one."""
        blocking = unpack(self.vertex(id).past) & unpack(self.open)
        # The newest, since it is likely to be delivered last: then nobody asks again.
        return self.vertices[blocking.bit_length() - 1].id if blocking else None

    def up_to(self, id: MessageId) -> int:
        """`id` and all that precedes it, as bits."""
        number = self.numbers[id]
        return unpack(self.vertices[number].past) | 1 << number

    def before(self, vertex: Vertex, rank: int) -> int:
        """The messages to the group of `rank` that precede `vertex`, as bits."""
        return unpack(vertex.past) & unpack(self.addressed.get(rank, b""))

    # Garbage collection.

    def forget_before(self, flush: Vertex) -> list[Vertex]:
        """Drop exactly the past of `flush`, which stays as the root of all that follows it."""
        gone = unpack(flush.past)
        numbers = [number for number in self.vertices if gone >> number & 1]
        forgotten = [self.vertices.pop(number) for number in numbers]
        for vertex in forgotten:
            del self.numbers[vertex.id]
        # The lowest numbers are used first, which keeps the bits short.
        self.free = sorted(self.free + numbers, reverse=True)
        for vertex in self.vertices.values():
            vertex.past = _without(gone, vertex.past)
            vertex.notified = _all_without(gone, vertex.notified)
        self.addressed = _all_without(gone, self.addressed)
        return forgotten


class Log(msgspec.Struct):
    """All that a group has learned since the last flush, in an order in which others may learn."""

    entries: list[Entry] = []
    # Higher rank -> how many entries that group was sent.
    told: dict[int, int] = {}

    def news_for(self, rank: int) -> tuple[Entry, ...]:
        """What that group was not sent yet, to be sent now."""
        start = self.told.get(rank, 0)
        self.told[rank] = len(self.entries)
        return tuple(self.entries[start:])

    def is_known_to(self, ranks: Iterable[int]) -> bool:
        return all(self.told[rank] == len(self.entries) for rank in ranks)


def unpack(packed: bytes) -> int:
    return int.from_bytes(packed, "little")


def pack(bits: int) -> bytes:
    """The shortest bytes, so that equal sets are equal bytes."""
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little")


def _without(gone: int, packed: bytes) -> bytes:
    return pack(unpack(packed) & ~gone)


def _all_without(gone: int, sets: dict[int, bytes]) -> dict[int, bytes]:
    kept = {rank: _without(gone, packed) for rank, packed in sets.items()}
    return {rank: packed for rank, packed in kept.items() if packed}
