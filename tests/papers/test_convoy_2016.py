"""Ahmed-Nacer, Sutra and Conan, "The convoy effect in atomic multicast" (2016): equations."""

from __future__ import annotations

import pytest

from amcast.lab.convoy import coordinator_ms, decentralised_ms
from amcast.protocols import protocol_named
from tests.protocols.one_message import cost_of_one

GROUPS = ("g1", "g2", "g3")
DELAY_MS = 100

CLAIMS = (
    "equation 1", "equation 2", "equation 3", "equation 4", "equation 5", "equation 6",
    "algorithm 1", "algorithm 1, line 24", "algorithm 2",
)  # fmt: skip
GENERIC = "tests/protocols/generic/test_generic.py"
CONVOY = "tests/lab/test_convoy.py"
ELSEWHERE = {
    "equation 1": f"{CONVOY}::test_equation_1_is_the_wait_for_a_lock",
    "equation 2": f"{CONVOY}::test_equation_2_equals_its_closed_form",
    "equation 3": f"{CONVOY}::test_equation_3_is_the_chance_of_a_common_destination",
    "equation 5": f"{CONVOY}::test_equation_5_counts_messages_in_a_window_of_two_delays",
    "algorithm 1": "tests/protocols/test_costs.py::TestOutside::test_skeen_coordinator",
    "algorithm 1, line 24": "tests/stories/skeen-clock-update.story",
    "algorithm 2": f"{GENERIC}::test_random_schedules_keep_all_promises",
}


@pytest.mark.parametrize("k", [2, 3])
def test_equation_4_three_delays_and_the_wait_with_a_coordinator(k: int) -> None:
    assert coordinator_ms(0, DELAY_MS, 1) == slowest("skeen-coordinator", k)
    assert coordinator_ms(5, DELAY_MS, 1) > slowest("skeen-coordinator", k)


@pytest.mark.parametrize("k", [2, 3])
def test_equation_6_two_delays_and_the_wait_without_one(k: int) -> None:
    assert decentralised_ms(0, DELAY_MS, 1) == slowest("skeen", k)
    assert decentralised_ms(5, DELAY_MS, 1) > slowest("skeen", k)


def slowest(protocol: str, k: int) -> float:
    """Milliseconds until the last destination delivers, with nobody to wait for."""
    factory = protocol_named(protocol).factory(GROUPS)
    _, delays = cost_of_one(factory, GROUPS, GROUPS[:k], [None])
    return max(delays.values()) * DELAY_MS
