"""Messages that wait for a round, and what is new when the round is delivered.

Idea        Protocols with rounds let a client hand a message to any group. One that gets no
            answer tries another, and then the message is in two bundles: the first round that
            has it counts.
Assumes     All destinations of a message see the same bundles with it, in the same rounds.
Guarantees  Each destination delivers it once, and all of them in the same round.
Reference   Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast protocols"
            (2009), where nothing is said about it.
"""

from __future__ import annotations

import msgspec

from amcast.core import MessageId, Multicast, Submissions


class Pooled(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message on its way into a round, and below which number its client has finished."""

    multicast: Multicast
    settled: int


def pooled(multicast: Multicast, submissions: Submissions) -> Pooled:
    """What a client has just submitted."""
    return Pooled(multicast, submissions.clients[multicast.id.client].settled)


def is_new(found: Pooled, own: dict[MessageId, None], submissions: Submissions) -> bool:
    """Whether this is the first round that has it; `own` was submitted here and is on its way."""
    id = found.multicast.id
    if id in own:
        del own[id]
        return True
    return submissions.admit(id, found.settled)
