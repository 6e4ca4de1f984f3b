"""The rules of views and rounds, one at a time."""

from __future__ import annotations

import pytest

from amcast.check import violations
from amcast.core import (
    Effect,
    GroupId,
    InstanceEnded,
    InvalidInput,
    MessageId,
    Multicast,
    RequestInstance,
    Send,
    Submitted,
)
from amcast.protocols.adt import Add, Adt, Bundle, Pooled, Remove
from amcast.protocols.adt_paced import PacedAdt, make_adt
from amcast.protocols.generic_broadcast_state import Tell
from tests.protocols.adt.disaster_runs import PROMISES, DisasterWorld

GROUPS = ("g1", "g2", "g3", "g4")
ONE = Multicast(MessageId("c1", 1), ("g1", "g2"))


def alone(group: GroupId = "g1") -> Adt:
    """A group whose broadcasts the test delivers by hand."""
    return Adt(group, GROUPS)


def bundle(round: int, sender: GroupId, *multicasts: Multicast) -> Bundle:
    return Bundle(round, sender, tuple(Pooled(multicast, 0) for multicast in multicasts))


def test_clients_enter_at_home_and_local_messages_at_their_destination() -> None:
    process = alone()
    assert process.entry(("g2", "g3"), None) == ("g2",)
    assert process.entry(("g2", "g3"), "g4") == ("g4",)
    assert process.entry(("g2",), "g4") == ("g2",)


def test_a_round_waits_for_the_view_and_not_for_others() -> None:
    process = alone("g2")
    for sender in ("g1", "g2", "g3"):
        process.on_broadcast(bundle(1, sender))
    assert process.state.round == 1
    process.on_broadcast(Remove("g4", 1))
    assert process.state.round == 2


def test_accepted_bundles_of_a_removed_group_stay() -> None:
    process = alone("g2")
    process.on_broadcast(bundle(1, "g1", ONE))
    process.on_broadcast(Remove("g1", 1))
    for sender in ("g2", "g3", "g4"):
        process.on_broadcast(bundle(1, sender))
    assert [effect.multicast for effect in process._effects if hasattr(effect, "multicast")] == [
        ONE
    ]


def test_who_is_added_joins_after_all_rounds_that_anybody_began() -> None:
    process = alone()
    process.on_broadcast(Remove("g4", 1))
    process.on_broadcast(bundle(7, "g4"))
    assert process.state.included == {}
    process.on_broadcast(Add("g4"))
    assert process.state.view["g4"] == 8
    process.on_broadcast(Add("g4"))
    assert process.state.view["g4"] == 8


def test_a_removal_that_comes_too_late_does_not_hit_the_next_stay() -> None:
    process = alone()
    process.on_broadcast(bundle(1, "g4"))
    for content in (Remove("g4", 1), Add("g4"), Remove("g4", 1)):
        process.on_broadcast(content)
    assert process.state.view["g4"] == 2


def test_the_last_of_a_view_stays() -> None:
    process = alone()
    for group in GROUPS:
        process.on_broadcast(Remove(group, 1))
    assert process.state.view == {"g4": 1}


def test_a_bundle_that_comes_too_late_returns_to_the_pool() -> None:
    process = alone()
    process.step(Submitted(ONE))
    assert process.state.pool == []
    process.on_broadcast(Remove("g1", 1))
    process.on_broadcast(bundle(1, "g1", ONE))
    assert process.state.pool == [Pooled(ONE, 0)]
    assert process.state.adding


def test_a_client_that_tries_two_groups_is_heard_once() -> None:
    world = DisasterWorld(Adt, GROUPS)
    world.multicast(ONE, home="g1")
    world.try_group(ONE, "g3")
    world.try_group(ONE, "g2")
    world.settle()
    assert world.delivered == {"g1": [ONE.id], "g2": [ONE.id], "g3": [], "g4": []}
    assert not any(world.processes[group].state.own for group in GROUPS)
    world.try_group(ONE, "g4")
    world.settle()
    assert violations(world.history, PROMISES) == []


def test_all_but_the_last_are_removed_by_mistake_and_the_last_crashes() -> None:
    """The last of a view cannot be removed until somebody else is in the view again."""
    world = DisasterWorld(Adt, GROUPS)
    for group in ("g1", "g2", "g3"):
        world.suspect("g4", group)
    world.settle()
    assert list(world.processes["g1"].state.view) == ["g4"]
    world.crash_group("g4", lambda: True)
    for group in ("g1", "g2", "g3"):
        world.suspect(group, "g4")
    world.settle()
    world.multicast(ONE, home="g1")
    world.settle()
    assert [world.delivered[group] for group in ("g1", "g2")] == [[ONE.id]] * 2


def test_idle_groups_are_quiet_and_memory_stays_small() -> None:
    world = DisasterWorld(Adt, GROUPS)
    sizes = []
    for number in range(1, 61):
        world.multicast(Multicast(MessageId("c", number), GROUPS), settled=number)
        world.settle()
        sizes.append(max(len(process.snapshot()) for process in world.processes.values()))
        assert not world.in_flight
    assert [p.state.round for p in world.processes.values()] == [61] * 4
    assert sizes[-1] < sizes[4] + 50


def rounds_sent(effects: list[Effect]) -> set[int]:
    """The rounds of the bundles among `effects`."""
    return {
        effect.message.cast.content.round
        for effect in effects
        if isinstance(effect, Send) and isinstance(effect.message, Tell)
    }


def test_paced_bundles_leave_eta_instances_apart_and_rounds_overlap() -> None:
    process = PacedAdt("g1", GROUPS, eta=2, kappa=5)
    assert process.step(Submitted(ONE)) == [RequestInstance(2)]
    assert process.step(InstanceEnded(1)) == [RequestInstance(2)]
    effects = process.step(InstanceEnded(2))
    assert rounds_sent(effects) == {1}
    # The message waits for kappa instances after its bundle, and these are seen to.
    assert RequestInstance(7) in effects
    process.step(Submitted(Multicast(MessageId("c1", 2), ("g1", "g2"))))
    process.step(InstanceEnded(3))
    assert rounds_sent(process.step(InstanceEnded(4))) == {2}
    assert process.state.round == 1


def test_a_paced_round_is_delivered_kappa_instances_after_the_own_bundle() -> None:
    process = PacedAdt("g1", GROUPS, eta=1, kappa=2)
    process.step(Submitted(ONE))
    process.step(InstanceEnded(1))
    for sender in ("g2", "g3", "g4"):
        process.on_broadcast(bundle(1, sender))
    process.on_broadcast(bundle(1, "g1", ONE))
    process.step(InstanceEnded(2))
    assert process.state.round == 1
    process.step(InstanceEnded(3))
    assert process.state.round == 2


def test_idle_paced_groups_are_quiet() -> None:
    process = PacedAdt("g1", GROUPS, eta=2, kappa=5)
    assert [process.step(InstanceEnded(number)) for number in range(1, 9)] == [[]] * 8


def test_kappa_needs_eta() -> None:
    assert type(make_adt("g1", GROUPS)) is Adt
    with pytest.raises(InvalidInput, match="eta = 1 or more"):
        make_adt("g1", GROUPS, kappa=3)
