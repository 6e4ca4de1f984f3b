"""The paper's Figure 3, told line by line, and schedules that show what its pseudo-code lacks."""

from __future__ import annotations

from pathlib import Path

import flexcast_mutants
import pytest
from flexcast_mutants import unguarded, with_paper_rule
from flexcast_runs import PROMISES

from amcast.check import violations
from amcast.protocols.flexcast import FlexCast
from amcast.sim.story import Story, play, tell
from amcast.sim.world import World

FOLDER = Path(__file__).parent / "stories"
FIGURES = sorted(FOLDER.glob("figure-*.story"))
# Our own rule would not ask twice here.
PAPER_RULE = ("ce03-two-notifs",)


def play_with(process: type[FlexCast], story: Story) -> World:
    return play(story, lambda group: process(group, story.groups))


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_figure_is_told_as_written(path: Path, request: pytest.FixtureRequest) -> None:
    text = path.read_text()
    comments = [line for line in text.splitlines() if line.startswith("#")]
    story = Story.parse(text)
    told = "\n".join(comments) + "\n" + tell(story, lambda group: FlexCast(group, story.groups))
    if request.config.getoption("--rewrite"):
        path.write_text(told)
    assert path.read_text() == told


@pytest.mark.parametrize(
    ("name", "last"), [("3a", "m:1 m:3"), ("3b", "m:1 m:2"), ("3c", "m:1 m:3")]
)
def test_figure_ends_as_in_the_paper(name: str, last: str) -> None:
    world = play_with(FlexCast, Story.parse((FOLDER / f"figure-{name}.story").read_text()))
    assert " ".join(map(str, world.delivered["c"])) == last
    assert violations(world.history, required=PROMISES) == []


WITNESSES = {
    "ce01-early-ack": "validity: m:1 is not delivered at g2/0",
    "ce02-higher-group": "validity: m:1 is not delivered at g1/0",
    "ce03-two-notifs": "validity: n:2 is not delivered at g3/0",
    "ce04-answer-per-group": (
        "acyclic_order: m:1 < y:1 at g3/0, y:1 < x:1 at g2/0, x:1 < m:1 at g1/0"
    ),
    "ce05-hearsay": (
        "acyclic_order: w:1 < x:1 at g0/0, x:1 < m:1 at g1/0, m:1 < y:1 at g3/0, y:1 < w:1 at g2/0"
    ),
    "ce06-answer-per-pair": (
        "acyclic_order: m:1 < y:1 at g4/0, y:1 < w:2 at g3/0, w:2 < x:1 at g2/0, x:1 < m:1 at g1/0"
    ),
    "ce07-vertices-only": "acyclic_order: a:1 < b:1 at g2/0, b:1 < a:1 at g3/0",
    "ce07-own-only": ("acyclic_order: a:1 < b:1 at g0/0, b:1 < c:1 at g1/0, c:1 < a:1 at g2/0"),
    "ce08-hasty-answer": ("acyclic_order: w:1 < m:1 at g1/0, m:1 < y:1 at g3/0, y:1 < w:1 at g2/0"),
    "ce09-clear-all": ("acyclic_order: w:1 < x:1 at g0/0, x:1 < v:1 at g2/0, v:1 < w:1 at g3/0"),
    "ce10-answer-after-flush": (
        "acyclic_order: w:1 < u:1 at g2/0, u:1 < n:1 at g0/0, n:1 < y:1 at g4/0, y:1 < w:1 at g3/0"
    ),
}


def counterexample(name: str) -> tuple[type[FlexCast], type[FlexCast], Story]:
    """The mutant of a story, the right protocol beside it, and the story."""
    text = (FOLDER / f"{name}.story").read_text()
    mutant: type[FlexCast] = getattr(flexcast_mutants, text.split()[2])
    story = Story.parse(text)
    if name in PAPER_RULE:
        return with_paper_rule(mutant), with_paper_rule(FlexCast), story
    return mutant, FlexCast, story


def test_every_counterexample_is_here() -> None:
    assert sorted(WITNESSES) == sorted(path.stem for path in FOLDER.glob("ce*.story"))


@pytest.mark.parametrize("name", WITNESSES)
def test_the_published_error_shows(name: str) -> None:
    mutant, _, story = counterexample(name)
    world = play_with(unguarded(mutant), story)
    assert WITNESSES[name] in violations(world.history, required=PROMISES)


@pytest.mark.parametrize("name", WITNESSES)
def test_the_same_schedule_ends_well_without_the_error(name: str) -> None:
    _, right, story = counterexample(name)
    world = play_with(right, story)
    assert not world.in_flight
    assert violations(world.history, required=PROMISES) == []


@pytest.mark.parametrize(
    ("name", "invariant"),
    [
        ("ce04-answer-per-group", "g3: the past of a delivered message grows"),
        ("ce06-answer-per-pair", "g4: the past of a delivered message grows"),
        ("ce10-answer-after-flush", "g2: a flush forgets a question"),
    ],
)
def test_an_invariant_notices_before_users_do(name: str, invariant: str) -> None:
    mutant, _, story = counterexample(name)
    with pytest.raises(AssertionError, match=invariant):
        play_with(mutant, story)
