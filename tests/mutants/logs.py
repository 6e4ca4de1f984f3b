"""What can go wrong in protocols that see the log of their group."""

from __future__ import annotations

from typing import ClassVar

from amcast.core import GroupId, Message, MessageId, Multicast
from amcast.protocols.age import Age, Final, Start, Timestamp
from amcast.protocols.age_star import AgeStar
from amcast.protocols.ang import Ang, Bundle, LoggedAng
from amcast.protocols.basecast import BaseCast, SendHard


class BaseCastNoClockUpdate(BaseCast):
    """The clock does not follow the timestamps of other groups."""

    def update_clock(self, timestamp: int) -> None:
        """Do nothing."""


class BaseCastStrictlySmaller(BaseCast):
    """Only a strictly smaller timestamp goes first: equal ones block each other for ever."""

    def deliver(self, multicast: Multicast) -> None:
        queue = self.state.queue
        blocked = self.__dict__.setdefault("blocked", [])
        if queue.order and queue.order[0][0] == self.last_timestamp:
            blocked.append(multicast)
        else:
            super().deliver(multicast)

    def on_message(self, source: GroupId, message: SendHard) -> None:
        self.last_timestamp = message.timestamp
        super().on_message(source, message)


class BaseCastSendHardIsNoStart(BaseCast):
    """A hard timestamp does not stand for the message: a client's death blocks everyone."""

    def on_message(self, source: GroupId, message: SendHard) -> None:
        id = message.multicast.id
        if id in self.state.queue.messages:
            super().on_message(source, message)
        else:
            early = self.__dict__.setdefault("early", {})
            early.setdefault(id, []).append((source, message))

    def set_hard(self, multicast: Multicast) -> None:
        super().set_hard(multicast)
        for source, message in self.__dict__.get("early", {}).pop(multicast.id, []):
            super().on_message(source, message)


class AgeClockGoesBack(Age):
    """The clock becomes one plus the highest timestamp that the instance decided, even if lower."""

    def on_instance_end(self, number: int) -> None:
        touched = max(self.state.touched, self.__dict__.get("stamped", 0))
        self.state.clock = (touched or self.state.clock) + 1
        self.state.touched = self.stamped = 0
        self.deliver_ready()

    def stamp(self, multicast: Multicast) -> None:
        self.stamped = self.state.clock
        super().stamp(multicast)


class AgeDeliversInsideTheInstance(Age):
    """Delivers before the instance is over, while its number is still being given out."""

    def deliver_ready(self) -> None:
        for multicast in self.state.queue.release():
            self.deliver(multicast)


class AgeAlwaysSkips(Age):
    """Skips the second decision also where another group's timestamp is higher."""

    def await_decision(self, id: MessageId, timestamp: int) -> None:
        self.finish(id, timestamp)


class AgeTimestampIsNoStart(Age):
    """A timestamp does not stand for the message: a client that dies half-way blocks everyone."""

    def propose(self, item: Timestamp | Start | Final) -> None:
        if not isinstance(item, Start):
            super().propose(item)


class AgeStarRaisesEarly(AgeStar):
    """A timestamp that is complete, but not in the log yet, already counts."""

    def await_decision(self, id: MessageId, timestamp: int) -> None:
        super().await_decision(id, timestamp)
        queue = self.state.queue
        queue.raise_to(queue.messages[id], timestamp)


class AgeStarDeliversOnReceipt(AgeStar):
    """Delivers also when a timestamp comes in, not only at the end of an instance."""

    def await_decision(self, id: MessageId, timestamp: int) -> None:
        super().await_decision(id, timestamp)
        queue = self.state.queue
        queue.raise_to(queue.messages[id], timestamp)
        Age.deliver_ready(self)


class AgeStarSkips(AgeStar):
    """Global messages skip the second decision, as in A_ge."""

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups)
        self.skip = True

    def deliver_ready(self) -> None:
        Age.deliver_ready(self)


class AngNeverStalls(Ang):
    """Delivers a round as soon as its bundles are there, wherever the log happens to be."""

    def on_instance_end(self, number: int) -> None:
        if number % self.eta == 0:
            self.send_bundles(number // self.eta)

    def deliver_round(self) -> None:
        due = self.__dict__.setdefault("next_due", 1)
        while len(self.state.bundles.get(due, {})) == len(self.groups):
            self.deliver_bundles(due)
            due = self.__dict__["next_due"] = due + 1


class AngNoNulls(Ang):
    """No empty instances: a round waits for groups that have nothing to say."""

    def request_instance(self, number: int) -> None:
        """Do nothing."""


class AngUnsorted(Ang):
    """Delivers the messages of a round in the order in which the bundles came."""

    def deliver_bundles(self, round: int) -> None:
        for bundle in self.state.bundles.pop(round).values():
            for found in bundle:
                self.deliver(found.multicast)


class AngUnsortedWhenRoundsOverlap(AngUnsorted):
    """With eta = 2 and kappa = 1: the messages of a round in the order in which bundles came."""

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        super().__init__(group, groups, eta=2, kappa=1)


class LoggedAngUnsorted(LoggedAng):
    """With bundles in the log: the messages of a round in the order in which bundles came."""

    deliver_bundles = AngUnsorted.deliver_bundles


class LoggedAngHurries(LoggedAng):
    """With bundles in the log: a round is delivered before the last bundle has come."""

    def deliver_round(self) -> None:
        due = self.state.due
        assert due is not None
        if len(self.state.bundles.get(due, {})) == len(self.groups) - 1:
            self.deliver_bundles(due)
            self.state.due = due + 1


class AngSkipsEmptyBundles(Ang):
    """Sends no bundle where there is nothing to send."""

    unlogged: ClassVar[tuple[type[Message], ...]] = (Bundle,)

    def send(self, targets, message):  # type: ignore[no-untyped-def]
        kept = tuple(targets)
        if message.messages or kept == (self.group,):
            super().send(kept, message)
