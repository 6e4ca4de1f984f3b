"""Planted faults in the order, and what the witness says about them."""

from __future__ import annotations

import pytest
from small_histories import deliver, run

from amcast.check import Finding, History, check


def finding(history: History, name: str) -> Finding:
    return check(history).properties[name]


def test_a_good_run_keeps_every_order() -> None:
    history = run({"c1:1": "g1 g2", "c2:1": "g1 g2"}, {"g1/0": "c1:1 c2:1", "g2/0": "c1:1 c2:1"})
    for name in ("prefix_order", "acyclic_order", "conflict_order", "global_order"):
        assert finding(history, name).verdict == "holds"


def test_a_swapped_pair() -> None:
    history = run({"c1:1": "g1 g2", "c2:1": "g1 g2"}, {"g1/0": "c1:1 c2:1", "g2/0": "c2:1 c1:1"})
    witness = "c1:1 < c2:1 at g1/0, c2:1 < c1:1 at g2/0"
    for name in ("acyclic_order", "conflict_order", "global_order"):
        assert finding(history, name) == Finding(
            "violated", required=name == "acyclic_order", witness=witness
        )
    assert finding(history, "prefix_order").witness == (
        "c1:1 without c2:1 before it at g1/0, c2:1 without c1:1 before it at g2/0"
    )


# The examples of the thesis on BaseCast and TreeCast (2019), section 2.3.
THESIS = {"foo:1": "g1", "foo:2": "g1 g2", "var:1": "g2", "var:2": "g1 g2"}


@pytest.mark.parametrize(
    ("at_g1", "at_g2", "verdict"),
    [
        ("foo:1 foo:2 var:2", "foo:2 var:1 var:2", "holds"),
        ("foo:1 foo:2 var:2", "foo:2 var:2 var:1", "holds"),
        ("foo:1 var:2 foo:2", "foo:2 var:2 var:1", "violated"),
    ],
)
def test_delivery_states_of_the_thesis(at_g1: str, at_g2: str, verdict: str) -> None:
    history = run(THESIS, {"g1/0": at_g1, "g2/0": at_g2})
    for name in ("prefix_order", "acyclic_order"):
        assert finding(history, name).verdict == verdict
    for name in ("integrity", "validity", "agreement"):
        assert finding(history, name).verdict == "holds"


def test_a_cycle_over_three_groups_that_no_two_groups_show() -> None:
    history = run(
        {"c1:1": "g1 g3", "c2:1": "g1 g2", "c3:1": "g2 g3"},
        {"g1/0": "c1:1 c2:1", "g2/0": "c2:1 c3:1", "g3/0": "c3:1 c1:1"},
    )
    assert finding(history, "prefix_order").verdict == "holds"
    assert finding(history, "acyclic_order").witness == (
        "c1:1 < c2:1 at g1/0, c2:1 < c3:1 at g2/0, c3:1 < c1:1 at g3/0"
    )


def test_the_witness_skips_messages_in_between() -> None:
    history = run(
        {"c1:1": "g1 g2", "c2:1": "g1", "c2:2": "g2", "c3:1": "g1 g2"},
        {"g1/0": "c1:1 c2:1 c3:1", "g2/0": "c3:1 c2:2 c1:1"},
    )
    assert finding(history, "acyclic_order").witness == ("c1:1 < c3:1 at g1/0, c3:1 < c1:1 at g2/0")


def test_the_witness_is_from_the_smallest_component() -> None:
    big, small = "c1:1 c1:2 c1:3", "c2:1 c2:2"
    everything = dict.fromkeys(f"{big} {small}".split(), "g1 g2")
    history = run(everything, {"g1/0": f"{big} {small}", "g2/0": "c1:3 c1:2 c1:1 c2:2 c2:1"})
    assert finding(history, "acyclic_order").witness == ("c2:1 < c2:2 at g1/0, c2:2 < c2:1 at g2/0")


