"""Planted faults in what is delivered: too much, too little, twice, taken back."""

from __future__ import annotations

import pytest
from small_histories import deliver, run

from amcast.check import Finding, History, check
from amcast.core import InvalidInput

ONE = {"c1:1": "g1"}
TWO = {"c1:1": "g1", "c2:1": "g1"}


def witnesses(history: History) -> dict[str, str | None]:
    """Of the properties that are violated."""
    found = check(history).properties
    return {name: one.witness for name, one in found.items() if one.verdict == "violated"}


def test_a_duplicate() -> None:
    assert witnesses(run(ONE, {"g1/0": "c1:1 c1:1"})) == {
        "integrity": "g1/0 delivers c1:1 at two positions"
    }


def test_two_messages_at_one_position() -> None:
    history = run(TWO, {"g1/0": "c1:1"})
    deliver(history, "g1/0", "c2:1")
    # Nothing else is wrong: both are delivered.
    assert witnesses(history) == {"integrity": "g1/0 delivers both c1:1 and c2:1 at 0"}


def test_a_message_that_nobody_multicast() -> None:
    assert witnesses(run(ONE, {"g1/0": "c1:1 c9:9"})) == {
        "integrity": "g1/0 delivers c9:9, which nobody multicast"
    }


def test_a_message_for_another_group() -> None:
    assert witnesses(run(ONE, {"g1/0": "c1:1", "g2/0": "c1:1"})) == {
        "integrity": "g2/0 delivers c1:1, which is addressed to g1"
    }


def test_replayed_rows_are_ignored() -> None:
    history = run(TWO, {"g1/0": "c1:1 c2:1"})
    deliver(history, "g1/0", "c1:1 c2:1", at_us=9)
    assert witnesses(history) == {}
    assert check(history).deliveries == 4


def test_a_hole() -> None:
    history = run(ONE, {})
    deliver(history, "g1/0", "c1:1", first=1)
    assert witnesses(history) == {
        "agreement": "g1/0 delivers something after position 0, which nobody of g1 delivers: a hole"
    }


def test_positions_that_a_snapshot_skipped_count_as_delivered() -> None:
    history = run(TWO, {"g1/0": "c1:1 c2:1"})
    deliver(history, "g1/1", "c2:1", first=1)
    assert witnesses(history) == {}


def test_a_missing_delivery() -> None:
    history = run({"c1:1": "g1 g2"}, {"g1/0": "c1:1", "g2/0": ""})
    assert witnesses(history) == {
        "validity": "c1:1 is not delivered at g2/0",
        "agreement": "c1:1 is delivered at g1/0 but not at g2/0",
    }


def test_a_destination_that_is_never_seen_is_a_silent_process() -> None:
    history = run({"c1:1": "g1 g2"}, {"g1/0": "c1:1"})
    assert witnesses(history)["validity"] == "c1:1 is not delivered at g2/0"


def test_a_crashed_process_need_not_deliver() -> None:
    history = run(ONE, {"g1/0": "c1:1", "g1/1": "c1:1", "g1/2": ""})
    history.add_fault("g1/2", "crash", 5)
    assert witnesses(history) == {}
    history.add_fault("g1/2", "restart", 6)
    assert witnesses(history)["agreement"] == "c1:1 is delivered at g1/0 but not at g1/2"


def test_a_delivery_before_a_crash_counts() -> None:
    history = run(ONE, {"g1/0": "c1:1", "g1/1": "", "g1/2": ""})
    history.add_fault("g1/0", "crash", 5)
    assert witnesses(history)["agreement"] == "c1:1 is delivered at g1/0 but not at g1/1"


def test_a_crashed_sender_owes_nothing_but_agreement_stays() -> None:
    history = run({"c1:1": "g1 g2", "c1:2": "g1"}, {"g1/0": "c1:1", "g2/0": ""})
    history.add_fault("c1", "crash", 5)
    assert witnesses(history) == {"agreement": "c1:1 is delivered at g1/0 but not at g2/0"}


