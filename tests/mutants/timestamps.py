"""What can go wrong in protocols that deliver in the order of timestamps."""

from __future__ import annotations

from bisect import insort

from amcast.core import Effect, Event, GroupId, MessageId, Multicast, Submitted
from amcast.protocols import AnyProcess, two_phase
from amcast.protocols.skeen import Skeen, Timestamp
from amcast.protocols.skeen_coordinator import Final, Gathering, Proposal, SkeenCoordinator, Start
from amcast.protocols.timestamps import Waiting
from amcast.protocols.two_phase import Answers, TwoPhase


def unguarded(process: AnyProcess, event: Event) -> Event:
    """Let the process forget that it has seen a client's message before."""
    if isinstance(event, Submitted):
        process.submissions.forget(event.multicast.id.client)
    return event


class NoClockUpdate(Skeen):
    """The clock does not follow final timestamps: a later message gets a smaller one."""

    def on_final(self, waiting: Waiting) -> None:
        for multicast in self.state.queue.settle(waiting, waiting.highest):
            self.deliver(multicast)


class StrictlySmaller(Skeen):
    """Only a strictly smaller timestamp goes first: equal ones block each other for ever."""

    def on_final(self, waiting: Waiting) -> None:
        state = self.state
        state.clock = max(state.clock, waiting.highest)
        waiting.final = True
        id = waiting.multicast.id
        state.queue.order.remove((waiting.timestamp, id))
        waiting.timestamp = waiting.highest
        insort(state.queue.order, (waiting.timestamp, id))
        order, messages = state.queue.order, state.queue.messages
        while order and messages[order[0][1]].final:
            if len(order) > 1 and order[1][0] == order[0][0]:
                return
            self.deliver(messages.pop(order.pop(0)[1]).multicast)


class TiesByArrival(Skeen):
    """Equal timestamps are delivered in the order in which each group heard of the messages."""

    SPREAD = 1_000_000

    def propose_timestamp(self, multicast: Multicast) -> None:
        state = self.state
        state.clock += 1
        arrival = len(state.queue.messages)
        state.queue.add(multicast, state.clock * self.SPREAD + arrival)
        self.send(multicast.dst, Timestamp(multicast, state.clock))

    def on_final(self, waiting: Waiting) -> None:
        state = self.state
        state.clock = max(state.clock, waiting.highest)
        arrival = waiting.timestamp % self.SPREAD
        for multicast in state.queue.settle(waiting, waiting.highest * self.SPREAD + arrival):
            self.deliver(multicast)


class LowestWins(Skeen):
    """The lowest proposal becomes final instead of the highest."""

    def on_message(self, source: GroupId, message: Timestamp) -> None:
        id = message.multicast.id
        lowest = self.__dict__.setdefault("lowest", {})
        lowest[id] = min(message.proposal, lowest.get(id, message.proposal))
        super().on_message(source, message)

    def on_final(self, waiting: Waiting) -> None:
        waiting.highest = self.__dict__["lowest"][waiting.multicast.id]
        super().on_final(waiting)


class FirstProposalWins(Skeen):
    """A message is final as soon as one other group has proposed."""

    def on_message(self, source: GroupId, message: Timestamp) -> None:
        messages = self.state.queue.messages
        seen = message.multicast.id in messages
        if not seen and not self.submissions.admit(message.multicast.id):
            return  # it was delivered long ago
        if not seen:
            self.propose_timestamp(message.multicast)
        waiting = messages[message.multicast.id]
        waiting.missing = min(waiting.missing, 2)
        if self.state.queue.propose(waiting, message.proposal):
            self.on_final(waiting)


class WaitsForItself(Skeen):
    """The delivery test does not leave out the message itself, which is never before itself."""

    def on_final(self, waiting: Waiting) -> None:
        self.state.clock = max(self.state.clock, waiting.highest)
        waiting.final = True


class NoGuard(Skeen):
    """A message that arrives a second time is stamped a second time."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))


class TimestampIsNoStart(Skeen):
    """A timestamp does not stand for the message: a client that dies half-way blocks everyone."""

    def on_submit(self, multicast: Multicast) -> None:
        kept = self.early().pop(multicast.id, [])
        self.propose_timestamp(multicast)
        for source, message in kept:
            self.on_message(source, message)

    def on_message(self, source: GroupId, message: Timestamp) -> None:
        if message.multicast.id not in self.state.queue.messages:
            self.early().setdefault(message.multicast.id, []).append((source, message))
            return
        super().on_message(source, message)

    def early(self) -> dict[object, list[tuple[GroupId, Timestamp]]]:
        found: dict[object, list[tuple[GroupId, Timestamp]]]
        found = self.__dict__.setdefault("_early", {})
        return found


class CoordinatorNoClockUpdate(SkeenCoordinator):
    """The clock does not follow final timestamps."""

    def on_final(self, id: MessageId, number: int) -> None:
        waiting = self.state.queue.messages[id]
        for multicast in self.state.queue.settle(waiting, number):
            self.deliver(multicast)


class CoordinatorLowestWins(SkeenCoordinator):
    """The coordinator announces the lowest proposal."""

    def decide(self, gathering: Gathering) -> None:
        multicast = gathering.multicast
        self.send(multicast.dst, Final(multicast.id, min(gathering.proposals.values())))


class CoordinatorHurries(SkeenCoordinator):
    """The coordinator decides without the last proposal."""

    def on_proposal(self, source: GroupId, id: MessageId, number: int) -> None:
        gathering = self.state.gathering.get(id)
        if gathering is None:
            return
        if len(gathering.proposals) == len(gathering.multicast.dst) - 2:
            silent = [
                group for group in gathering.multicast.dst if group not in gathering.proposals
            ]
            gathering.proposals.update(dict.fromkeys(silent, 0))
        super().on_proposal(source, id, number)


class CoordinatorNoGuard(SkeenCoordinator):
    """A message that arrives a second time is stamped a second time."""

    def step(self, event: Event) -> list[Effect]:
        return super().step(unguarded(self, event))


class CoordinatorNoTags(SkeenCoordinator):
    """Proposals and decisions look alike: the coordinator takes its decision for a proposal."""

    def on_message(self, source: GroupId, message: Start | Proposal | Final) -> None:
        if isinstance(message, Final) and source == self.group:
            self.on_proposal(source, message.id, message.number)
        else:
            super().on_message(source, message)


class CoordinatorNeverReminds(SkeenCoordinator):
    """Nobody passes on a message whose client died half-way."""

    def on_timer(self, timer: str) -> None:
        """Do nothing."""


class TwoPhaseNoCounterUpdate(TwoPhase):
    """'Higher than any given so far' counts only the priorities that this group gave itself."""

    def on_final(self, id: MessageId, priority: int) -> None:
        waiting = self.state.queue.messages[id]
        for multicast in self.state.queue.settle(waiting, priority):
            self.deliver(multicast)


class TwoPhaseLowestWins(TwoPhase):
    """The coordinator announces the lowest priority."""

    def decide(self, id: MessageId, answers: Answers) -> None:
        self.send(answers.dst, two_phase.Final(id, min(answers.priorities.values())))


class TwoPhaseHurries(TwoPhase):
    """The coordinator announces a priority before all destinations have answered."""

    def on_answer(self, source: GroupId, id: MessageId, priority: int) -> None:
        answers = self.state.answers.get(id)
        if answers is None:
            return
        if len(answers.priorities) == len(answers.dst) - 2:
            silent = [group for group in answers.dst if group not in answers.priorities]
            answers.priorities.update(dict.fromkeys(silent, 0))
        super().on_answer(source, id, priority)
