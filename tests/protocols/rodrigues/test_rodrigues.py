"""Skeen's order, at the price of an agreement."""

from __future__ import annotations

from pathlib import Path

import pytest

from amcast.check import violations
from amcast.core import GroupId
from amcast.protocols.registry import GENUINE_MULTICAST
from amcast.protocols.rodrigues import Rodrigues
from amcast.sim.story import play
from tests.protocols.harness import cost, destination_sets, explore, failures, told_again


@pytest.mark.parametrize("dst", destination_sets(), ids="-".join)
def test_delays_and_messages_from_outside(dst: tuple[GroupId, ...]) -> None:
    """One delay each for the message, the stamps, the proposal and the acceptances.

    k submissions, k(k - 1) stamps, k - 1 proposals; each but the coordinator tells all others.
    """
    k = len(dst)
    messages, delays = cost(Rodrigues, dst, None)
    assert messages == 2 * k * k - k == k + k * (k - 1) + (k - 1) + (k - 1) * (k - 1)
    # Of two destinations, one has proposed, and the other accepts for itself.
    other = 3 if k == 2 else 4
    expected = {group: 4 if group == dst[0] else other for group in dst}
    assert delays == (expected if k > 1 else {dst[0]: 1})


@pytest.mark.parametrize("dst", destination_sets(), ids="-".join)
def test_delays_and_messages_from_inside(dst: tuple[GroupId, ...]) -> None:
    k = len(dst)
    for home in dst:
        messages, delays = cost(Rodrigues, dst, home)
        assert messages == 2 * k * k - k - 1
        last = 0 if k == 1 else 3 if k == 2 and home != dst[0] else 4
        assert max(delays.values()) == last
        if k == 2:
            assert delays == {dst[0]: last, dst[1]: last - 1}


def test_random_schedules() -> None:
    assert failures(Rodrigues, GENUINE_MULTICAST) == []


@pytest.mark.parametrize("inside", [False, True])
def test_every_interleaving(inside: bool) -> None:
    for sets in (("g1,g2", "g1,g2"), ("g1,g2", "g2,g3", "g1,g3")):
        found = explore(Rodrigues, GENUINE_MULTICAST, sets, inside=inside)
        assert found.complete
        assert found.violations == ()


def test_the_golden_story() -> None:
    path = Path(__file__).parent / "rodrigues.story"
    told, story = told_again(path, Rodrigues)
    assert path.read_text() == told
    world = play(story, lambda group: Rodrigues(group, story.groups))
    assert violations(world.history, GENUINE_MULTICAST) == []
