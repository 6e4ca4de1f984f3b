"""Generic broadcast among groups: only what conflicts is ordered, the rest goes the fast way.

Idea        Time is cut into stages. In a stage a group acknowledges, to all, each broadcast
            that conflicts with none it acknowledged before; what more than two thirds
            acknowledge is delivered. Acknowledgements give the name; what it stands for comes
            from the group that broadcasts it, and from all who acknowledged it and suspect
            that group. On the first conflict a group stops and tells all what it acknowledged
            and what it holds besides; also when it has acknowledged very much. From more than
            two thirds of such reports each group derives an order: first what most of them
            acknowledged, then the rest. The groups agree on one order, deliver it, and begin
            the next stage.
            They agree in attempts: all tell all their estimates, each takes over the most
            frequent, and one that more than two thirds have is decided.
Assumes     Reliable channels, in any order. Fewer than a third of the groups crash. For
            progress, not for safety: in the end exactly those that crashed are suspected.
            In reports and in attempts a group waits for all that it does not suspect.
Guarantees  All groups that do not crash deliver the same broadcasts, once; those that conflict
            in the same order, which also holds for what a group delivered before it crashed.
            Two delays without conflicts, n(n - 1) messages for n groups. With conflicts two
            more if the reports agree, and one or two for each further attempt.
Reference   Pedone and Schiper, "Handling message semantics with generic broadcast protocols"
            (2002); the agreement is the one-third rule of Charron-Bost and Schiper, "The
            heard-of model" (2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import ClassVar, Generic

from amcast.core import GroupId
from amcast.protocols.generic_broadcast_state import (
    Ack,
    BroadcastState,
    C,
    Cast,
    CastId,
    Check,
    Decision,
    Estimate,
    Numbers,
    Stage,
    Tell,
    Wire,
)


class GenericBroadcast(Generic[C]):
    """One group's part for the length of one event; all that lasts is in `state`.

    Each of `cast`, `receive`, `suspect` and `trust` returns, in order, what is delivered (a
    `Cast`) and what must be sent to all other groups (anything else).
    """

    acked_max: ClassVar[int] = 256
    """A stage ends when a group has to remember so many: another is lost, or far behind."""

    def __init__(
        self, group: GroupId, groups: tuple[GroupId, ...], state: BroadcastState[C]
    ) -> None:
        self.group = group
        self.groups = groups
        self.state = state
        # More than two thirds. Of any two such sets, the common part is most of either.
        self.quorum = 2 * len(groups) // 3 + 1
        self._outputs: list[Cast[C] | Wire[C]] = []

    def cast(self, content: C) -> list[Cast[C] | Wire[C]]:
        self.state.casts += 1
        self._learn(Cast(self.group, self.state.casts, content))
        return self._finish()

    def receive(self, source: GroupId, message: Wire[C]) -> list[Cast[C] | Wire[C]]:
        # The past needs no care: what an order left out, its sender acknowledges again.
        if message.stage >= self.state.stage.number:
            self.state.early.setdefault(message.stage, []).append((source, message))
        return self._finish()

    def suspect(self, group: GroupId) -> list[Cast[C] | Wire[C]]:
        self.state.suspected[group] = None
        self._tell_all_of(group)
        self._go_on()
        return self._finish()

    def trust(self, group: GroupId) -> None:
        self.state.suspected.pop(group, None)

    def _finish(self) -> list[Cast[C] | Wire[C]]:
        """Take what has come for this stage, and for the next if that begins."""
        early = self.state.early
        while waiting := early.get(self.state.stage.number):
            source, message = waiting.pop(0)
            self._take(source, message)
        early.pop(self.state.stage.number, None)
        return self._outputs

    def _take(self, source: GroupId, message: Wire[C]) -> None:
        stage = self.state.stage
        match message:
            case Tell(_, cast, delivered):
                self._learn(cast)
                self._count(source, cast.name)
                self._forget_stable(source, delivered)
            case Ack(_, name, _, delivered):
                self._count(source, name)
                self._forget_stable(source, delivered)
            case Check():
                stage.checks[source] = message
                if self.group not in stage.checks:
                    self._stop()
                self._go_on()
            case Estimate(_, attempt, order):
                stage.estimates.setdefault(attempt, {})[source] = order
                self._go_on()
            case Decision(_, order):
                self._decide(order)

    # The fast way.

    def _learn(self, cast: Cast[C]) -> None:
        if self._is_delivered(cast.name) or cast.name in self.state.known:
            return
        self.state.known[cast.name] = cast
        self._acknowledge(cast)

    def _acknowledge(self, cast: Cast[C]) -> None:
        stage = self.state.stage
        if self.group in stage.checks:
            return
        if len(stage.acked) >= self.acked_max or self._has_conflict(cast):
            self._stop()
            self._go_on()
            return
        stage.acked[cast.name] = cast
        if cast.origin == self.group or cast.origin in self.state.suspected:
            self._tell(cast)
        else:
            ack = Ack(stage.number, cast.name, cast.about(), self._all_below())
            self._outputs.append(ack)
        self._count(self.group, cast.name)

    def _tell(self, cast: Cast[C]) -> None:
        self._outputs.append(Tell(self.state.stage.number, cast, self._all_below()))

    def _has_conflict(self, cast: Cast[C]) -> bool:
        # Also with what is delivered here: others may not have delivered it yet.
        acked = self.state.stage.acked.values()
        return any(cast.content.conflicts_with(other.content) for other in acked)

    def _count(self, source: GroupId, name: CastId) -> None:
        if self._is_delivered(name):
            return
        acks = self.state.stage.acks.setdefault(name, {})
        acks[source] = None
        # What is known by name only must wait until its content comes.
        if len(acks) >= self.quorum and name in self.state.known:
            self._deliver(self.state.known[name])

    def _deliver(self, cast: Cast[C]) -> None:
        self.state.known.pop(cast.name, None)
        self.state.stage.acks.pop(cast.name, None)
        self.state.delivered.setdefault(cast.origin, Numbers()).add(cast.number)
        self._outputs.append(cast)

    def _is_delivered(self, name: CastId) -> bool:
        numbers = self.state.delivered.get(name.origin)
        return numbers is not None and numbers.has(name.number)

    def _tell_all_of(self, group: GroupId) -> None:
        """It may have crashed while it told them, and acknowledgements only name them."""
        stage = self.state.stage
        if self.group not in stage.checks:
            for cast in stage.acked.values():
                if cast.origin == group:
                    self._tell(cast)

    # Giving memory back.

    def _all_below(self) -> tuple[int, ...]:
        delivered = self.state.delivered
        return tuple(delivered[g].next if g in delivered else 1 for g in self.groups)

    def _forget_stable(self, source: GroupId, delivered: tuple[int, ...]) -> None:
        """What all groups delivered conflicts with nothing that is still to come."""
        reported = self.state.reported
        before = reported.get(source, delivered)
        reported[source] = tuple(map(max, before, delivered))
        if len(reported) < len(self.groups) - 1:
            return
        stable = tuple(map(min, self._all_below(), *reported.values()))
        acked = self.state.stage.acked
        for name in tuple(acked):
            if name.number >= stable[self.groups.index(name.origin)]:
                # The oldest come first: what follows will hardly be stable.
                return
            del acked[name]

    # The slow way.

    def _stop(self) -> None:
        """No more acknowledgements in this stage."""
        stage = self.state.stage
        held = tuple(cast for name, cast in self.state.known.items() if name not in stage.acked)
        check = Check(stage.number, tuple(stage.acked.values()), held)
        stage.checks[self.group] = check
        self._outputs.append(check)

    def _go_on(self) -> None:
        """From reports to the first attempt, from one attempt to the next, to the decision."""
        stage = self.state.stage
        if stage.attempt == 0:
            if self.group not in stage.checks or not self._are_enough(stage.checks):
                return
            self._attempt(self._order(stage.checks.values()))
        while self.state.stage is stage:
            estimates = stage.estimates[stage.attempt]
            favourite, votes = _most_frequent(estimates.values())
            if votes >= self.quorum:
                self._decide(favourite)
            elif self._are_enough(estimates):
                self._attempt(favourite)
            else:
                return

    def _are_enough(self, answers: Collection[GroupId]) -> bool:
        heard = all(g in answers or g in self.state.suspected for g in self.groups)
        return heard and len(answers) >= self.quorum

    def _order(self, checks: Collection[Check[C]]) -> tuple[Cast[C], ...]:
        """First what most have acknowledged, which holds all that anybody may have delivered.

        No two of those conflict: some group acknowledged both.
        """
        votes = Counter(cast.name for check in checks for cast in check.acked)
        casts = {cast.name: cast for check in checks for cast in (*check.acked, *check.held)}
        names = sorted(casts, key=lambda name: (2 * votes[name] <= len(checks), name))
        return tuple(casts[name] for name in names)

    def _attempt(self, order: tuple[Cast[C], ...]) -> None:
        stage = self.state.stage
        stage.attempt += 1
        stage.estimates.setdefault(stage.attempt, {})[self.group] = order
        self._outputs.append(Estimate(stage.number, stage.attempt, order))

    def _decide(self, order: tuple[Cast[C], ...]) -> None:
        stage = self.state.stage
        # Whoever decided takes no part in further attempts: the others must learn it from here.
        self._outputs.append(Decision(stage.number, order))
        for cast in order:
            if not self._is_delivered(cast.name):
                self._deliver(cast)
        self.state.early.pop(stage.number, None)
        self.state.stage = Stage(stage.number + 1)
        for name, cast in tuple(self.state.known.items()):
            if name in self.state.known:
                self._acknowledge(cast)


def _most_frequent(orders: Collection[tuple[Cast[C], ...]]) -> tuple[tuple[Cast[C], ...], int]:
    """The order that most are for, of several the smallest, and how many are for it."""
    by_names = {tuple(cast.name for cast in order): order for order in orders}
    votes = Counter(tuple(cast.name for cast in order) for order in orders)
    favourite = min(votes, key=lambda names: (-votes[names], names))
    return by_names[favourite], votes[favourite]
