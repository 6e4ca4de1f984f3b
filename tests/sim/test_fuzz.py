"""Random schedules: the same seed is the same schedule, and none breaks a protocol."""

from __future__ import annotations

import pytest

from amcast.protocols import PROTOCOLS
from amcast.scenarios import fuzz
from amcast.sim.story import Story
from tests.mutants.catalogue import MUTANTS

SEEDS = range(1, 401)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_random_schedules_keep_all_promises(protocol: str) -> None:
    failures = [str(failure) for seed in SEEDS if (failure := fuzz(protocol, seed))]
    assert failures == []


def test_the_same_seed_is_the_same_failure() -> None:
    first, second = MUTANTS[0].hunt(), MUTANTS[0].hunt()
    assert first == second


def test_a_failure_is_printed_as_a_story_that_can_be_kept() -> None:
    failure = MUTANTS[0].hunt()
    assert failure is not None
    assert str(failure).startswith("# protocol skeen\n# violates prefix_order: ")
    assert Story.parse(str(failure)) == failure.story


def test_minimising_leaves_a_story_of_a_few_lines() -> None:
    lengths = [len(failure.story.lines) for mutant in MUTANTS if (failure := mutant.hunt())]
    assert len(lengths) == sum(not mutant.scripted for mutant in MUTANTS)
    assert sorted(lengths)[len(lengths) // 2] <= 8
    assert max(lengths) <= 40
