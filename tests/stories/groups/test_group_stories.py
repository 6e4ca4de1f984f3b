"""Golden stories of replicated groups: who says, writes and does what, one packet at a time."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from amcast.check import violations
from amcast.protocols import Protocol, protocol_named
from tests.groups.group_mutants import GROUP_MUTANTS
from tests.stories.groups.hosts import outbox
from tests.stories.groups.narrator import Narrator
from tests.stories.groups.world import GroupWorld

STORIES = sorted(Path(__file__).parent.glob("*.story"))


def script_of(path: Path) -> tuple[Protocol, list[str]]:
    """The protocol that the first line names, and all lines but those that were told."""
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "|"]
    return protocol_named(lines[0].split()[-1]), lines


def play(path: Path) -> tuple[GroupWorld, str]:
    """The world in the end, and the story as it is told now."""
    protocol, lines = script_of(path)
    (heading,) = (line for line in lines if line.startswith("groups "))
    groups = tuple(heading.split()[1:])
    narrator = Narrator(groups, protocol.factory(groups))
    told: list[str] = []
    for line in lines:
        # Remarks stand in front of what they are about.
        told += [line] if not told or told[-1][0] == "#" else ["", line]
        if line[0] != "#" and line != heading:
            told += [f"| {sentence}" for sentence in narrator.play(line)]
    told.append("")
    told += [
        f"| {name} delivered {' '.join(str(id) for id in ids) or 'nothing'}"
        for name, ids in narrator.world.delivered.items()
    ]
    return narrator.world, "\n".join(told) + "\n"


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story_is_told_as_written(path: Path, request: pytest.FixtureRequest) -> None:
    _, told = play(path)
    if request.config.getoption("--rewrite"):
        path.write_text(told)
    assert path.read_text() == told, "run `make golden` and read the difference"


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story_ends_well(path: Path) -> None:
    protocol, _ = script_of(path)
    world, _ = play(path)
    assert not world.in_flight
    for host in world.hosts.values():
        assert host.member is not None
        assert outbox(host.member) == {}, "nobody needs it any more"
    history = world.record.history
    history.complete = True
    assert violations(history, required=protocol.promises) == []
    assert len({tuple(ids) for ids in world.delivered.values()}) == 1


def test_without_sending_again_the_same_story_leaves_something_behind() -> None:
    (mutant,) = (
        each for each in GROUP_MUTANTS if each.what.startswith("A new leader does not send")
    )
    with mutant.in_place():
        world, told = play(Path(__file__).parent / "leader-dies.story")
    member = world.hosts["g1/0"].member
    assert member is not None
    assert member.leading
    assert outbox(member) == {("g2", 1): "timestamp(c1:1, 1)"}
    assert "g2/0 receives timestamp(c1:1, 1) from g1/0" not in told


def test_the_page_quotes_the_story() -> None:
    page = (Path(__file__).parents[3] / "docs" / "replication.md").read_text()
    story = (Path(__file__).parent / "leader-dies.story").read_text()
    blocks = re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)
    quotes = [textwrap.dedent(block) for block in blocks if "    | " in block]
    assert len(quotes) == 4
    assert [quote for quote in quotes if quote not in story] == []
