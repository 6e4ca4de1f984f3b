"""What a group remembers of clients is bounded, and what it forgets never comes twice."""

from __future__ import annotations

from amcast.consensus import Effect
from amcast.core import ClientExpired, MessageId, Multicast, Submitted
from amcast.groups import (
    Ack,
    Acknowledged,
    Deliver,
    Forgotten,
    Forwarded,
    FromClient,
    FromGroup,
    Packet,
)
from amcast.groups.clients import OPEN_MAX
from amcast.protocols.skeen import Skeen, Timestamp
from tests.groups.lone_member import LoneMember, of_kind

GROUPS = ("g1", "g2")
EXPIRE_AFTER = 100


def group() -> LoneMember:
    return LoneMember(Skeen("g1", GROUPS), expire_after=EXPIRE_AFTER)


def message(
    client: str, seq: int = 1, *, settled: int = 0, since: int = 0, dst: tuple[str, ...] = ("g1",)
) -> FromClient:
    return FromClient(Submitted(Multicast(MessageId(client, seq), dst), settled, since))


def some_clients(alone: LoneMember, name: str, count: int) -> list[Effect]:
    """Each comes now, sends one message and is never heard of again."""
    effects: list[Effect] = []
    for number in range(count):
        effects += alone.step(message(f"{name}{number}", since=alone.member.applied))
    return effects


def delivered(effects: list[Effect]) -> list[str]:
    return [each.multicast.id.client for each in of_kind(effects, Deliver)]


def is_known(alone: LoneMember, client: str) -> bool:
    known = client in alone.member.machine.state.clients.known
    assert known == (client in alone.member.process.submissions.clients)
    return known


def test_snapshot_does_not_grow_with_clients_that_are_gone() -> None:
    alone = group()
    sizes = []
    for name in ("a", "b", "c"):
        assert len(delivered(some_clients(alone, name, 1_000))) == 1_000
        sizes.append(len(alone.member.machine.snapshot()))
    assert max(sizes) < 1.1 * min(sizes)
    assert len(alone.member.machine.state.clients.known) < 2 * EXPIRE_AFTER


def test_late_duplicate_of_a_forgotten_client_is_refused() -> None:
    alone = group()
    first = message("c1")
    assert delivered(alone.step(first)) == ["c1"]
    some_clients(alone, "d", 2 * EXPIRE_AFTER)
    assert not is_known(alone, "c1")
    assert alone.step(first) == [Forgotten("c1")]
    # The same from a replica that does not know yet: then it is the log that refuses it.
    command = alone.codec.encode(first.submitted)
    effects = alone.step(Forwarded((command,)))
    assert (of_kind(effects, Forgotten), delivered(effects)) == ([Forgotten("c1")], [])
    assert first.submitted in alone.logged()


def test_forgotten_client_goes_on_under_a_new_id() -> None:
    alone = group()
    alone.step(message("c1"))
    some_clients(alone, "d", 2 * EXPIRE_AFTER)
    assert alone.step(message("c1", 2)) == [Forgotten("c1")]
    assert delivered(alone.step(message("c2", since=alone.member.applied))) == ["c2"]


def test_what_other_groups_tell_of_a_forgotten_client_lets_no_duplicate_in() -> None:
    alone = group()
    first = message("c1")
    alone.step(first)
    some_clients(alone, "d", 2 * EXPIRE_AFTER)
    later = Multicast(MessageId("c1", 2), GROUPS)
    effects = alone.step(FromGroup("g2", 0, Packet(1, 0, Timestamp(later, 1))))
    assert delivered(effects) == ["c1"]
    assert is_known(alone, "c1")
    assert alone.step(first) == [Forgotten("c1")]


def test_client_that_is_heard_of_now_and_then_is_not_forgotten() -> None:
    alone = group()
    for seq in range(1, 11):
        assert delivered(alone.step(message("c1", seq, settled=seq))) == ["c1"]
        some_clients(alone, f"d{seq}-", EXPIRE_AFTER // 2)
    assert is_known(alone, "c1")


def test_client_is_remembered_while_another_group_has_to_hear_of_its_message() -> None:
    alone = group()
    alone.step(message("c1", dst=GROUPS))
    some_clients(alone, "d", 3 * EXPIRE_AFTER)
    assert is_known(alone, "c1")
    alone.step(Acknowledged("g2", 0, Ack(1, 0)))
    some_clients(alone, "e", EXPIRE_AFTER)
    assert not is_known(alone, "c1")


def test_client_that_comes_before_it_is_forgotten_stays() -> None:
    alone = group()
    alone.step(message("c1"))
    heard = alone.member.machine.state.clients.known["c1"].heard
    alone.step(message("c1", 2))
    alone.step(Forwarded((alone.codec.encode(ClientExpired("c1", heard)),)))
    assert is_known(alone, "c1")
    assert alone.step(message("c1")) == []


def test_client_with_too_much_open_waits_until_it_has_settled_more() -> None:
    alone = group()
    far = 1 + OPEN_MAX
    assert alone.step(message("c1", far, settled=1)) == []
    assert delivered(alone.step(message("c1", far, settled=2))) == ["c1"]
    for seq in range(2, 2 + OPEN_MAX):
        alone.step(message("c1", seq, settled=2))
    assert len(alone.member.process.submissions.clients["c1"].above) == OPEN_MAX
