"""A_dt with rounds that overlap, paced by the instances of each group's log.

Idea        As in A_ng, a group sends a bundle after every eta instances of its log, and delivers
            a round no sooner than kappa instances after its own bundle. Rounds overlap: the
            next bundle leaves while those before it are still on their way. So a message finds
            a bundle that is about to leave, and nobody has to open a round for it first.
Assumes     As the other variant (see `adt`). All that orders is in the log, the broadcast as
            well: so a round is delivered at the same place of it at every replica, and unlike
            in A_ng nobody stalls.
Guarantees  As the other variant. Under load a message to several groups takes two delays, or
            kappa instances if they take longer, and the wait for the next bundle. A group with
            no client and no round to take part in sends nothing.
Reference   Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast" (2009),
            sections 5 and 7.4, with eta = 60 and kappa = 120.
"""

from __future__ import annotations

from typing import ClassVar

from amcast.core import GroupId, InvalidInput, Multicast
from amcast.protocols.adt import Adt, Broadcast, Bundle, Messages
from amcast.protocols.generic_broadcast_state import Tell


class PacedAdt(Adt):
    instances: ClassVar[bool] = True

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...], *, eta: int, kappa: int):
        super().__init__(group, groups)
        if eta < 1:
            raise InvalidInput(
                f"kappa = {kappa} needs bundles that are paced: use eta = 1 or more, or no kappa"
            )
        self.eta = eta
        self.kappa = kappa

    def on_submit(self, multicast: Multicast) -> None:
        # Also a local one: where there are clients, the next bundle need not be asked for.
        self.state.busy = True
        super().on_submit(multicast)

    def on_instance_end(self, number: int) -> None:
        self.state.instance = number
        self.open_round()
        self.end_rounds()

    def on_message(self, source: GroupId, message: Messages) -> None:
        if isinstance(message, Tell):
            self.note(message.cast.content)
        super().on_message(source, message)

    def on_broadcast(self, content: Broadcast) -> None:
        self.note(content)
        super().on_broadcast(content)

    def note(self, content: Broadcast) -> None:
        """Empty rounds can wait until the log gets there by itself; others cannot."""
        if isinstance(content, Bundle) and content.messages:
            self.state.urgent = max(self.state.urgent, content.round)

    # Bundles.

    def open_round(self) -> None:
        """Send bundles: those that others wait for at once, and another when it is time."""
        state = self.state
        if self.group not in state.view:
            if state.pool or state.heard > self.last_round:
                self.ask_to_be_added()
            return
        while state.heard > self.last_round:
            self.send_bundle()
        if state.instance >= state.paced + self.eta:
            if state.pool or state.busy:
                self.send_bundle()
        elif state.pool:
            self.request_instance(state.paced + self.eta)

    @property
    def last_round(self) -> int:
        """The last round that this group need not send a bundle for any more."""
        return max(self.state.sent, self.state.view.get(self.group, 1) - 1)

    def send_bundle(self) -> None:
        state = self.state
        state.sent = self.last_round + 1
        state.paced, state.busy = state.instance, False
        state.due[state.sent] = state.instance + self.kappa
        messages, state.pool = tuple(state.pool), []
        bundle = Bundle(state.sent, self.group, messages)
        self.note(bundle)
        self.cast(bundle)
        self.press_on()

    # Rounds.

    def is_complete(self, round: int) -> bool:
        return super().is_complete(round) and self.state.instance >= self.state.due.get(round, 0)

    def end_rounds(self) -> None:
        super().end_rounds()
        for round in [round for round in self.state.due if round < self.state.round]:
            del self.state.due[round]
        self.press_on()

    def press_on(self) -> None:
        """Have the log get to where the last round that has messages is delivered."""
        state = self.state
        waited_for = [due for round, due in state.due.items() if round <= state.urgent]
        if waited_for and state.instance < max(waited_for):
            self.request_instance(max(waited_for))


def make_adt(group: GroupId, groups: tuple[GroupId, ...], *, eta: int = 0, kappa: int = 0) -> Adt:
    """Rounds one after the other, when there is something to send, or paced by the log."""
    if eta or kappa:
        return PacedAdt(group, groups, eta=eta, kappa=kappa)
    return Adt(group, groups)
