"""Golden stories: schedules that a person can follow, told line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from amcast.check import violations
from amcast.protocols import ProcessFactory, Protocol, protocol_named
from amcast.sim import Story, play, tell
from tests.mutants.timestamps import NoClockUpdate

STORIES = sorted(Path(__file__).parent.glob("*.story"))


def read(path: Path) -> tuple[list[str], Story, Protocol, ProcessFactory]:
    """The comments at the top, the story, and the protocol that the first comment names."""
    text = path.read_text()
    comments = [line for line in text.splitlines() if line.startswith("#")]
    story = Story.parse(text)
    protocol, factory = protocol_of(comments[0], story)
    return comments, story, protocol, factory


def protocol_of(comment: str, story: Story) -> tuple[Protocol, ProcessFactory]:
    """What a comment such as `# protocol ang option eta=2` says of the processes."""
    words = comment.split()[1:]
    said = list(zip(words[::2], words[1::2], strict=True))
    options = dict(choice.split("=") for word, choice in said if word == "option")
    protocol = protocol_named(dict(said)["protocol"])
    return protocol, protocol.factory(story.groups, dict(said).get("overlay"), options=options)


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story_is_told_as_written(path: Path, request: pytest.FixtureRequest) -> None:
    comments, story, _, factory = read(path)
    told = "\n".join(comments) + "\n" + tell(story, factory)
    if request.config.getoption("--rewrite"):
        path.write_text(told)
    assert path.read_text() == told, "run `make golden` and read the difference"


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story_ends_well(path: Path) -> None:
    _, story, protocol, factory = read(path)
    world = play(story, factory)
    assert not world.in_flight
    assert not world.timers
    assert violations(world.history, required=protocol.promises) == []


def test_without_the_clock_update_the_same_story_ends_in_a_cycle() -> None:
    _, story, protocol, _ = read(Path(__file__).parent / "skeen-clock-update.story")
    world = play(story, lambda group: NoClockUpdate(group, story.groups))
    assert [str(id) for id in world.delivered["g1"]] == ["c1:1", "c2:1"]
    assert [str(id) for id in world.delivered["g2"]] == ["c2:1", "c1:1"]
    assert "acyclic_order: c1:1 < c2:1 at g1/0, c2:1 < c1:1 at g2/0" in violations(
        world.history, required=protocol.promises
    )
