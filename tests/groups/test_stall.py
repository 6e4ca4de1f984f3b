"""A process that stalls, and what its group may put into the log meanwhile."""

from __future__ import annotations

from typing import Any

from amcast.core import MessageId, Multicast, Submitted
from amcast.groups import FromClient, FromGroup, Packet
from amcast.protocols.ang import Ang, Bundle
from amcast.protocols.pooled import Pooled
from tests.groups.busy_clients import waits_for_ever_longer
from tests.groups.group_mutants import GROUP_MUTANTS
from tests.groups.lone_member import LoneMember

GROUPS = ("g1", "g2")


def test_many_clients_wait_little_longer_for_replicated_groups() -> None:
    assert not waits_for_ever_longer()


def test_without_the_throttle_they_wait_for_ever_longer() -> None:
    (mutant,) = (each for each in GROUP_MUTANTS if each.script)
    assert mutant.replay()


def global_message(number: int) -> FromClient:
    return FromClient(Submitted(Multicast(MessageId("c1", number), GROUPS)))


def bundle(round: int, *messages: Multicast) -> FromGroup:
    found = tuple(Pooled(multicast, 0) for multicast in messages)
    return FromGroup("g2", 0, Packet(0, round, Bundle(round, found)))


def kinds(alone: LoneMember) -> list[Any]:
    return [type(event).__name__ for event in alone.logged()]


def test_what_comes_while_the_process_is_stalled_shares_one_instance() -> None:
    alone = LoneMember(Ang("g1", GROUPS))
    for number in range(1, 6):
        alone.step(global_message(number))
    assert alone.member.process.is_stalled
    assert kinds(alone) == ["Submitted"]
    alone.step(bundle(1))
    # What ended the stall is in the log, and all that had waited in one slot, the next instance.
    assert kinds(alone) == ["Submitted", "Received", *4 * ["Submitted"]]
    assert alone.member.machine.state.instances == 2


def test_empty_instances_wait_as_well_and_bundles_do_not() -> None:
    alone = LoneMember(Ang("g1", ("g1", "g2", "g3")))
    alone.step(global_message(1))
    for round in (1, 2, 3):
        alone.step(bundle(round))
    assert alone.member.machine.wants_instance
    assert kinds(alone) == ["Submitted", *3 * ["Received"]]


def test_what_waited_is_not_lost_with_the_leadership() -> None:
    alone = LoneMember(Ang("g1", GROUPS))
    alone.step(global_message(1))
    alone.step(global_message(2))
    alone.member._intake.follow()
    alone.member._intake.lead(())
    alone.step(bundle(1))
    assert kinds(alone) == ["Submitted", "Received", "Submitted"]
