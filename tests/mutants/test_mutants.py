"""Every known bug is caught, and the README says truly how hard that was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from amcast.check import violations
from amcast.protocols import PROTOCOLS
from amcast.sim.story import play
from tests.mutants.__main__ import COLUMNS, markdown, row
from tests.mutants.catalogue import MUTANTS, Mutant

README = Path(__file__).parent.parent.parent / "README.md"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_caught_as_the_readme_says(mutant: Mutant) -> None:
    found = row(mutant)
    assert found[-1] != "NOT CAUGHT"
    assert markdown([found])[-1] in README.read_text().splitlines(), "run `make mutants`"


def test_readme_lists_no_other_mutants() -> None:
    header = f"| {' | '.join(COLUMNS)} |"
    lines = README.read_text().splitlines()
    start = lines.index(header) + 2
    listed = [line for line in lines[start:] if re.match(r"\|", line)]
    assert len(listed) == len(MUTANTS)
    assert f"<summary>{len(MUTANTS)} mutants, all caught</summary>" in lines


@pytest.mark.parametrize(
    "mutant", [mutant for mutant in MUTANTS if not mutant.scripted], ids=lambda mutant: mutant.name
)
def test_minimised_story_fails_when_it_is_played_again(mutant: Mutant) -> None:
    failure = mutant.hunt()
    assert failure is not None
    words = failure.setup.split()
    overlay = words[3] if len(words) > 2 else None
    factory = mutant.as_protocol.factory(failure.story.groups, overlay)
    if failure.violations[0].startswith("crash"):
        with pytest.raises((AssertionError, LookupError, RuntimeError)):
            play(failure.story, factory)
    else:
        world = play(failure.story, factory)
        again = violations(world.history, required=mutant.as_protocol.promises)
        assert tuple(again) == failure.violations


def test_every_protocol_has_mutants() -> None:
    assert {mutant.protocol for mutant in MUTANTS} == set(PROTOCOLS)
