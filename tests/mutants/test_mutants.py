"""Every known bug is caught, and the README says truly how hard that was."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest

from amcast.check import violations
from amcast.protocols import PROTOCOLS
from amcast.sim.story import play
from tests.consensus.mutants import complaints_about
from tests.groups.group_mutants import GROUP_MUTANTS, GroupMutant
from tests.mutants.__main__ import ALL, COLUMNS, NOT_CAUGHT, markdown, row, specimen_row
from tests.mutants.catalogue import MUTANTS, Mutant
from tests.mutants.errors import ERRORS, FORMULA_TESTS, RETENTION_MUTANTS, error_of_group_mutant
from tests.mutants.own_worlds import SPECIMENS
from tests.mutants.replicated_log import LOG_SPECIMENS, RULES
from tests.mutants.specimen import SCRIPT, Specimen

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"


def listed() -> list[tuple[str, ...]]:
    """The rows of the table in the README."""
    lines = README.read_text().splitlines()
    start = lines.index(f"| {' | '.join(COLUMNS)} |") + 2
    rows = takewhile(lambda line: line.startswith("|"), lines[start:])
    return [tuple(cell.strip() for cell in line.split(" | ")) for line in rows]


LISTED = {(line[0].removeprefix("| "), line[1]): line[3] for line in listed()}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_caught_as_the_readme_says(mutant: Mutant) -> None:
    found = row(mutant)
    assert found[-1] != NOT_CAUGHT
    assert markdown([found])[-1] in README.read_text().splitlines(), "run `make mutants`"


@pytest.mark.parametrize("mutant", GROUP_MUTANTS, ids=lambda mutant: mutant.what)
def test_mutant_of_groups_is_caught_as_the_readme_says(mutant: GroupMutant) -> None:
    found = row(mutant)
    assert found[-1] != NOT_CAUGHT
    assert markdown([found])[-1] in README.read_text().splitlines(), "run `make mutants`"


@pytest.mark.parametrize(
    "specimen", [*SPECIMENS, *LOG_SPECIMENS], ids=lambda specimen: specimen.what
)
def test_mutant_is_caught_by_the_world_that_the_readme_names(specimen: Specimen) -> None:
    """Whether no world before it catches the bug takes too long here: `make mutants` tells."""
    seeds = LISTED.get((specimen.protocol, specimen.what), "")
    assert seeds, "run `make mutants`"
    found = specimen_row(specimen, specimen.replay(seeds))
    assert found[-1] != NOT_CAUGHT, "run `make mutants`"
    assert markdown([found])[-1] in README.read_text().splitlines(), "run `make mutants`"


def test_worlds_that_catch_mutants_of_the_log_are_good_without_them() -> None:
    for specimen in LOG_SPECIMENS:
        seeds = LISTED.get((specimen.protocol, specimen.what), SCRIPT)
        assert seeds == SCRIPT or complaints_about(int(seeds)) == []


def test_rules_hold_without_mutants() -> None:
    for rule in RULES.values():
        rule()


def test_specimen_that_nothing_catches_is_reported() -> None:
    for quiet in (
        Specimen("fine", "skeen", world=lambda seed: ()),
        Specimen("f", "s", script=list),
    ):
        assert quiet.hunt() is None
        assert specimen_row(quiet, quiet.hunt())[-1] == NOT_CAUGHT


def test_readme_lists_no_other_mutants() -> None:
    assert len(listed()) == len(ALL)
    lines = README.read_text().splitlines()
    assert f"<summary>{len(ALL)} mutants, all caught</summary>" in lines


def test_every_published_error_is_held_by_a_mutant_or_the_test_of_a_formula() -> None:
    tags = [mutant.error for mutant in (*MUTANTS, *SPECIMENS, *LOG_SPECIMENS)]
    tags += [error_of_group_mutant(mutant) for mutant in GROUP_MUTANTS]
    assert {*tags, *FORMULA_TESTS} - {""} == set(ERRORS)
    assert not {*tags} & {*FORMULA_TESTS}


def test_tests_of_formulas_and_mutants_of_retention_exist() -> None:
    for where in FORMULA_TESTS.values():
        path, _, name = where.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text(), where
    assert {*RETENTION_MUTANTS} <= {mutant.what for mutant in GROUP_MUTANTS}


@pytest.mark.parametrize("error", ERRORS)
def test_every_published_error_is_documented(error: str) -> None:
    assert f"| {error} |" in (ROOT / "docs" / "errors.md").read_text()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
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
