"""The rules of one member that random bad times rarely need, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from amcast.consensus import Effect, Proposed, ReadRefused, ReadRequested, StorageFailed
from amcast.core import (
    Decided,
    InstanceEnded,
    MessageId,
    Multicast,
    Received,
    Submitted,
    Suspected,
    TimerFired,
    Trusted,
)
from amcast.groups import (
    Ack,
    Acknowledged,
    Asked,
    Deliver,
    Forwarded,
    FromClient,
    FromGroup,
    Noticed,
    Packet,
    Question,
    SendToGroup,
)
from amcast.groups.outlet import Outlet
from amcast.groups.state import GroupState
from amcast.groups.transmitter import RESEND, RESENT_AT_ONCE, Transmitter
from amcast.protocols.adt import Adt
from amcast.protocols.age import Age, Final, Timestamp
from amcast.protocols.ang import Ang, Bundle
from amcast.protocols.basecast_sync import SendHard, SyncAllBaseCast
from amcast.protocols.skeen import Skeen
from tests.groups.lone_member import RESEND_US, LoneMember, of_kind

GROUPS = ("g1", "g2")


def local(number: int) -> Submitted:
    return Submitted(Multicast(MessageId("c1", number), ("g1",)))


def to_both(number: int) -> Submitted:
    return Submitted(Multicast(MessageId("c1", number), GROUPS))


def sent_to(effects: list[Effect]) -> list[tuple[int | None, int]]:
    """The packets among `effects`: to which replica, and with which number."""
    sent = of_kind(effects, SendToGroup)
    return [(e.replica, e.content.number) for e in sent if isinstance(e.content, Packet)]


def numbers(effects: list[Effect]) -> list[int]:
    return [number for _, number in sent_to(effects)]


# The way into the log.


def test_leader_proposes_later_what_its_queue_had_no_room_for() -> None:
    alone = LoneMember(Skeen("g1", GROUPS), queue_max=2)
    commands = tuple(alone.codec.encode(local(number)) for number in range(1, 6))
    delivered = of_kind(alone.step(Forwarded(commands)), Deliver)
    assert [each.multicast.id.seq for each in delivered] == [1, 2, 3, 4, 5]


def test_empty_instance_does_not_crowd_out_what_the_queue_has_room_for() -> None:
    alone = LoneMember(Ang("g1", GROUPS, eta=3), queue_max=1)
    alone.step(FromClient(to_both(1)))
    assert alone.member.machine.state.instances == 3
    # Each of these asks for more instances, too.
    for round in (1, 2):
        alone.step(FromGroup("g2", 0, Packet(0, round, Bundle(round, ()))))
    alone.step(FromClient(local(2)))
    assert local(2) in alone.logged()


def test_too_much_that_waits_is_dropped_if_somebody_sends_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("amcast.groups.intake.WAITING_MAX", 2)
    alone = LoneMember(Age("g1", GROUPS))
    alone.member._intake.follow()
    final = Decided(Final(to_both(9).multicast.id, 1))
    events = [local(1), local(2), local(3), final, TimerFired("tick", 1)]
    alone.member._intake.keep([alone.codec.encode(event) for event in events])
    alone.member._intake.lead(())
    alone.step(FromClient(local(4)))
    assert alone.logged() == [local(1), local(2), final, TimerFired("tick", 1)]


def test_stalled_leader_keeps_no_more_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amcast.groups.intake.WAITING_MAX", 2)
    alone = LoneMember(Ang("g1", GROUPS))
    for number in range(1, 6):
        alone.step(FromClient(to_both(number)))
    alone.step(FromGroup("g2", 0, Packet(0, 1, Bundle(1, ()))))
    seen = [each.multicast.id.seq for each in alone.logged() if isinstance(each, Submitted)]
    assert seen == [1, 2, 3]


def test_log_ends_with_the_last_opinion_of_its_leader() -> None:
    alone = LoneMember(Adt("g1", ("g1", "g2", "g3", "g4")))
    alone.hesitant = True
    for about in (Suspected("g2"), Trusted("g2"), Suspected("g2")):
        alone.step(Noticed(about))
    alone.hesitant = False
    alone.settle()
    opinions = [event for event in alone.logged() if isinstance(event, Suspected | Trusted)]
    assert opinions[-1] == Suspected("g2")


def test_member_whose_disk_failed_is_silent_but_refuses_reads() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    alone.step(StorageFailed())
    assert not alone.member.leading
    assert alone.step(FromClient(local(1))) == []
    assert alone.step(ReadRequested(7)) == [ReadRefused(7, None)]


# The channels to other groups.


def asks(effects: list[Effect]) -> bool:
    """Whether all replicas of another group are asked what they have."""
    questions = [e for e in of_kind(effects, SendToGroup) if isinstance(e.content, Question)]
    assert all(each.replica is None for each in questions)
    return bool(questions)


def test_whoever_is_silent_is_asked_and_only_what_it_lacks_is_sent_again() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    alone.step(Acknowledged("g2", 2, Ack(0, 0)))
    assert sent_to(alone.step(FromClient(to_both(1)))) == [(2, 1)]
    assert sent_to(alone.step(FromClient(to_both(2)))) == [(2, 2)]
    fired = alone.fire(RESEND)
    assert asks(fired)
    assert sent_to(fired) == []
    assert sent_to(alone.step(FromClient(to_both(3)))) == [(2, 3)]
    assert sent_to(alone.step(Acknowledged("g2", 2, Ack(1, 0, answers=True)))) == [(2, 2)]


def test_new_leader_elsewhere_gets_all_that_went_to_its_predecessor() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    for number in (1, 2):
        alone.step(FromClient(to_both(number)))
    assert asks(alone.fire(RESEND))
    assert sent_to(alone.step(FromClient(to_both(3)))) == [(0, 3)]
    answer = Acknowledged("g2", 1, Ack(0, 0, answers=True))
    assert sent_to(alone.step(answer)) == [(1, 1), (1, 2), (1, 3)]
    assert sent_to(alone.step(FromClient(to_both(4)))) == [(1, 4)]


def test_leader_answers_with_what_stands_in_its_log() -> None:
    alone = LoneMember(Ang("g2", GROUPS))
    alone.step(FromGroup("g1", 0, Packet(1, 0, Bundle(1, ()))))
    [answer] = of_kind(alone.step(Asked("g1")), SendToGroup)
    assert answer == SendToGroup("g1", None, Ack(1, 0, answers=True))


def test_long_outbox_is_sent_again_in_parts_each_when_the_last_is_acknowledged() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    last = 2 * RESENT_AT_ONCE + 10
    for number in range(1, last + 1):
        alone.step(FromClient(to_both(number)))
    assert asks(alone.fire(RESEND))
    parts = [numbers(alone.step(Acknowledged("g2", 0, Ack(0, 0, answers=True))))]
    while parts[-1]:
        acknowledged = Acknowledged("g2", 0, Ack(parts[-1][-1], 0))
        parts.append(numbers(alone.step(acknowledged)))
    assert [len(part) for part in parts] == [RESENT_AT_ONCE, RESENT_AT_ONCE, 10, 0]
    assert [number for part in parts for number in part] == list(range(1, last + 1))


def bypasses(effects: list[Effect]) -> list[int]:
    sent = of_kind(effects, SendToGroup)
    return [each.content.bypass for each in sent if isinstance(each.content, Packet)]


def test_what_bypasses_the_log_is_sent_again_in_parts_as_well() -> None:
    alone = LoneMember(Age("g1", GROUPS))
    last = 2 * RESENT_AT_ONCE + 10
    for number in range(1, last + 1):
        alone.step(FromClient(to_both(number)))
    alone.fire(RESEND)
    parts = [bypasses(alone.step(Acknowledged("g2", 0, Ack(0, 0, answers=True))))]
    while parts[-1]:
        acknowledged = Acknowledged("g2", 0, Ack(0, parts[-1][-1]))
        parts.append(bypasses(alone.step(acknowledged)))
    assert [len(part) for part in parts] == [RESENT_AT_ONCE, RESENT_AT_ONCE, 10, 0]


def test_what_is_lost_does_not_starve_while_the_other_numbering_goes_on() -> None:
    transmitter = Transmitter(GroupState(), Outlet(), RESEND_US)
    transmitter.lead()
    multicast = to_both(1).multicast
    transmitter.send("g2", 1, Timestamp(multicast, 1))
    asked = []
    for bypass in range(1, 9):
        transmitter.send("g2", 0, Timestamp(multicast, 1))
        transmitter._outlet.take()
        transmitter.on_ack("g2", 0, Ack(0, bypass))
        transmitter.on_timer(bypass)
        asked.append(asks(transmitter._outlet.take()))
    assert [period for period, told in enumerate(asked, start=1) if told] == [1, 2, 4, 8]
    transmitter.on_ack("g2", 0, Ack(0, 8, answers=True))
    assert numbers(transmitter._outlet.take()) == [1]


def test_lost_packet_waits_for_one_whole_period_without_news() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    for number in (1, 2):
        alone.step(FromClient(to_both(number)))
    alone.step(Acknowledged("g2", 0, Ack(1, 0)))
    assert not asks(alone.fire(RESEND))
    assert asks(alone.fire(RESEND))
    # Nothing was on its way when that was acknowledged, so the next period is a whole one.
    alone.step(Acknowledged("g2", 0, Ack(2, 0)))
    assert not asks(alone.fire(RESEND))
    alone.step(FromClient(to_both(3)))
    assert asks(alone.fire(RESEND))


def test_slow_group_is_not_asked_while_it_acknowledges() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    for number in range(1, 11):
        alone.step(FromClient(to_both(number)))
        alone.step(Acknowledged("g2", 0, Ack(number - 1, 0)))
        assert not asks(alone.fire(RESEND)) or number == 1


def test_silent_group_is_asked_ever_more_seldom() -> None:
    alone = LoneMember(Skeen("g1", GROUPS))
    alone.step(FromClient(to_both(1)))
    asked = [asks(alone.fire(RESEND)) for _ in range(24)]
    assert [period for period, told in enumerate(asked, start=1) if told] == [1, 2, 4, 8, 16, 24]


# What the process proposes.


@pytest.mark.parametrize(("process", "kind"), [(Age, Timestamp), (SyncAllBaseCast, SendHard)])
def test_nobody_wants_a_message_proposed_that_the_client_has_brought(
    process: Any, kind: Any
) -> None:
    alone = LoneMember(process("g1", GROUPS))
    # A replica that does not lead: others were faster than the client.
    alone.member._intake.leading = False
    alone.step(FromGroup("g2", 0, Packet(0, 1, kind(to_both(1).multicast, 1))))
    assert len(alone.member.machine.state.wanted) == 1
    alone.step(Proposed((alone.codec.encode(to_both(1)),)))
    wanted = [alone.codec.decode(each)[0] for each in alone.member.machine.state.wanted]
    assert "Start" not in str(wanted)


def test_timestamp_that_comes_after_the_decision_leaves_nothing_behind() -> None:
    process = Age("g1", ("g1", "g2", "g3"))
    multicast = Multicast(MessageId("c1", 1), ("g1", "g2", "g3"))
    earlier = Multicast(MessageId("c1", 2), ("g1", "g2"))
    process.step(Submitted(earlier))
    process.step(Submitted(multicast))
    process.step(InstanceEnded(1))
    # Another replica had all timestamps, and the log its proposal. `earlier` is in the way.
    process.step(Decided(Final(multicast.id, 9)))
    assert multicast.id in process.state.queue.messages
    process.step(Received("g2", 0, Timestamp(multicast, 5)))
    assert multicast.id not in process.state.timestamps
