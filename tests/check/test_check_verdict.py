"""What is required, and several runs as one."""

from __future__ import annotations

import msgspec
import pytest
from small_histories import run

from amcast.check import PROPERTIES, History, check, merge, violations
from amcast.core import InvalidInput

SWAPPED = "acyclic_order: c1:1 < c2:1 at g1/0, c2:1 < c1:1 at g2/0"


def swapped() -> History:
    return run({"c1:1": "g1 g2", "c2:1": "g1 g2"}, {"g1/0": "c1:1 c2:1", "g2/0": "c2:1 c1:1"})


def test_an_unknown_protocol_promises_the_usual() -> None:
    required = [name for name, found in check(History()).properties.items() if found.required]
    assert required == ["integrity", "validity", "agreement", "prefix_order", "acyclic_order"]


def test_all_properties_are_there_in_order() -> None:
    assert tuple(check(History()).properties) == PROPERTIES


def test_an_empty_run_is_good() -> None:
    verdict = check(History())
    assert (verdict.ok, verdict.messages, verdict.deliveries) == (True, 0, 0)


def test_only_promises_are_held_against_a_run() -> None:
    assert not check(swapped()).ok
    assert check(swapped(), required=["integrity"]).ok
    assert violations(swapped(), ["integrity"]) == []
    assert violations(swapped(), ["acyclic_order"]) == [SWAPPED]
    assert [sentence.split(":")[0] for sentence in violations(swapped())] == [
        "prefix_order",
        "acyclic_order",
    ]


def test_a_promise_without_a_meaning_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"there is no property 'speed' to require: use integ"):
        check(History(), required=["speed"])


def test_violated_outweighs_unknown_outweighs_holds() -> None:
    good, cut, bad = History("a"), run({"c1:1": "g1"}, {}, complete=False), swapped()
    cut.run, bad.run = "b", "c"
    merged = merge(check(history) for history in (good, cut, bad))
    assert merged["properties"]["integrity"]["verdict"] == "holds"
    assert merged["properties"]["validity"] == {
        "verdict": "unknown",
        "required": True,
        "witness": "b: the run was stopped before it was quiet",
    }
    assert merged["properties"]["acyclic_order"] == {
        "verdict": "violated",
        "required": True,
        "witness": f"c: {SWAPPED.partition(': ')[2]}",
    }
    assert (merged["runs"], merged["messages"], merged["deliveries"]) == (3, 3, 4)
    assert [one["run"] for one in merged["per_run"]] == ["a", "b", "c"]
    assert msgspec.json.decode(msgspec.json.encode(merged)) == merged


def test_a_promise_of_one_run_is_not_held_against_another() -> None:
    merged = merge([check(swapped(), required=[]), check(History())])
    assert merged["properties"]["acyclic_order"]["required"] is False


def test_a_process_of_two_groups_is_refused() -> None:
    history = run({"c1:1": "g1"}, {"g1/0": "c1:1"})
    with pytest.raises(InvalidInput, match="a process belongs to one group"):
        history.add_delivery("g1/0", "g2", 1, "c1:1")


def test_an_id_that_names_two_messages_is_refused() -> None:
    history = run({"c1:1": "g1"}, {})
    with pytest.raises(InvalidInput, match="give every message its own id"):
        history.add_multicast("c1:1", "c1", ("g2",))
