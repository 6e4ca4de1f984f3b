"""Runs that a person can read. A story's own file is what it must come out as."""

from __future__ import annotations

from pathlib import Path

import pytest

from amcast.check import violations
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import Propagation
from amcast.protocols.registry import GENUINE_MULTICAST
from amcast.sim.story import Story, play, tell

HERE = Path(__file__).parent
FIGURE_3 = ("cd", "abc", "bcde", "def", "ef", "bg", "ch", "dj")


@pytest.mark.parametrize(("ties", "rank"), [("paper", "dce"), ("configuration", "")])
def test_figure_3(ties: str, rank: str) -> None:
    text = (HERE / f"figure3_{ties}_ties.story").read_text()
    story = Story.parse(text)
    graph = PropagationGraph.generate(story.groups, FIGURE_3, rank)

    def make(group: str) -> Propagation:
        return Propagation(group, story.groups, graph)

    comments = "".join(line for line in text.splitlines(keepends=True) if line[0] == "#")
    assert comments + tell(story, make) == text
    assert violations(play(story, make).history, GENUINE_MULTICAST) == []
