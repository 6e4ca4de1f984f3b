"""The channel between two groups: exactly once, and in order where that is declared."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amcast.core import Channels, Message


class Note(Message, frozen=True):
    id: int


def notes(*numbers: int) -> list[Note]:
    return [Note(number) for number in numbers]


def accept(channels: Channels[Note], number: int, *, fifo: bool, source: str = "g1") -> list[Note]:
    return channels.accept(source, number, Note(number), fifo=fifo)


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[int, list[int]]:
    """How many messages were sent, and their numbers as they arrive, all at least once."""
    count = draw(st.integers(1, 12))
    repeats = draw(st.lists(st.integers(1, count), max_size=12))
    return count, draw(st.permutations([*range(1, count + 1), *repeats]))


def test_every_target_has_numbers_of_its_own_from_1() -> None:
    channels: Channels[Note] = Channels()
    assert [channels.next_number(group) for group in ("g2", "g2", "g3", "g2")] == [1, 2, 1, 3]


def test_a_repeat_is_dropped_whether_it_came_in_order_or_early() -> None:
    for fifo in (False, True):
        channels: Channels[Note] = Channels()
        assert accept(channels, 1, fifo=fifo) == notes(1)
        assert accept(channels, 1, fifo=fifo) == []
        accept(channels, 3, fifo=fifo)
        assert accept(channels, 3, fifo=fifo) == []


def test_fifo_holds_back_what_comes_too_early() -> None:
    channels: Channels[Note] = Channels()
    assert accept(channels, 3, fifo=True) == []
    assert accept(channels, 2, fifo=True) == []
    assert accept(channels, 1, fifo=True) == notes(1, 2, 3)
    assert accept(channels, 4, fifo=True) == notes(4)


def test_without_fifo_nothing_waits() -> None:
    channels: Channels[Note] = Channels()
    arrived = [accept(channels, number, fifo=False) for number in (3, 1, 2)]
    assert arrived == [notes(3), notes(1), notes(2)]


def test_sources_do_not_disturb_each_other() -> None:
    channels: Channels[Note] = Channels()
    assert accept(channels, 1, fifo=True, source="g1") == notes(1)
    assert accept(channels, 2, fifo=True, source="g2") == []
    assert accept(channels, 1, fifo=True, source="g2") == notes(1, 2)


def test_two_groups_do_not_share_channels() -> None:
    first: Channels[Note] = Channels()
    first.next_number("g2")
    accept(first, 1, fifo=True)
    assert Channels() == Channels({}, {})


@given(arrivals(), st.booleans())
def test_any_arrival_order_gives_each_message_once(sent: tuple[int, list[int]], fifo: bool) -> None:
    count, numbers = sent
    channels: Channels[Note] = Channels()
    handled = [note.id for number in numbers for note in accept(channels, number, fifo=fifo)]
    expected = list(range(1, count + 1))
    assert (handled if fifo else sorted(handled)) == expected
    if not fifo:
        assert handled == list(dict.fromkeys(numbers)), "a message had to wait"


@given(arrivals(), st.booleans())
def test_nothing_is_remembered_of_a_channel_without_gaps(
    sent: tuple[int, list[int]], fifo: bool
) -> None:
    count, numbers = sent
    channels: Channels[Note] = Channels()
    for number in numbers:
        accept(channels, number, fifo=fifo)
    assert channels.received["g1"].early == {}
    assert channels.received["g1"].expected == count + 1
