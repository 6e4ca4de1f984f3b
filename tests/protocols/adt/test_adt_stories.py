"""Golden stories: a round, and a round in which a group is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from amcast.check import violations
from amcast.core import MessageId, Multicast
from amcast.protocols.adt import Adt
from amcast.sim import Story, tell
from amcast.sim.packets import PacketName
from tests.protocols.adt.disaster_runs import PROMISES, DisasterWorld

HERE = Path(__file__).parent
GROUPS = ("g1", "g2", "g3", "g4")


def assert_golden(path: Path, told: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite"):
        path.write_text(told)
    assert path.read_text() == told, "run `make golden` and read the difference"


def test_a_round(request: pytest.FixtureRequest) -> None:
    path = HERE / "round.story"
    text = path.read_text()
    story = Story.parse(text)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    told = tell(story, lambda group: Adt(group, story.groups))
    assert_golden(path, "\n".join(comments) + "\n" + told, request)


def test_a_round_in_which_a_group_is_lost(request: pytest.FixtureRequest) -> None:
    """g4 tells its bundle to all but g2, and crashes. Round 1 still has it; round 2 is without g4.

    g2 hears of the bundle, but not what is in it, until another group suspects g4.
    """
    world = DisasterWorld(Adt, GROUPS)
    world.multicast(Multicast(MessageId("c1", 1), ("g1", "g4")), home="g1")
    world.multicast(Multicast(MessageId("c2", 1), ("g1", "g2")), home="g4")
    for name in (
        PacketName("c1", "g1", "submit", "c1:1"),
        PacketName("c2", "g4", "submit", "c2:1"),
        PacketName("g4", "g1", "tell", "c2:1"),
        PacketName("g4", "g3", "tell", "c2:1"),
    ):
        world.arrive(name)
    world.crash_group("g4", lambda: True)
    world.settle()
    assert [str(id) for id in world.delivered["g1"]] == ["c1:1", "c2:1"]
    assert world.delivered["g2"] == []
    world.multicast(Multicast(MessageId("c3", 1), ("g1", "g2")), home="g2")
    world.settle()
    for group in ("g1", "g2", "g3"):
        assert MessageId("c3", 1) not in world.delivered[group]
        world.suspect(group, "g4")
    world.settle()
    assert [str(id) for id in world.delivered["g1"]] == ["c1:1", "c2:1", "c3:1"]
    assert [str(id) for id in world.delivered["g2"]] == ["c2:1", "c3:1"]
    assert world.processes["g1"].state.view == {"g1": 1, "g2": 1, "g3": 1}
    assert violations(world.history, PROMISES) == []
    assert_golden(HERE / "lost_group.txt", "\n".join(world.narrative) + "\n", request)
