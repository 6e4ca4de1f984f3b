"""Groups that are left out when they fail, and take deliveries back when they return."""

from __future__ import annotations

from pathlib import Path

import pytest
from recovery_mutants import CountsPerSet
from recovery_runs import RecoveryRun

from amcast.check import violations
from amcast.core import (
    Deliver,
    Event,
    GroupId,
    InvalidInput,
    MessageId,
    Multicast,
    Received,
    Rollback,
    Send,
    Submitted,
    Suspected,
    Trusted,
)
from amcast.overlays import PropagationGraph
from amcast.overlays.remaining import without
from amcast.protocols.propagation import Data
from amcast.protocols.propagation_history import completed, merged
from amcast.protocols.propagation_recovery import Continue, RecoveringPropagation, Stop
from amcast.protocols.registry import ATOMIC_MULTICAST
from amcast.sim.story import Story, broken_promises, play, play_loosely, tell
from amcast.sim.world import ProcessFactory

HERE = Path(__file__).parent
SEEDS = 1000
GROUPS = tuple("abcde")
FIGURE_6 = PropagationGraph.generate(GROUPS, ("abcde", "cde", "ab"))


def factory(process: type[RecoveringPropagation] = RecoveringPropagation) -> ProcessFactory:
    return lambda group: process(group, GROUPS, FIGURE_6, manager="a")


def test_figure_6() -> None:
    text = (HERE / "figure6_recovery.story").read_text()
    comments = "".join(line for line in text.splitlines(keepends=True) if line[0] == "#")
    story = Story.parse(text)
    assert comments + tell(story, factory()) == text
    world = play(story, factory())
    assert violations(world.history, ATOMIC_MULTICAST) == []
    assert [fault[:2] for fault in world.history.faults] == [("c/0", "rollback")]
    for process in world.processes.values():
        assert process.state.history == [], "all groups are the same again"


def test_counters_per_set_do_not_order_what_e_misses_in_figure_6() -> None:
    story = Story.parse((HERE / "figure6_recovery.story").read_text())
    world, _ = play_loosely(story, factory(CountsPerSet))
    (broken, *_) = broken_promises(world, ATOMIC_MULTICAST)
    assert broken.startswith("prefix_order")
    assert "alpha:3" in broken
    assert "beta:1" in broken


def test_the_graph_of_figure_7() -> None:
    graph = without(FIGURE_6, ("c",))
    assert graph.parents == {"a": None, "b": "a", "c": None, "d": "a", "e": "d"}
    assert graph.primary(("c", "d", "e")) == "d"
    assert graph.route("a", GROUPS) == ("b", "d")
    assert not graph.serves(("c",))


def test_ties_are_broken_as_before_when_a_group_is_missing() -> None:
    graph = PropagationGraph.generate(GROUPS, ("abc", "cde"), "ecbd")
    assert graph.parents == {"a": "c", "b": "c", "c": None, "d": "c", "e": "c"}
    # Without c the sets are a+b and d+e, where all are in equally many.
    assert without(graph, ("c",)).roots == ("b", "c", "e")


def test_a_chain_for_any_set_loses_a_link() -> None:
    graph = without(PropagationGraph.for_any_set(GROUPS), ("a", "c"))
    assert [graph.parents[group] for group in GROUPS] == [None, None, None, "b", "d"]
    assert graph.primary(("a", "c", "e")) == "e"


def test_random_failures_keep_all_promises_and_only_failed_groups_take_back() -> None:
    rollbacks = 0
    for seed in range(SEEDS):
        run = RecoveryRun(seed)
        assert run.run() == [], f"seed {seed}"
        assert {*run.rolled_back} <= {failure.group for failure in run.failures}
        rollbacks += len(run.rolled_back)
        for process in run.world.processes.values():
            state = process.state
            assert not any((state.stopped, state.absent, state.waiting, state.early))
    assert rollbacks > SEEDS / 3


def data(id: str, dst: str) -> Data:
    return Data(Multicast(MessageId.parse(id), tuple(dst)), 0, 0)


