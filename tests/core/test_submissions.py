"""Client messages are taken exactly once, and forgotten when their client has finished them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amcast.core import MessageId, Submissions


def admitted(submissions: Submissions, *seqs: int, settled: int = 0) -> list[bool]:
    return [submissions.admit(MessageId("c1", seq), settled) for seq in seqs]


def test_a_message_is_new_once() -> None:
    submissions = Submissions()
    assert admitted(submissions, 2, 1, 2, 1, 3) == [True, True, False, False, True]


def test_clients_do_not_disturb_each_other() -> None:
    submissions = Submissions()
    assert submissions.admit(MessageId("c1", 1))
    assert submissions.admit(MessageId("c2", 1))
    assert not submissions.admit(MessageId("c2", 1))


def test_what_a_client_has_finished_is_never_new_again() -> None:
    submissions = Submissions()
    assert admitted(submissions, 5, settled=5) == [True]
    assert admitted(submissions, 4, 1, 5, 6) == [False, False, False, True]


def test_the_mark_of_finished_messages_never_moves_back() -> None:
    submissions = Submissions()
    admitted(submissions, 9, settled=9)
    assert admitted(submissions, 8, settled=2) == [False]


def test_memory_holds_only_what_is_not_finished() -> None:
    submissions = Submissions()
    window = 4
    for seq in range(1, 10_001):
        assert admitted(submissions, seq, settled=max(0, seq - window + 1)) == [True]
        assert len(submissions.clients["c1"].above) <= window
    assert list(submissions.clients["c1"].above) == [9997, 9998, 9999, 10_000]


def test_a_forgotten_client_leaves_nothing() -> None:
    submissions = Submissions()
    admitted(submissions, 1, 2)
    submissions.forget("c1")
    submissions.forget("c2")
    assert submissions == Submissions()
    assert admitted(submissions, 1) == [True]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=40))
def test_it_agrees_with_a_memory_that_keeps_everything(steps: list[tuple[int, int]]) -> None:
    submissions = Submissions()
    taken: set[int] = set()
    mark = 0
    for seq, settled in steps:
        mark = max(mark, settled)
        assert admitted(submissions, seq, settled=settled) == [seq >= mark and seq not in taken]
        taken.add(seq)