def test_a_group_without_majority_owes_nothing() -> None:
    history = run({"c1:1": "g1 g2"}, {"g1/0": "c1:1", "g2/0": "", "g2/1": ""})
    history.add_fault("g2/1", "crash", 5)
    assert witnesses(history) == {}


def test_what_is_missing_in_an_incomplete_run_is_unknown() -> None:
    history = run({"c1:1": "g1 g2"}, {"g1/0": "c1:1"}, complete=False)
    found = check(history).properties
    for name in ("validity", "agreement"):
        assert found[name] == Finding(
            "unknown", required=True, witness="the run was stopped before it was quiet"
        )
    assert check(history).ok


def test_an_incomplete_run_that_lacks_nothing_holds() -> None:
    found = check(run(ONE, {"g1/0": "c1:1"}, complete=False)).properties
    assert (found["validity"].verdict, found["agreement"].verdict) == ("holds", "holds")


def test_a_rollback_replaces_the_tail() -> None:
    history = run(TWO, {"g1/1": "c1:1 c2:1"})
    deliver(history, "g1/0", "c2:1 c1:1", at_us=1)
    assert "acyclic_order" in witnesses(history)
    history.add_fault("g1/0", "rollback", 2, seq=0)
    deliver(history, "g1/0", "c1:1 c2:1", at_us=2)
    assert witnesses(history) == {}


def test_a_rollback_leaves_what_is_before_it() -> None:
    history = run(TWO, {"g1/0": "c1:1 c2:1"})
    history.add_fault("g1/0", "rollback", 2, seq=1)
    assert witnesses(history) == {"validity": "c2:1 is not delivered at g1/0"}


def test_a_rollback_without_a_position_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"the rollback of g1/0 has no seq"):
        History().add_fault("g1/0", "rollback", 1)


def test_a_packet_outside_the_destinations() -> None:
    history = run({"c1:1": "g1 g2"}, {"g1/0": "c1:1", "g2/0": "c1:1"})
    assert check(history).properties["genuineness"].witness == "the trace has no packets"
    history.add_packet(None, "g1", ["c1:1"])
    history.add_packet("g1", "g2", ["c1:1"])
    assert check(history).properties["genuineness"] == Finding("holds")
    history.add_packet("g1", "g3", ["c1:1"])
    assert witnesses(history) == {
        "genuineness": "a packet from g1 to g3 is about c1:1, which is addressed to g1, g2",
        "minimality": "a packet from g1 to g3 is about c1:1, which is addressed to g1, g2, "
        "and no message is for g3 or from there",
    }


def test_who_is_a_destination_of_some_message_may_help_with_others() -> None:
    history = run({"c1:1": "g1 g2", "c2:1": "g3"}, {"g1/0": "c1:1", "g2/0": "c1:1", "g3/0": "c2:1"})
    assert check(history).properties["minimality"].witness == "the trace has no packets"
    history.add_packet("g1", "g3", ["c1:1"])
    history.add_packet("g1", "g4", [])
    assert list(witnesses(history)) == ["genuineness"]
    assert check(history).properties["minimality"] == Finding("holds")


def test_a_message_that_nobody_multicast_may_have_been_for_anybody() -> None:
    history = run({"c1:1": "g1"}, {"g1/0": "c1:1"})
    history.add_packet("g1", "g2", ["c2:1"])
    assert check(history).properties["minimality"] == Finding(
        "unknown", witness="nobody multicast c2:1: g2 may be a destination of it"
    )


def test_the_home_of_the_sender_may_help() -> None:
    history = History()
    history.add_multicast("c1:1", "c1", ("g1",), home="g3")
    deliver(history, "g1/0", "c1:1")
    history.add_packet("g3", "g1", ["c1:1"])
    assert check(history).properties["genuineness"] == Finding("holds")
