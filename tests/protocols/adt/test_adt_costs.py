"""What an isolated message costs, with the fast way and with groups that share their rounds."""

from __future__ import annotations

import pytest

from amcast.core import GroupId
from amcast.protocols.adt import Adt
from tests.protocols.one_message import cost_of_one


def named(count: int) -> tuple[GroupId, ...]:
    return tuple(f"g{number}" for number in range(1, count + 1))


def cost(
    count: int, dst: tuple[GroupId, ...], homes: tuple[GroupId | None, ...]
) -> tuple[int, dict[GroupId, float]]:
    """Messages sent, and the delays until each group delivers; one message for each home."""
    groups = named(count)
    return cost_of_one(lambda group: Adt(group, groups), groups, dst, homes)


@pytest.mark.parametrize("n", [3, 4, 5, 7])
@pytest.mark.parametrize("k", [2, 3])
def test_one_message_opens_a_round_and_waits_for_its_bundles(n: int, k: int) -> None:
    dst = named(n)[-k:]
    for home in named(n):
        messages, delays = cost(n, dst, (home,))
        # n bundles, each acknowledged by n groups to n - 1 others.
        assert messages == n * n * (n - 1)
        assert set(delays.values()) == {3}
    messages, delays = cost(n, dst, (None,))
    assert messages == n * n * (n - 1) + 1
    assert set(delays.values()) == {4}


def test_of_two_groups_the_entry_is_first() -> None:
    dst = named(2)
    assert cost(2, dst, ("g1",)) == (4, {"g1": 2, "g2": 3})
    assert cost(2, dst, (None,)) == (5, {"g1": 3, "g2": 4})


@pytest.mark.parametrize("n", [1, 4])
def test_a_local_message_needs_nobody_else(n: int) -> None:
    assert cost(n, ("g1",), ("g1",)) == (0, {"g1": 0})
    assert cost(n, ("g1",), (None,)) == (1, {"g1": 1})
    if n > 1:
        # A client of another group goes to the destination itself.
        assert cost(n, ("g1",), ("g2",)) == (1, {"g1": 1})


@pytest.mark.parametrize("n", [3, 4, 7])
def test_two_delays_if_all_groups_have_something_to_send(n: int) -> None:
    groups = named(n)
    messages, delays = cost(n, groups, groups)
    assert messages == n * n * (n - 1)
    assert set(delays.values()) == {2}
