"""An isolated message takes exactly the delays and messages that theory says."""

from __future__ import annotations

import pytest

from amcast.core import GroupId
from amcast.overlays import Tree
from amcast.protocols import protocol_named
from tests.protocols.harness import GROUPS, destination_sets
from tests.protocols.one_message import cost_of_one

BINARY = Tree.binary(GROUPS)


def cost(
    protocol: str, dst: tuple[GroupId, ...], home: GroupId | None, overlay: Tree | None = None
) -> tuple[int, dict[GroupId, float]]:
    """Messages sent, and the delays until each group delivers."""
    return cost_of_one(protocol_named(protocol).factory(GROUPS, overlay), GROUPS, dst, [home])


SETS = destination_sets()
# Each destination tells all others its timestamp, whatever else it does with its own log.
DECENTRALISED = ("skeen", "basecast", "age", "age-star")


@pytest.mark.parametrize("dst", SETS, ids="-".join)
class TestInside:
    """The client is a process of one of the destinations."""

    @pytest.mark.parametrize("protocol", DECENTRALISED)
    def test_decentralised(self, protocol: str, dst: tuple[GroupId, ...]) -> None:
        k = len(dst)
        for home in dst:
            messages, delays = cost(protocol, dst, home)
            assert messages == k * k - 1
            assert max(delays.values()) == (2 if k > 1 else 0)
            if k == 2:
                assert delays == {group: 2 if group == home else 1 for group in dst}

    def test_skeen_coordinator(self, dst: tuple[GroupId, ...]) -> None:
        k = len(dst)
        for home in dst:
            messages, delays = cost("skeen-coordinator", dst, home)
            assert messages == 3 * (k - 1)
            expected = 0 if k == 1 else 2 if k == 2 and home != dst[0] else 3
            assert max(delays.values()) == expected

    def test_two_phase(self, dst: tuple[GroupId, ...]) -> None:
        k = len(dst)
        for home in dst:
            messages, delays = cost("two-phase", dst, home)
            assert messages == 3 * (k - 1)
            assert delays == {group: 0 if k == 1 else 2 if group == home else 3 for group in dst}

    def test_sequencer(self, dst: tuple[GroupId, ...]) -> None:
        centre = GROUPS[0]
        for home in dst:
            messages, delays = cost("sequencer", dst, home)
            assert messages == 1 + len(dst) - (centre in dst) - (home == centre)
            for group in dst:
                assert delays[group] == (home != centre) + (group != centre)

    def test_tree(self, dst: tuple[GroupId, ...]) -> None:
        entry = BINARY.lca(dst)
        for home in dst:
            messages, delays = cost("tree", dst, home, BINARY)
            assert messages == (home != entry) + BINARY.edges_of(dst)
            assert max(delays.values()) == (home != entry) + BINARY.height(dst) - 1

    def test_ang(self, dst: tuple[GroupId, ...]) -> None:
        """One delay, and one more since all others open the round only then."""
        for home in dst:
            messages, delays = cost("ang", dst, home)
            assert messages == len(GROUPS) * (len(GROUPS) - 1)
            assert set(delays.values()) == {2 if len(dst) > 1 else 0}


@pytest.mark.parametrize("dst", SETS, ids="-".join)
class TestOutside:
    """The client belongs to no group."""

    @pytest.mark.parametrize("protocol", DECENTRALISED)
    def test_decentralised(self, protocol: str, dst: tuple[GroupId, ...]) -> None:
        k = len(dst)
        messages, delays = cost(protocol, dst, None)
        assert messages == k * k
        assert set(delays.values()) == {2 if k > 1 else 1}

    def test_skeen_coordinator(self, dst: tuple[GroupId, ...]) -> None:
        k = len(dst)
        messages, delays = cost("skeen-coordinator", dst, None)
        assert messages == 3 * k - 2
        late = 1 if k == 1 else 3
        assert delays == {group: min(late, 2) if group == dst[0] else late for group in dst}

    def test_two_phase(self, dst: tuple[GroupId, ...]) -> None:
        k = len(dst)
        messages, delays = cost("two-phase", dst, None)
        assert messages == 3 * k - 2
        assert delays == {group: 1 if k == 1 else 3 if group == dst[0] else 4 for group in dst}

    def test_sequencer(self, dst: tuple[GroupId, ...]) -> None:
        centre = GROUPS[0]
        messages, delays = cost("sequencer", dst, None)
        assert messages == 1 + len(dst) - (centre in dst)
        assert delays == {group: 1 if group == centre else 2 for group in dst}

    def test_tree(self, dst: tuple[GroupId, ...]) -> None:
        messages, delays = cost("tree", dst, None, BINARY)
        assert messages == 1 + BINARY.edges_of(dst)
        assert max(delays.values()) == BINARY.height(dst)

    def test_ang(self, dst: tuple[GroupId, ...]) -> None:
        messages, delays = cost("ang", dst, None)
        assert messages == 1 + len(GROUPS) * (len(GROUPS) - 1)
        assert set(delays.values()) == {3 if len(dst) > 1 else 1}
