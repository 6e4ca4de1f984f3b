"""What every protocol gets from its base: one event in, its effects out, in order."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import pytest

from amcast.core import (
    CancelTimer,
    ClientExpired,
    Decided,
    Deliver,
    GroupId,
    InstanceEnded,
    Message,
    MessageId,
    Multicast,
    Process,
    Received,
    Send,
    SetTimer,
    Submitted,
    Suspected,
    TimerFired,
    Trusted,
)

GROUPS = ("g1", "g2", "g3")
HELLO = Multicast(MessageId("c1", 1), GROUPS)


class Copy(Message, frozen=True):
    multicast: Multicast
    hops: int = 0


class Ping(Message, frozen=True):
    """Bypasses the log."""

    id: MessageId


class State(msgspec.Struct):
    heard: list[str] = []


class Chatter(Process[State, Copy | Ping]):
    """Passes messages on, to itself too, and plays with a timer."""

    unlogged: ClassVar[tuple[type[Message], ...]] = (Ping,)

    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_submit(self, multicast: Multicast) -> None:
        self.state.heard.append("submit")
        self.send(GROUPS, Copy(multicast))
        self.send(("g2",), Ping(multicast.id))
        self.state.heard.append("submitted")

    def on_message(self, source: GroupId, message: Copy | Ping) -> None:
        if isinstance(message, Ping):
            self.state.heard.append(f"ping from {source}")
            return
        self.state.heard.append(f"{message.hops} from {source}")
        if source == self.group and message.hops < 2:
            self.send((self.group,), Copy(message.multicast, message.hops + 1))
        else:
            self.deliver(message.multicast)

    def on_timer(self, timer: str) -> None:
        self.state.heard.append(f"timer {timer}")

    def on_suspect(self, group: GroupId) -> None:
        self.set_timer(group, 10)

    def on_trust(self, group: GroupId) -> None:
        self.cancel_timer(group)


class Silent(Chatter):
    """Handles no timers: a class further down takes over its parent's state."""

    on_timer = Process.on_timer


@pytest.fixture
def process() -> Chatter:
    return Chatter("g1", GROUPS)


def test_what_a_group_sends_to_itself_is_handled_in_the_same_step(process: Chatter) -> None:
    effects = process.step(Submitted(HELLO))
    assert process.state.heard == ["submit", "submitted", "0 from g1", "1 from g1", "2 from g1"]
    assert effects == [
        Send("g2", 1, Copy(HELLO)),
        Send("g3", 1, Copy(HELLO)),
        Send("g2", 0, Ping(HELLO.id)),
        Deliver(HELLO),
    ]


def test_a_submission_is_handled_once(process: Chatter) -> None:
    assert process.step(Submitted(HELLO))
    assert process.step(Submitted(HELLO)) == []
    process.step(ClientExpired("c1"))
    assert process.step(Submitted(HELLO))


def test_unlogged_messages_have_number_0_and_leave_the_numbering_alone(process: Chatter) -> None:
    process.step(Submitted(HELLO))
    again = process.step(Submitted(Multicast(MessageId("c1", 2), GROUPS)))
    numbers = [(e.target, e.number, type(e.message)) for e in again if isinstance(e, Send)]
    assert numbers == [("g2", 2, Copy), ("g3", 2, Copy), ("g2", 0, Ping)]


def test_unlogged_messages_are_never_taken_for_repeats(process: Chatter) -> None:
    for _ in range(2):
        process.step(Received("g2", 0, Ping(HELLO.id)))
    assert process.state.heard == ["ping from g2", "ping from g2"]


def test_a_logged_message_without_a_number_is_an_error_of_the_driver(process: Chatter) -> None:
    with pytest.raises(AssertionError):
        process.step(Received("g2", 0, Copy(HELLO)))


def test_repeated_messages_are_handled_once(process: Chatter) -> None:
    assert process.step(Received("g2", 1, Copy(HELLO))) == [Deliver(HELLO)]
    assert process.step(Received("g2", 1, Copy(HELLO))) == []
    assert process.step(Received("g3", 1, Copy(HELLO))) == [Deliver(HELLO)]


def test_a_timer_fires_once(process: Chatter) -> None:
    assert process.step(Suspected("g2")) == [SetTimer("g2", 1, 10)]
    process.step(TimerFired("g2", 1))
    process.step(TimerFired("g2", 1))
    assert process.state.heard == ["timer g2"]
    assert process.timers.running == {}


def test_a_stale_generation_is_ignored(process: Chatter) -> None:
    process.step(Suspected("g2"))
    assert process.step(Suspected("g2")) == [SetTimer("g2", 2, 10)]
    process.step(TimerFired("g2", 1))
    assert process.state.heard == []
    process.step(TimerFired("g2", 2))
    assert process.state.heard == ["timer g2"]


def test_a_cancelled_timer_never_fires_even_when_set_again(process: Chatter) -> None:
    process.step(Suspected("g2"))
    assert process.step(Trusted("g2")) == [CancelTimer("g2")]
    assert process.step(Trusted("g2")) == [], "there is nothing left to cancel"
    process.step(Suspected("g2"))
    process.step(TimerFired("g2", 1))
    assert process.state.heard == []


def test_timers_that_run_survive_a_snapshot(process: Chatter) -> None:
    process.step(Suspected("g2"))
    restored = Chatter("g1", GROUPS)
    restored.restore(process.snapshot())
    assert restored.timers.running == {"g2": (1, 10)}
    restored.step(TimerFired("g2", 1))
    assert restored.state.heard == ["timer g2"]


def test_new_processes_share_nothing(process: Chatter) -> None:
    process.step(Submitted(HELLO))
    process.step(Suspected("g2"))
    assert Chatter("g1", GROUPS).snapshot() == Chatter("g2", GROUPS).snapshot()


def test_unexpected_events_are_errors_and_an_instance_end_is_not() -> None:
    silent = Silent("g1", GROUPS)
    assert silent.step(InstanceEnded(1)) == []
    silent.step(Suspected("g2"))
    with pytest.raises(AssertionError, match="unexpected timer"):
        silent.step(TimerFired("g2", 1))
    with pytest.raises(AssertionError, match="proposed nothing"):
        silent.step(Decided(Copy(HELLO)))
