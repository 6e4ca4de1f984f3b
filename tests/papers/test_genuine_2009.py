"""Schiper, Sutra and Pedone, "Genuine versus non-genuine atomic multicast" (2009): Figure 1."""

from __future__ import annotations

import pytest

from amcast.lab.model_costs import FIGURE_1, Analysis, cost_of_one
from amcast.protocols import protocol_named

CLAIMS = ("figure 1", "figure 1, delays", "section 4", "section 7.4")
LATENCIES = "tests/protocols/test_latency_claims.py"
ELSEWHERE = {
    "figure 1, delays": (
        "tests/lab/test_model.py::test_the_delays_of_figure_1_are_those_of_a_message_alone"
    ),
    "section 4": f"{LATENCIES}::test_rounds_that_overlap_take_what_the_formula_says",
    "section 7.4": (
        f"{LATENCIES}::test_local_messages_wait_in_a_convoy_unless_they_bypass_timestamps"
    ),
}


@pytest.mark.parametrize("line", FIGURE_1, ids=lambda line: line.protocol)
def test_figure_1_genuine_and_tolerant_to_disasters(line: Analysis) -> None:
    protocol = protocol_named(line.protocol)
    assert (protocol.genuine is True) == line.genuine
    assert ("group" in protocol.tolerates and "each group" not in protocol.tolerates) == (
        line.tolerates_disasters
    )


@pytest.mark.parametrize("line", FIGURE_1, ids=lambda line: line.protocol)
def test_figure_1_messages_grow_as_printed(line: Analysis) -> None:
    """Doubling k, or n where all groups take part, multiplies them by 2 to the printed power."""
    genuine = line.genuine
    few, many = (
        cost_of_one(line.protocol, size if genuine else 2, 16 if genuine else size).messages
        for size in (8, 16)
    )
    power = POWERS[line.messages]
    # The paper counts one broadcast of each group; with an acknowledgement of each group to
    # each bundle, as generic broadcast needs them, there are n times as many (see the page).
    power += line.protocol == "adt"
    assert many / few < 2**power * 1.2
    if line.protocol != "genuine-dt":
        # The model has fewer messages than the protocol that it stands for.
        assert many / few > 2 ** (power - 0.5)


POWERS = {"O(k d²)": 1, "O(k² d²)": 2, "O(n²)": 2, "O(k³ d³)": 3}
