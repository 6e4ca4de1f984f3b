"""Two-phase priorities: ask all destinations for a priority, announce the highest.

Idea        One destination coordinates a message: it asks all destinations for a priority,
            a number that carries the proposer's place and so is unique in the system. The
            highest becomes final; each destination delivers from the front of its queue
            while the front is final.
Assumes     Reliable channels, in any order; the groups themselves do not fail. A client runs
            no part of the protocol: its own group coordinates if it is a destination, else
            the first destination does.
Guarantees  Atomic multicast, genuine. Three delays, two at the coordinator, and 3(k - 1)
            messages for k destinations; one more of each if the client is outside.
Reference   Birman and Joseph, "Reliable communication in the presence of failures" (1987),
            as compared by Garcia-Molina and Spauster, "Ordered and reliable multicast
            communication" (1988), section 2.
"""

from __future__ import annotations

import msgspec

from amcast.core import GroupId, Message, MessageId, Multicast, Process
from amcast.protocols.timestamps import TimestampQueue


class Ask(Message, frozen=True):
    """First phase: the coordinator wants a priority for this message."""

    multicast: Multicast


class Priority(Message, frozen=True):
    """A destination's answer to the coordinator."""

    id: MessageId
    priority: int


class Final(Message, frozen=True):
    """Second phase: the highest priority, which holds everywhere."""

    id: MessageId
    priority: int


class Answers(msgspec.Struct):
    """What the coordinator has gathered for one message."""

    dst: tuple[GroupId, ...]
    priorities: dict[GroupId, int] = {}


class State(msgspec.Struct):
    highest_number: int = 0
    queue: TimestampQueue = msgspec.field(default_factory=TimestampQueue)
    answers: dict[MessageId, Answers] = {}


class TwoPhase(Process[State, Ask | Priority | Final]):
    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups)
        self.place = groups.index(group)

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return (home,) if home in dst else dst[:1]

    def on_submit(self, multicast: Multicast) -> None:
        self.state.answers[multicast.id] = Answers(multicast.dst)
        self.send(multicast.dst, Ask(multicast))

    def on_message(self, source: GroupId, message: Ask | Priority | Final) -> None:
        match message:
            case Ask(multicast):
                self.state.highest_number += 1
                priority = self.state.highest_number * len(self.groups) + self.place
                self.state.queue.add(multicast, priority)
                self.send((source,), Priority(multicast.id, priority))
            case Priority(id, priority):
                self.on_answer(source, id, priority)
            case Final(id, priority):
                self.on_final(id, priority)

    def on_answer(self, source: GroupId, id: MessageId, priority: int) -> None:
        answers = self.state.answers[id]
        answers.priorities[source] = priority
        if len(answers.priorities) == len(answers.dst):
            del self.state.answers[id]
            self.decide(id, answers)

    def decide(self, id: MessageId, answers: Answers) -> None:
        self.send(answers.dst, Final(id, max(answers.priorities.values())))

    def on_final(self, id: MessageId, priority: int) -> None:
        # "Higher than any given so far" must count the final priorities of others, too.
        number = priority // len(self.groups)
        self.state.highest_number = max(self.state.highest_number, number)
        waiting = self.state.queue.messages[id]
        for multicast in self.state.queue.settle(waiting, priority):
            self.deliver(multicast)
