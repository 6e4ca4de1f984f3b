"""Null messages, time-outs, and a failed group that goes on from its snapshot."""

from __future__ import annotations

from amcast.check import violations
from amcast.core import GroupId
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import Data, Null, change_to
from amcast.protocols.propagation_watch import WatchingPropagation
from amcast.protocols.registry import GENUINE_MULTICAST
from tests.protocols.propagation.propagation_clock import SECOND_US, Clockwork

GROUPS = tuple("abcdefghj")
FIGURE_3 = ("cd", "abc", "bcde", "def", "ef", "bg", "ch", "dj")
# d > c, e, j; c > a, b, h; e > f; b > g.
GRAPH = PropagationGraph.generate(GROUPS, FIGURE_3, "dce")


def started(
    process: type[WatchingPropagation] = WatchingPropagation, manager: GroupId = "d"
) -> Clockwork:
    """All groups have been heard of, and then nothing happens for a while."""
    clockwork = Clockwork(process, GRAPH, manager)
    clockwork.multicast("s:1", "dj")
    clockwork.run(20 * SECOND_US)
    return clockwork


def is_alive_but_idle_suspected(process: type[WatchingPropagation]) -> bool:
    clockwork = started(process)
    return any(one.state.suspected for one in clockwork.processes.values())


def nulls_while_busy(process: type[WatchingPropagation]) -> int:
    clockwork = started(process)
    before = 0
    for number in range(40):
        clockwork.multicast(f"x:{number}", "cd")
        clockwork.run(SECOND_US // 4)
        before = before or clockwork.sent_by(Null, "d", "c")
    return clockwork.sent_by(Null, "d", "c") - before


def is_a_failed_manager_noticed(process: type[WatchingPropagation]) -> bool:
    """The manager a is below the root d, which hears only from it."""
    clockwork = started(process, manager="a")
    clockwork.fail("a")
    clockwork.run(10 * SECOND_US)
    return "a" in clockwork.processes["d"].state.suspected


def test_nobody_is_suspected_for_having_nothing_to_send() -> None:
    assert not is_alive_but_idle_suspected(WatchingPropagation)


def test_null_messages_reach_the_last_leaf() -> None:
    clockwork = started()
    assert clockwork.sent_by(Null, "b", "g") > 10
    assert clockwork.sent_by(Null, "g", "b") == 0


def test_a_busy_group_sends_no_null_messages() -> None:
    assert nulls_while_busy(WatchingPropagation) == 0


def test_roots_notice_that_the_manager_failed() -> None:
    assert is_a_failed_manager_noticed(WatchingPropagation)


def test_only_those_below_a_failed_group_wait_for_it() -> None:
    """Atomic delivery: c fails. What is ordered elsewhere and does not pass c goes on."""
    clockwork = started()
    clockwork.fail("c")
    clockwork.multicast("x:1", "def")
    clockwork.multicast("x:2", "bcde")
    clockwork.multicast("x:3", "bg")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {"c": "abh"}
    ids = {group: [str(id) for id in found] for group, found in clockwork.delivered.items()}
    assert ids["e"] == ["x:1", "x:2"]
    assert ids["f"] == ["x:1"]
    assert ids["g"] == ["x:3"]
    assert ids["b"] == ["x:3"], "x:2 comes by way of c"
    clockwork.restart("c")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    assert violations(clockwork.history, GENUINE_MULTICAST) == []


def test_a_failed_leaf_blocks_nobody_and_catches_up() -> None:
    clockwork = started()
    clockwork.fail("g")
    clockwork.multicast("x:1", "bg")
    clockwork.multicast("x:2", "abc")
    clockwork.run(10 * SECOND_US)
    assert sorted(clockwork.delivered["b"]) == [("x", 1), ("x", 2)]
    clockwork.restart("g")
    clockwork.run(10 * SECOND_US)
    assert violations(clockwork.history, GENUINE_MULTICAST) == []


def test_after_a_change_the_new_neighbours_are_watched() -> None:
    clockwork = started()
    # A star: c is a leaf now, and feeds nobody.
    clockwork.submit(change_to(PropagationGraph(GROUPS, dict.fromkeys("abcefghj", "d")), 1))
    clockwork.run(5 * SECOND_US)
    clockwork.fail("c")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    clockwork.restart("c")
    clockwork.fail("d")
    clockwork.run(10 * SECOND_US)
    assert all("d" in clockwork.processes[group].state.suspected for group in "abcefghj")
    clockwork.restart("d")
    clockwork.multicast("x:1", "ag")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    assert clockwork.sent_by(Data, "d", "g") == 1
    assert violations(clockwork.history, GENUINE_MULTICAST[:-1]) == []
