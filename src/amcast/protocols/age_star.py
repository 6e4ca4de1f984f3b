"""A_ge*: like A_ge, but messages to one group wait for nobody.

Idea        A message to one group is delivered as soon as the log has ordered it. Global
            messages then must take a fixed place among them, so they pass all four stages,
            and are delivered at the end of an instance by logged timestamps only.
Assumes     As A_ge. That all global messages pass the four stages is not enough, though the
            paper says so: a timestamp that has come in, but is not in the log yet, must not
            let one replica deliver what another holds back.
Guarantees  Atomic multicast, genuine. Two delays and messages as A_ge; two consensus decisions
            for global messages, one for others, which never wait.
Reference   Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast protocols"
            (2009), section 5.
"""

from __future__ import annotations

from amcast.core import GroupId, MessageId, Multicast
from amcast.protocols.age import Age, Final


class AgeStar(Age):
    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups, skip=False)

    def stamp(self, multicast: Multicast) -> None:
        if multicast.is_local:
            self.deliver(multicast)
        else:
            super().stamp(multicast)

    def await_decision(self, id: MessageId, timestamp: int) -> None:
        """The message keeps its logged timestamp until the log has the final one."""
        self.propose(Final(id, timestamp))

    def deliver_ready(self) -> None:
        """Not yet: global messages come after the local ones of the instance."""

    def on_instance_end(self, number: int) -> None:
        super().on_instance_end(number)
        super().deliver_ready()
