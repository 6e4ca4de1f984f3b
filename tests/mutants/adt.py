"""What can go wrong in rounds of bundles, in changes of the view, and in generic broadcast.

The first few go wrong in any run. The others need disasters, which random schedules without
failures do not have: they have worlds of their own.
"""

from __future__ import annotations

from typing import Any, ClassVar

from amcast.core import Effect, Event, GroupId
from amcast.protocols.adt import Adt, Bundle
from amcast.protocols.generic_broadcast import GenericBroadcast
from amcast.protocols.generic_broadcast_state import Cast, CastId, Decision
from amcast.protocols.pooled import Pooled
from tests.mutants.timestamps import unguarded

# Without any failure.


class OpensNoRoundsForOthers(Adt):
    """A group that has nothing to send sends no bundle, for which the others wait."""

    def open_round(self) -> None:
        if self.state.pool:
            super().open_round()


class HurriesRounds(Adt):
    """A round ends with the first bundle."""

    def is_complete(self, round: int) -> bool:
        return bool(self.state.included.get(round))

    def on_bundle(self, bundle: Bundle) -> None:
        if bundle.round >= self.state.round:
            super().on_bundle(bundle)


class BundlesAsTheyCome(Adt):
    """The messages of a round are delivered bundle by bundle, in the order of arrival."""

    def deliver_round(self, bundles: dict[GroupId, Bundle]) -> None:
        own = bundles.pop(self.group, None)
        for sender, bundle in bundles.items():
            super().deliver_round({sender: bundle})
        if own is not None:
            super().deliver_round({self.group: own})


class DeliversWithoutRounds(Adt):
    """A bundle's messages are delivered when the broadcast is, whatever its round."""

    def on_bundle(self, bundle: Bundle) -> None:
        super().on_bundle(bundle)
        self.deliver_round({bundle.sender: bundle})


class AdtNoGuard(Adt):
    """A message that the client sends again is bundled again, and nobody looks at ids."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))

    def is_new(self, found: Pooled) -> bool:
        return True


# With disasters: views.


class LosesLateBundles(Adt):
    """What is in a bundle that came too late does not return to the pool."""

    def on_bundle(self, bundle: Bundle) -> None:
        pool = list(self.state.pool)
        super().on_bundle(bundle)
        self.state.pool = pool


class DropsBundlesOfRemoved(Adt):
    """Bundles that were accepted go when their group is removed."""

    def on_remove(self, member: GroupId, joined: int) -> None:
        super().on_remove(member, joined)
        if member not in self.state.view:
            for bundles in self.state.included.values():
                bundles.pop(member, None)


class JoinsByLocalRound(Adt):
    """A group joins in the round after the one that is current here."""

    def next_round(self) -> int:
        return self.state.round + 1


class JoinsAtOnce(Adt):
    """A group joins in the round that is current here."""

    def next_round(self) -> int:
        return self.state.round


class StaysRemoved(Adt):
    """A group that was removed by mistake does not ask to be added."""

    def ask_to_be_added(self) -> None:
        pass


class RemovesOnce(Adt):
    """Who is suspected still when it is added again is not removed again."""

    def on_add(self, member: GroupId) -> None:
        suspected = self.state.broadcast.suspected
        self.state.broadcast.suspected = {}
        super().on_add(member)
        self.state.broadcast.suspected = suspected


class IgnoresRetriesElsewhere(Adt):
    """A message that the client tried at two groups is delivered twice."""

    def is_new(self, found: Pooled) -> bool:
        return True


# With disasters: generic broadcast.


class WrongBroadcast(Adt):
    wrong: ClassVar[type[GenericBroadcast[Any]]]

    @property
    def broadcast(self) -> GenericBroadcast[Any]:
        return self.wrong(self.group, self.groups, self.state.broadcast)


class ChangesConflictWithChanges(WrongBroadcast):
    """Changes of the view conflict with each other, but not with bundles."""

    class wrong(GenericBroadcast[Any]):
        def _has_conflict(self, cast: Cast[Any]) -> bool:
            if isinstance(cast.content, Bundle):
                return False
            acked = self.state.stage.acked.values()
            return any(not isinstance(other.content, Bundle) for other in acked)


class TooFewAcks(WrongBroadcast):
    """The fast way needs acknowledgements of half the groups instead of two thirds."""

    class wrong(GenericBroadcast[Any]):
        def _count(self, source: GroupId, name: CastId) -> None:
            self.quorum = len(self.groups) // 2
            super()._count(source, name)
            self.quorum = 2 * len(self.groups) // 3 + 1


class TooFewChecks(WrongBroadcast):
    """Half of the reports are enough, and half of the estimates."""

    class wrong(GenericBroadcast[Any]):
        def _are_enough(self, answers: Any) -> bool:
            return 2 * len(answers) >= len(self.groups)


class ForgetsWhatItDelivered(WrongBroadcast):
    """What is delivered here conflicts with nothing, though others may lack it."""

    class wrong(GenericBroadcast[Any]):
        def _has_conflict(self, cast: Cast[Any]) -> bool:
            conflicts = cast.content.conflicts_with
            acked = self.state.stage.acked.items()
            return any(conflicts(a.content) for name, a in acked if not self._is_delivered(name))


class TellsNobodyForTheDead(WrongBroadcast):
    """What a group that crashed told only some, they acknowledge to the others by name only."""

    class wrong(GenericBroadcast[Any]):
        def _tell_all_of(self, group: GroupId) -> None:
            pass


class OnlyNamesWhatTheDeadTell(WrongBroadcast):
    """What comes from a suspected group after the suspicion is acknowledged by name only."""

    class wrong(GenericBroadcast[Any]):
        def _acknowledge(self, cast: Cast[Any]) -> None:
            suspected, self.state.suspected = self.state.suspected, {}
            super()._acknowledge(cast)
            self.state.suspected = suspected


class AcknowledgesAfterReport(WrongBroadcast):
    """A group goes on acknowledging after it told what it acknowledged."""

    class wrong(GenericBroadcast[Any]):
        def _acknowledge(self, cast: Cast[Any]) -> None:
            own = self.state.stage.checks.pop(self.group, None)
            if own is None or self._has_conflict(cast):
                if own is not None:
                    self.state.stage.checks[self.group] = own
                super()._acknowledge(cast)
            else:
                super()._acknowledge(cast)
                self.state.stage.checks[self.group] = own


class OrdersByName(WrongBroadcast):
    """The order of a stage does not begin with what most acknowledged."""

    class wrong(GenericBroadcast[Any]):
        def _order(self, checks: Any) -> tuple[Cast[Any], ...]:
            return tuple(sorted(super()._order(checks), key=lambda cast: cast.name))


class KeepsDecisions(WrongBroadcast):
    """Whoever learns a decision from another group does not pass it on."""

    class wrong(GenericBroadcast[Any]):
        def _take(self, source: GroupId, message: Any) -> None:
            super()._take(source, message)
            if isinstance(message, Decision):
                passed_on = [o for o in self._outputs if isinstance(o, Decision)]
                self._outputs.remove(passed_on[0])


class DecidesByHalf(WrongBroadcast):
    """An estimate that half of the groups are for is decided."""

    class wrong(GenericBroadcast[Any]):
        def _go_on(self) -> None:
            enough, self.quorum = self.quorum, len(self.groups) // 2
            super()._go_on()
            self.quorum = enough
