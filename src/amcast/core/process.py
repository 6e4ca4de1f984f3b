"""The shape of every protocol: one event in, a list of effects out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar, cast, get_args

import msgspec

from amcast.core.channel import Channels
from amcast.core.effects import (
    CancelTimer,
    Deliver,
    Effect,
    ProposeToLog,
    RequestInstance,
    Resume,
    Rollback,
    Send,
    SetTimer,
    Stall,
    TakeBackProposal,
)
from amcast.core.entries import LogEntry, to_entry, to_event
from amcast.core.events import (
    ClientExpired,
    Decided,
    Event,
    InstanceEnded,
    Received,
    Submitted,
    Suspected,
    TimerFired,
    Trusted,
)
from amcast.core.ids import GroupId, Message, Multicast
from amcast.core.submissions import Submissions

S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Message)


class Timers(msgspec.Struct):
    """Running timers: name -> (generation, delay), so that a new leader can start them again."""

    running: dict[str, tuple[int, int]] = {}
    generation: int = 0


class Memory(msgspec.Struct, Generic[S, M]):
    """All that a group must not forget: what a snapshot holds, and nothing else is mutable."""

    state: S
    channels: Channels[M]
    submissions: Submissions
    timers: Timers
    stalled: bool = False
    held: list[LogEntry[M]] = []


class Process(ABC, Generic[S, M]):
    """A deterministic state machine: the protocol of one group.

    A subclass names its state struct and its messages (`Process[State, Messages]`),
    keeps everything mutable in `self.state`, implements the `on_*` handlers, and
    calls `send`, `deliver` and the like from them. It never reads a clock, draws a
    random number, logs or does I/O: the same events always give the same effects.
    """

    fifo: ClassVar[bool] = False
    """Whether channels must hand over messages in the order they were sent."""

    unlogged: ClassVar[tuple[type[Message], ...]] = ()
    """Messages that may bypass the log of a replicated group.

    Their handlers run at each replica at another place of the log. So they set no timer, and
    send only messages that bypass the log themselves, to each group in the same order wherever
    that place is: those are numbered as they are sent.
    """

    instances: ClassVar[bool] = False
    """Whether it wants to be told where an instance of the log ends."""

    entry_moves: ClassVar[bool] = False
    """Whether `entry` follows the state, as a message may enter at one group and then another."""

    message_type: ClassVar[Any]
    """The union of its messages, for whoever must read them back from bytes."""

    _memory_type: ClassVar[Any]
    _state_type: ClassVar[type[msgspec.Struct]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        arguments = [get_args(base) for base in cls.__dict__.get("__orig_bases__", ())]
        if arguments and len(arguments[0]) == 2 and not isinstance(arguments[0][0], TypeVar):
            state, messages = arguments[0]
            cls._memory_type = Memory[state, messages]  # type: ignore[valid-type]
            cls._state_type = state
            cls.message_type = messages

    def __init__(self, group: GroupId, groups: tuple[GroupId, ...]) -> None:
        self.group = group
        self.groups = groups
        self._effects: list[Effect] = []
        self._to_self: list[M] = []
        self._adopt(Memory(cast("S", self._state_type()), Channels(), Submissions(), Timers()))

    # What a protocol declares and handles.

    @abstractmethod
    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        """The groups that a client of group `home` (None: of no group) submits to."""

    @abstractmethod
    def on_submit(self, multicast: Multicast) -> None:
        """A client's message, for the first time."""

    @abstractmethod
    def on_message(self, source: GroupId, message: M) -> None:
        """A message from another group, or from this one."""

    def on_timer(self, timer: str) -> None:
        raise AssertionError(f"{self.group}: unexpected timer {timer!r}")

    def on_suspect(self, group: GroupId) -> None:
        """The failure detector suspects `group`. Most protocols need no suspicions."""

    def on_trust(self, group: GroupId) -> None:
        """The failure detector trusts `group` again."""

    def on_decide(self, item: M) -> None:
        raise AssertionError(f"{self.group}: proposed nothing, yet {item!r} was decided")

    def on_instance_end(self, number: int) -> None:
        """A log instance is over. Protocols that do not see the log ignore it."""

    # What a driver calls.

    def step(self, event: Event) -> list[Effect]:
        """Handle `event` and return what must now be done, in order."""
        if self._memory.stalled and not (type(event) is Received and event.number == 0):
            self._memory.held.append(to_entry(event))
        else:
            self._handle(event)
        effects = self._effects
        self._effects = []
        return effects

    def _handle(self, event: Event) -> None:
        if type(event) is Received:
            self._receive(event)
        elif type(event) is Submitted:
            if self.submissions.admit(event.multicast.id, event.settled):
                self.on_submit(event.multicast)
        else:
            self._step_rare(event)
        while self._to_self:
            self.on_message(self.group, self._to_self.pop(0))

    def _receive(self, event: Received) -> None:
        # The union M is gone at run time; the sender's process, of the same class, kept to it.
        message: Any = event.message
        source = event.source
        if event.number == 0:
            assert type(message) in self.unlogged
            self.on_message(source, message)
            return
        for accepted in self.channels.accept(source, event.number, message, fifo=self.fifo):
            self.on_message(source, accepted)

    def _step_rare(self, event: Event) -> None:
        match event:
            case TimerFired(timer, generation):
                if self.timers.running.get(timer, (None,))[0] == generation:
                    del self.timers.running[timer]
                    self.on_timer(timer)
            case Suspected(group):
                self.on_suspect(group)
            case Trusted(group):
                self.on_trust(group)
            case Decided(item):
                self.on_decide(cast("M", item))
            case InstanceEnded(number):
                self.on_instance_end(number)
            case ClientExpired(client):
                self.submissions.forget(client)
            case _:
                raise AssertionError(f"{self.group}: no such event {event!r}")

    @property
    def is_stalled(self) -> bool:
        """Whether entries of the log wait, so that it is wise not to decide more."""
        return self._memory.stalled

    def snapshot(self) -> bytes:
        """Everything mutable, as bytes: equal bytes mean equal behaviour from here on."""
        return msgspec.msgpack.encode(self._memory)

    def restore(self, snapshot: bytes) -> None:
        """Become what `snapshot` was taken of."""
        self._adopt(msgspec.msgpack.decode(snapshot, type=self._memory_type))

    def _adopt(self, memory: Memory[S, M]) -> None:
        self._memory = memory
        self.state = memory.state
        self.channels = memory.channels
        self.submissions = memory.submissions
        self.timers = memory.timers

    # What a protocol's handlers call.

    def send(self, targets: Iterable[GroupId], message: M) -> None:
        """Send to each target; what a group sends to itself is handled in this very step."""
        numbered = type(message) not in self.unlogged
        for target in targets:
            if target == self.group:
                self._to_self.append(message)
            else:
                number = self.channels.next_number(target) if numbered else 0
                self._effects.append(Send(target, number, message))

    def deliver(self, multicast: Multicast) -> None:
        self._effects.append(Deliver(multicast))

    def roll_back(self, seq: int) -> None:
        """Take back all deliveries from the `seq`-th on; what is delivered next replaces them."""
        self._effects.append(Rollback(seq))

    def set_timer(self, timer: str, delay_us: int) -> None:
        self.timers.generation += 1
        self.timers.running[timer] = (self.timers.generation, delay_us)
        self._effects.append(SetTimer(timer, self.timers.generation, delay_us))

    def cancel_timer(self, timer: str) -> None:
        if self.timers.running.pop(timer, None) is not None:
            self._effects.append(CancelTimer(timer))

    def propose(self, item: M) -> None:
        self._effects.append(ProposeToLog(item))

    def take_back(self, item: M) -> None:
        """What was proposed is needless now; nobody has to propose it again."""
        self._effects.append(TakeBackProposal(item))

    def request_instance(self, number: int) -> None:
        self._effects.append(RequestInstance(number))

    def stall(self) -> None:
        """Let log entries wait, from the next one on, until `resume`."""
        self._memory.stalled = True
        self._effects.append(Stall())

    def resume(self) -> None:
        """Go on with the entries that waited, until one of them stalls again."""
        memory = self._memory
        memory.stalled = False
        self._effects.append(Resume())
        while memory.held and not memory.stalled:
            self._handle(to_event(memory.held.pop(0)))