def test_histories_are_merged_so_that_everybody_appends() -> None:
    x, y, z = data("x:1", "ab"), data("y:1", "bc"), data("z:1", "ac")
    # Group b has nothing but y yet, so that x must come after it, although a had x before z.
    assert merged({"a": [x, z], "b": [y], "c": [y]}) == [y, x, z]
    assert merged({"a": [], "b": []}) == []


def test_messages_of_a_graph_that_was_given_up_are_too_late() -> None:
    process = RecoveringPropagation("d", GROUPS, FIGURE_6, manager="a")
    process.step(Received("a", 1, Stop(1)))
    assert process.step(Received("c", 1, data("beta:1", "cde"))) == []
    process.step(Received("a", 2, Continue(1, ("c",), ("a", "b", "d", "e"), ())))
    assert process.step(Received("c", 2, data("beta:2", "cde"))) == []
    assert not process.state.early


def test_nothing_is_taken_back_where_the_beginnings_agree() -> None:
    process = RecoveringPropagation("d", GROUPS, FIGURE_6, manager="a")
    process.step(Received("c", 1, data("beta:1", "cde")))
    order = (data("beta:1", "cde"), data("beta:2", "cde"))
    effects = process.step(Received("a", 1, Continue(2, (), ("a", "b"), order)))
    assert not any(isinstance(effect, Rollback) for effect in effects)
    assert len(effects) == 1


def test_a_message_to_absent_groups_only_goes_to_the_first_of_them() -> None:
    graph = PropagationGraph.generate(GROUPS, ("abcde", "cd"))
    process = RecoveringPropagation("a", GROUPS, graph, manager="a")
    process.step(Received("b", 1, Continue(1, ("d", "c"), ("a", "b", "e"), ())))
    assert process.entry(("c", "d"), None) == ("c",)
    with pytest.raises(InvalidInput, match="were not registered"):
        process.entry(("a", "b"), None)


def test_what_only_a_failed_group_has_stands_where_nobody_else_must_take_anything_back() -> None:
    u, v, y = (data(f"{client}:1", "c") for client in "uvy")
    x, z = data("x:1", "ac"), data("z:1", "ab")
    report = [u, x, v, z, y]
    # Nobody but c delivers u, v and y; but a has z already, so that x must come after that.
    assert completed([z], {"a": [z], "b": [], "c": report}, "ab") == [u, z, y, x, v]
    assert completed([z], {"a": [z], "b": []}, "ab") == [z]


class Slowly:
    """Packets arrive in the order of sending, those of c after all others."""

    def __init__(self, graph: PropagationGraph) -> None:
        make = RecoveringPropagation
        self.made = {each: make(each, graph.groups, graph, manager="a") for each in graph.groups}
        self.delivered: dict[GroupId, list[str]] = {group: [] for group in graph.groups}
        self.from_c: list[tuple[GroupId, Event]] = []

    def step(self, *waiting: tuple[GroupId, Event]) -> None:
        due = [*waiting]
        while due:
            group, event = due.pop(0)
            for effect in self.made[group].step(event):
                match effect:
                    case Send(target, number, message):
                        packets = self.from_c if group == "c" else due
                        packets.append((target, Received(group, number, message)))
                    case Deliver(multicast):
                        self.delivered[group].append(str(multicast.id))
                    case Rollback(seq):
                        del self.delivered[group][seq:]


def test_what_only_a_failed_group_has_is_kept_although_its_client_is_done_with_it() -> None:
    groups = Slowly(PropagationGraph.generate("abc", ("abc", "c"), "c"))
    groups.step(("c", Submitted(Multicast(MessageId("x", 1), tuple("abc")), 1)))
    groups.step(("c", Submitted(Multicast(MessageId("y", 1), ("c",)), 1)))
    groups.step(("a", Suspected("c")))
    # Its client has got all replies to y:1, and says so.
    groups.step(("a", Submitted(Multicast(MessageId("y", 2), tuple("abc")), 2)))
    assert groups.delivered == {"a": ["y:2"], "b": ["y:2"], "c": ["x:1", "y:1"]}
    groups.step(("a", Trusted("c")))
    groups.step(*groups.from_c)
    both = ["y:2", "x:1"]
    assert groups.delivered == {"a": both, "b": both, "c": [*both, "y:1"]}
