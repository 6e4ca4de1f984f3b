"""A central sequencer: one group orders everything.

Idea        Clients send to the centre, which passes each message to its destinations over
            FIFO channels. The order of the centre is the order of all.
Assumes     FIFO channels (numbered per receiver, since a receiver cannot tell a gap in one
            common numbering from a message for others); the centre carries the whole load.
Guarantees  Atomic multicast, not genuine. Two delays, also for one destination (one less
            where the client or the destination is the centre); 1 + k messages for k
            destinations, one less for each of centre in dst and client in centre.
Reference   Chang and Maxemchuk, "Reliable broadcast protocols" (1984), as simplified by
            Garcia-Molina and Spauster, "Ordered and reliable multicast communication"
            (1988), section 4.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from amcast.core import GroupId, InvalidInput, Message, Multicast, Process


class Ordered(Message, frozen=True):
    """The next message of the centre's order that is for the receiver."""

    multicast: Multicast


class State(msgspec.Struct):
    """Nothing: the channels hold the order."""


class Sequencer(Process[State, Ordered]):
    fifo: ClassVar[bool] = True

    def __init__(
        self, group: GroupId, groups: tuple[GroupId, ...], centre: GroupId | None = None
    ) -> None:
        super().__init__(group, groups)
        self.centre = groups[0] if centre is None else centre
        if self.centre not in groups:
            raise InvalidInput(
                f"centre {self.centre!r} is no group: the groups are {', '.join(groups)}"
            )

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return (self.centre,)

    def on_submit(self, multicast: Multicast) -> None:
        self.send(multicast.dst, Ordered(multicast))

    def on_message(self, source: GroupId, message: Ordered) -> None:
        self.deliver(message.multicast)
