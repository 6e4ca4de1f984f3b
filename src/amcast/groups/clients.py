"""What a group remembers of clients, and when it may forget one.

A client numbers its messages, and tells with each one below which number all are finished and
how far the group's log was when it first turned to this group (`Submitted.since`). Whoever the
log has not been about for so many slots is forgotten, by an entry of the log. From a message of
a forgotten client alone nobody could tell whether it is new. But it says that the client knew
the group before that slot, and then a group that does not know the client refuses it, for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import msgspec

from amcast.core import ClientExpired, ClientId, MessageId, Submitted

# So many messages of a client may be open at once. The next ones are for later.
OPEN_MAX = 1024
# A client is forgotten if so many slots of the log were not about it.
EXPIRE_AFTER = 1_000_000


class Client(msgspec.Struct):
    """`heard` is the last slot that was about it; other groups tell about clients, too."""

    heard: int = 0
    submits: bool = False
    # What was delivered here and is not settled, for a client that asks.
    replies: dict[int, None] = {}


class Clients(msgspec.Struct):
    """All that a group has not forgotten, whoever was heard of last at the end."""

    known: dict[ClientId, Client] = {}
    # A group that does not know a client has forgotten it, unless it came after this slot.
    forgotten: int = -1

    def is_forgotten(self, submitted: Submitted) -> bool:
        """Whether the client must give up. Later slots never make that untrue."""
        client = self.known.get(submitted.multicast.id.client)
        return submitted.since <= self.forgotten and not (client and client.submits)

    def note(self, id: ClientId, slot: int) -> Client:
        """The log is about that client."""
        client = self.known.pop(id, None) or Client()
        client.heard = slot
        self.known[id] = client
        return client

    def submit(self, submitted: Submitted, slot: int) -> None:
        """The client has its replies to all messages that it calls settled."""
        client = self.note(submitted.multicast.id.client, slot)
        client.submits = True
        replies = client.replies
        while replies and (first := next(iter(replies))) < submitted.settled:
            del replies[first]

    def note_delivery(self, id: MessageId) -> None:
        # Replicas may deliver at different slots, so here the slot must not be noted. Of a
        # client that is forgotten before, only this is left, and will be forgotten next.
        client = self.known.get(id.client)
        if client is None:
            client = self.known[id.client] = Client()
        client.replies[id.seq] = None
        if len(client.replies) > OPEN_MAX:
            del client.replies[next(iter(client.replies))]

    def has_delivered(self, id: MessageId) -> bool:
        client = self.known.get(id.client)
        return client is not None and id.seq in client.replies

    def silent_before(self, slot: int) -> Iterator[ClientExpired]:
        """For each client that no slot from this one on was about."""
        silent = takewhile(lambda item: item[1].heard < slot, self.known.items())
        return (ClientExpired(id, client.heard) for id, client in silent)

    def expire(self, expired: ClientExpired) -> bool:
        """Whether it is forgotten now. It is not if it was heard of since that was proposed."""
        self.forgotten = max(self.forgotten, expired.heard)
        client = self.known.get(expired.client)
        if client is None or client.heard != expired.heard:
            return False
        del self.known[expired.client]
        return True


def is_for_later(submitted: Submitted) -> bool:
    """Whether the client has so much open that this must wait until it has settled more."""
    return submitted.multicast.id.seq - submitted.settled >= OPEN_MAX
