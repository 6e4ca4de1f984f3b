"""From silence to suspicion, to a graph without the failed group, and back: all by itself."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from amcast.check import violations
from amcast.core import GroupId
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation_healing import HealingPropagation
from amcast.protocols.propagation_watch import WatchingPropagation
from amcast.protocols.registry import ATOMIC_MULTICAST
from tests.protocols.propagation.propagation_clock import DELAY_US, SECOND_US, Clockwork

GROUPS = tuple("abcde")
SETS = ("abcde", "cde", "ab", "bc")
# a > b, c; c > d, e, as in Figure 6 of the paper, and b > nothing. The manager is a.
GRAPH = PropagationGraph.generate(GROUPS, ("abcde", "cde", "ab"))


def started(process: type[WatchingPropagation], graph: PropagationGraph = GRAPH) -> Clockwork:
    """All groups have been heard of, and then nothing happens for a while."""
    clockwork = Clockwork(process, graph, graph.groups[0])
    clockwork.multicast("s:1", "".join(graph.groups))
    clockwork.run(5 * SECOND_US)
    return clockwork


def delivered(clockwork: Clockwork, group: GroupId) -> str:
    return " ".join(str(id) for id in clockwork.delivered[group])


def c_fails_and_comes_back(process: type[WatchingPropagation]) -> Clockwork:
    """c orders x:1, and fails before d and e hear of it. Then its clients ask for more."""
    clockwork = started(process)
    clockwork.multicast("x:1", "cde")
    clockwork.run(DELAY_US)
    clockwork.fail("c")
    clockwork.run(10 * SECOND_US)
    clockwork.multicast("y:1", "cde")
    clockwork.multicast("z:1", "ab")
    clockwork.run(10 * SECOND_US)
    assert delivered(clockwork, "b") == "s:1 z:1", "who is not below c never waits"
    return clockwork


def test_atomic_those_below_wait_and_nothing_is_taken_back() -> None:
    clockwork = c_fails_and_comes_back(WatchingPropagation)
    assert clockwork.suspicions() == {"c": "de"}
    assert delivered(clockwork, "d") == "s:1"
    clockwork.restart("c")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {}
    assert [delivered(clockwork, group) for group in "cde"] == ["s:1 x:1 y:1"] * 3
    assert violations(clockwork.history, ATOMIC_MULTICAST) == []
    assert clockwork.history.faults == []


def test_otherwise_the_others_go_on_and_the_failed_group_takes_back() -> None:
    clockwork = c_fails_and_comes_back(HealingPropagation)
    assert clockwork.suspicions() == {"c": ""}
    for group in "abde":
        process: Any = clockwork.processes[group]
        assert (process.state.absent, process.state.stopped) == (("c",), False)
        assert process.graph.parents["d"] != "c"
    assert delivered(clockwork, "d") == delivered(clockwork, "e") == "s:1 y:1"
    assert delivered(clockwork, "c") == "s:1 x:1"
    clockwork.restart("c")
    clockwork.run(10 * SECOND_US)
    assert [delivered(clockwork, group) for group in "cde"] == ["s:1 y:1 x:1"] * 3
    assert [fault[:2] for fault in clockwork.history.faults] == [("c/0", "rollback")]
    assert_all_is_well(clockwork)


def assert_all_is_well(clockwork: Clockwork) -> None:
    assert violations(clockwork.history, ATOMIC_MULTICAST) == []
    assert clockwork.suspicions() == {}
    for process in clockwork.processes.values():
        state: Any = process.state
        assert not any((state.stopped, state.absent, state.waiting, state.early))


def two_fail(process: type[HealingPropagation]) -> Clockwork:
    """c is missed by those below it, the leaf e by nobody, until the manager wants its report."""
    clockwork = started(process)
    clockwork.fail("c")
    clockwork.fail("e")
    clockwork.multicast("x:1", "cde")
    clockwork.run(20 * SECOND_US)
    return clockwork


def test_a_group_whose_report_stays_away_is_left_out_too() -> None:
    clockwork = two_fail(HealingPropagation)
    assert clockwork.suspicions() == {"c": "", "e": ""}
    clockwork.multicast("y:1", "cde")
    clockwork.run(SECOND_US)
    assert delivered(clockwork, "d") == "s:1 y:1"
    clockwork.restart("e")
    clockwork.run(10 * SECOND_US)
    assert clockwork.suspicions() == {"c": ""}
    assert delivered(clockwork, "e") == "s:1 y:1"
    clockwork.restart("c")
    clockwork.run(10 * SECOND_US)
    assert_all_is_well(clockwork)


class WaitsForReportsForEver(HealingPropagation):
    def on_timer(self, timer: str) -> None:
        if timer != "reports":
            super().on_timer(timer)


class HearsNobodyWhoWasLeftOut(HealingPropagation):
    def left_out(self) -> tuple[GroupId, ...]:
        return ()


def test_without_either_rule_it_stands_still() -> None:
    assert two_fail(WaitsForReportsForEver).processes["d"].state.closed
    clockwork = c_fails_and_comes_back(HearsNobodyWhoWasLeftOut)
    clockwork.restart("c")
    clockwork.run(20 * SECOND_US)
    assert clockwork.suspicions() != {}


@pytest.mark.parametrize("seed", range(20))
def test_random_failures_heal(seed: int) -> None:
    random = Random(f"healing {seed}")
    graph = PropagationGraph.generate(GROUPS, SETS, random.sample(GROUPS, 5))
    clockwork = started(HealingPropagation, graph)
    for number in range(8):
        for group in random.sample(GROUPS[1:], random.randint(0, 2)):
            if group in clockwork.failed:
                clockwork.restart(group)
            else:
                clockwork.fail(group)
        clockwork.multicast(f"c{random.randrange(100)}:{number}", random.choice(SETS))
        clockwork.run(round(random.choice((0.005, 0.02, 2, 8)) * SECOND_US))
    for group in [*clockwork.failed]:
        clockwork.restart(group)
    clockwork.run(30 * SECOND_US)
    assert_all_is_well(clockwork)
