"""Names and messages: what is allowed, and in which order ids stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amcast.core import (
    InvalidInput,
    Message,
    MessageId,
    Multicast,
    check_groups,
    destinations,
    process_of,
)

GROUPS = ("g1", "g2", "g10")


class ById(Message, frozen=True):
    id: MessageId


class ByMulticast(Message, frozen=True):
    multicast: Multicast


@given(st.text(min_size=1), st.integers(min_value=0))
def test_an_id_is_read_back_from_its_text(client: str, seq: int) -> None:
    id = MessageId(client, seq)
    assert MessageId.parse(str(id)) == id


def test_a_client_name_may_have_colons() -> None:
    assert MessageId.parse("eu:c1:4") == MessageId("eu:c1", 4)


@pytest.mark.parametrize(
    "text",
    ["", "c1", "c1:", ":4", "c1:x", "c1:-4", "c1:4.0", "c1: 4", "c1:\N{ARABIC-INDIC DIGIT FOUR}"],
)
def test_other_texts_are_no_ids(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not client:number"):
        MessageId.parse(text)


def test_ids_are_ordered_by_number_and_not_as_text() -> None:
    ids = [MessageId("c2", 1), MessageId("c1", 10), MessageId("c1", 9)]
    assert sorted(ids) == [MessageId("c1", 9), MessageId("c1", 10), MessageId("c2", 1)]
    assert sorted(ids, key=str) != sorted(ids)


def test_a_message_to_one_group_is_local() -> None:
    assert Multicast(MessageId("c1", 1), ("g1",)).is_local
    assert not Multicast(MessageId("c1", 1), ("g1", "g2")).is_local


def test_messages_say_what_they_are_about() -> None:
    id = MessageId("c1", 1)
    assert ById(id).about() == (id,)
    assert ByMulticast(Multicast(id, GROUPS)).about() == (id,)


def test_processes_are_named_after_their_group() -> None:
    assert process_of("eu-west-1") == "eu-west-1/0"
    assert process_of("g1", 2) == "g1/2"


@pytest.mark.parametrize("name", ["g1", "eu-west-1", "0", "a_b.c-d", "x" * 64])
def test_these_group_names_are_allowed(name: str) -> None:
    assert check_groups([name]) == (name,)


@pytest.mark.parametrize(
    "name", ["", "G1", "-g", ".g", "_g", "g 1", "g/1", "g1\n", "x" * 65, "gé", "g>1"]
)
def test_other_group_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="is not allowed"):
        check_groups(["g1", name])


def test_no_groups_and_repeated_groups_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no groups"):
        check_groups([])
    with pytest.raises(InvalidInput, match="named twice"):
        check_groups(["g1", "g2", "g1"])


def test_destinations_come_in_the_order_of_the_configuration() -> None:
    assert destinations(["g10", "g1", "g10"], GROUPS) == ("g1", "g10")
    assert destinations(["g10", "g2"], GROUPS) == ("g2", "g10")


def test_unknown_and_missing_destinations_are_refused() -> None:
    with pytest.raises(InvalidInput, match="'g3' is no group: the groups are g1, g2, g10"):
        destinations(["g1", "g3"], GROUPS)
    with pytest.raises(InvalidInput, match="at least one destination"):
        destinations([], GROUPS)
