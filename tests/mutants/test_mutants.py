"""Every known bug is caught, and the README says truly how hard that was."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest

from amcast.check import violations
from amcast.protocols import PROTOCOLS
from amcast.sim.story import play
from tests.groups.group_mutants import GROUP_MUTANTS, GroupMutant
from tests.mutants.__main__ import COLUMNS, group_row, log_rows, markdown, row
from tests.mutants.catalogue import MUTANTS, Mutant

README = Path(__file__).parent.parent.parent / "README.md"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_caught_as_the_readme_says(mutant: Mutant) -> None:
    found = row(mutant)
    assert found[-1] != "NOT CAUGHT"
    assert markdown([found])[-1] in README.read_text().splitlines(), "run `make mutants`"


@pytest.mark.parametrize("mutant", GROUP_MUTANTS, ids=lambda mutant: mutant.what)
def test_mutant_of_groups_is_caught_as_the_readme_says(mutant: GroupMutant) -> None:
    found = group_row(mutant)
    assert found[-1] != "NOT CAUGHT"
    assert markdown([found])[-1] in README.read_text().splitlines(), "run `make mutants`"


def test_readme_tells_of_the_mutants_of_the_log() -> None:
    lines = README.read_text().splitlines()
    assert not [line for line in markdown(log_rows())[2:] if line not in lines]


def test_readme_lists_no_other_mutants() -> None:
    header = f"| {' | '.join(COLUMNS)} |"
    lines = README.read_text().splitlines()
    start = lines.index(header) + 2
    listed = list(takewhile(lambda line: line.startswith("|"), lines[start:]))
    count = len(MUTANTS) + len(GROUP_MUTANTS) + len(log_rows())
    assert len(listed) == count
    assert f"<summary>{count} mutants, all caught</summary>" in lines


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
