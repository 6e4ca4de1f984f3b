"""Which client messages a group has already taken: exactly once, in bounded memory.

A client numbers its messages and tells, with each one, below which number all are
finished. A group remembers the numbers above that mark and nothing else, so no
protocol keeps ids for ever.
"""

from __future__ import annotations

import msgspec

from amcast.core.ids import ClientId, MessageId


class Seen(msgspec.Struct):
    """One client. Numbers below `settled` are finished; `above` holds the rest."""

    settled: int = 0
    above: dict[int, None] = {}


class Submissions(msgspec.Struct):
    """All clients that a group has heard of."""

    clients: dict[ClientId, Seen] = {}

    def admit(self, id: MessageId, settled: int = 0) -> bool:
        """Whether `id` is new here; from now on it is not."""
        seen = self.clients.get(id.client)
        if seen is None:
            seen = self.clients[id.client] = Seen()
        if settled > seen.settled:
            seen.settled = settled
            if seen.above:
                seen.above = {seq: None for seq in seen.above if seq >= settled}
        if id.seq < seen.settled or id.seq in seen.above:
            return False
        seen.above[id.seq] = None
        return True

    def seen(self, id: MessageId) -> bool:
        """Whether `id` was admitted before."""
        found = self.clients.get(id.client)
        return found is not None and (id.seq < found.settled or id.seq in found.above)

    def forget(self, client: ClientId) -> None:
        """Drop a client that will not be heard of again."""
        self.clients.pop(client, None)
