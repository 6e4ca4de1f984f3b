"""The fast check says what the definitions say."""

from __future__ import annotations

import property_definitions
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_histories import GROUPS, histories

from amcast.check import PROPERTIES, History, check

MAY_STILL_COME = ("validity", "agreement")


OF_PACKETS = ("genuineness", "minimality")


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name not in OF_PACKETS])
def test_small_histories(name: str) -> None:
    seen: dict[bool, int] = {True: 0, False: 0}

    @settings(max_examples=250, deadline=None, derandomize=True, database=None)
    @given(histories())
    def agrees(history: History) -> None:
        holds = getattr(property_definitions, name)(history)
        seen[holds] += 1
        broken = "violated" if history.complete or name not in MAY_STILL_COME else "unknown"
        assert check(history).properties[name].verdict == ("holds" if holds else broken)

    agrees()
    assert min(seen.values()) >= 20, f"too few good or too few broken histories: {seen}"


@st.composite
def with_packets(draw: st.DrawFn) -> History:
    history = History()
    ends = st.none() | st.sampled_from(GROUPS)
    for number in range(draw(st.integers(1, 3))):
        dst = draw(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2, unique=True))
        history.add_multicast(number, "c1", tuple(dst), home=draw(ends))
    about = st.lists(st.sampled_from(history.ids), max_size=2)
    for _ in range(draw(st.integers(1, 3))):
        history.add_packet(draw(ends), draw(ends), draw(about))
    return history


@pytest.mark.parametrize("name", OF_PACKETS)
def test_small_histories_with_packets(name: str) -> None:
    seen: dict[bool, int] = {True: 0, False: 0}

    @settings(max_examples=250, deadline=None, derandomize=True, database=None)
    @given(with_packets())
    def agrees(history: History) -> None:
        holds = getattr(property_definitions, name)(history)
        seen[holds] += 1
        assert check(history).properties[name].verdict == ("holds" if holds else "violated")
        assert property_definitions.minimality(history) or name != "genuineness" or not holds

    agrees()
    assert min(seen.values()) >= 20, f"too few good or too few broken histories: {seen}"


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(histories(replicas=3))
def test_witnesses_are_true(history: History) -> None:
    """Every `m < n at p` in a witness is so, and the clauses make a cycle."""
    orders = {
        process: [str(history.ids[m]) for m in order]
        for process, (_, order) in property_definitions.orders(history).items()
    }
    for name in ("acyclic_order", "conflict_order"):
        witness = check(history).properties[name].witness
        clauses = [clause.split() for clause in witness.split(", ")] if witness else []
        for (m, _, n, _, process), following in zip(
            clauses, clauses[1:] + clauses[:1], strict=True
        ):
            assert orders[process].index(m) < orders[process].index(n)
            assert n == following[0]


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(histories())
def test_stronger_properties_imply_weaker_ones(history: History) -> None:
    found = {name: finding.verdict for name, finding in check(history).properties.items()}
    assert found["global_order"] == "violated" or found["acyclic_order"] == "holds"
    assert found["acyclic_order"] == "violated" or found["conflict_order"] == "holds"
    assert history.has_keys or found["acyclic_order"] == found["conflict_order"]
