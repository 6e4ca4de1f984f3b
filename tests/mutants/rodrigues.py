"""What can go wrong when the timestamp is agreed on in the end."""

from __future__ import annotations

from amcast.core import Effect, Event, GroupId, MessageId
from amcast.protocols.rodrigues import Rodrigues
from amcast.protocols.timestamps import Waiting
from tests.mutants.timestamps import unguarded


class RodriguesNoClockUpdate(Rodrigues):
    """The clock does not follow what was agreed on."""

    def on_propose(self, coordinator: GroupId, id: MessageId, number: int) -> None:
        clock = self.state.clock
        super().on_propose(coordinator, id, number)
        self.state.clock = clock


class RodriguesForgetsTheStamps(Rodrigues):
    """All have accepted, so the message goes, though a stamp is still on its way."""

    def settle_if_agreed(self, waiting: Waiting) -> None:
        waiting.missing, missing = 0, waiting.missing
        super().settle_if_agreed(waiting)
        waiting.missing = missing


class RodriguesCoordinatorNeverAccepts(Rodrigues):
    """The coordinator's proposal is not taken for its acceptance, which never comes."""

    def on_propose(self, coordinator: GroupId, id: MessageId, number: int) -> None:
        super().on_propose(coordinator, id, number)
        if id in self.state.accepted:
            self.state.accepted[id] -= 1


class RodriguesNoGuard(Rodrigues):
    """A message that arrives a second time is stamped a second time."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))