def test_two_replicas_that_differ() -> None:
    history = run({"c1:1": "g1", "c2:1": "g1"}, {"g1/0": "c1:1 c2:1", "g1/1": "c2:1 c1:1"})
    assert finding(history, "acyclic_order").witness == ("c1:1 < c2:1 at g1/0, c2:1 < c1:1 at g1/1")
    assert finding(history, "prefix_order").verdict == "violated"


def test_a_message_that_one_group_lacks_breaks_only_the_prefix() -> None:
    history = run({"c1:1": "g1 g2", "c2:1": "g1 g2"}, {"g1/0": "c1:1", "g2/0": "c2:1"})
    assert finding(history, "acyclic_order").verdict == "holds"
    assert finding(history, "prefix_order").witness == (
        "c1:1 without c2:1 before it at g1/0, c2:1 without c1:1 before it at g2/0"
    )


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (("a",), ("b",), "holds"),
        (("a", "b"), ("b",), "violated"),
        (("a", "a"), ("a",), "violated"),
        (None, ("b",), "violated"),
        (None, None, "violated"),
        ((), ("b",), "holds"),
        ((), None, "holds"),
    ],
)
def test_only_messages_that_conflict_are_ordered(
    one: tuple[str, ...] | None, other: tuple[str, ...] | None, verdict: str
) -> None:
    history = History()
    history.add_multicast("c1:1", "c1", ("g1", "g2"), keys=one)
    history.add_multicast("c2:1", "c2", ("g1", "g2"), keys=other)
    deliver(history, "g1/0", "c1:1 c2:1")
    deliver(history, "g2/0", "c2:1 c1:1")
    found = finding(history, "conflict_order")
    assert found.verdict == verdict
    assert found.required == (one is not None or other is not None)
    assert finding(history, "acyclic_order").verdict == "violated"


def test_a_delivery_before_a_later_multicast_counts_in_global_order() -> None:
    """g1 delivers c1:1 and only then c2:1 is multicast, yet g2 delivers c2:1 first."""
    history = History()
    history.add_multicast("c1:1", "c1", ("g1", "g2"), at_us=0)
    history.add_multicast("c2:1", "c2", ("g2",), at_us=11)
    deliver(history, "g1/0", "c1:1", at_us=10)
    deliver(history, "g2/0", "c2:1 c1:1", at_us=20)
    assert finding(history, "acyclic_order").verdict == "holds"
    assert finding(history, "global_order").witness == (
        "c1:1 is delivered at g1/0 before c2:1 is multicast, c2:1 < c1:1 at g2/0"
    )


def test_a_delivery_at_the_very_time_of_a_multicast_is_not_before_it() -> None:
    history = History()
    history.add_multicast("c1:1", "c1", ("g1", "g2"), at_us=0)
    history.add_multicast("c2:1", "c2", ("g2",), at_us=10)
    deliver(history, "g1/0", "c1:1", at_us=10)
    deliver(history, "g2/0", "c2:1 c1:1", at_us=20)
    assert finding(history, "global_order").verdict == "holds"


def test_a_delivery_before_its_own_multicast() -> None:
    history = History()
    history.add_multicast("c1:1", "c1", ("g1",), at_us=5)
    deliver(history, "g1/0", "c1:1", at_us=4)
    assert finding(history, "global_order").witness == (
        "c1:1 is delivered at g1/0 before c1:1 is multicast"
    )


def test_times_may_be_as_late_as_a_trace_can_hold() -> None:
    latest = 2**63 - 1
    history = History()
    history.add_multicast("c1:1", "c1", ("g1",), at_us=latest)
    deliver(history, "g1/0", "c1:1", at_us=latest - 1)
    assert finding(history, "global_order").witness == (
        "c1:1 is delivered at g1/0 before c1:1 is multicast"
    )


def test_global_order_needs_times() -> None:
    history = run({"c1:1": "g1"}, {"g1/0": "c1:1"})
    history.has_times = False
    assert finding(history, "global_order") == Finding("unknown", witness="the trace has no times")
    assert finding(history, "acyclic_order").verdict == "holds"
