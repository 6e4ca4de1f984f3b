"""Random schedules: the same seed is the same schedule, and none breaks a protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from amcast.core import InvalidInput, Multicast
from amcast.protocols import PROTOCOLS, Protocol, protocol_named
from amcast.protocols.ang import Ang
from amcast.protocols.generic import GenericMulticast, share_a_key
from amcast.protocols.skeen import Skeen
from amcast.scenarios import fuzz, fuzz_protocol
from amcast.scenarios.small_worlds import fuzz_faults_protocol
from amcast.sim import Failure
from amcast.sim.story import Story, broken_promises, play
from tests.mutants.catalogue import MUTANTS
from tests.mutants.logs import AngUnsorted

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
    assert len(lengths) == len(MUTANTS)
    assert sorted(lengths)[len(lengths) // 2] <= 8
    assert max(lengths) <= 40


def first_failure(protocol: Protocol, options: dict[str, str] | None = None) -> Failure | None:
    found = (fuzz_protocol(protocol, seed, options) for seed in SEEDS)
    return next((failure for failure in found if failure is not None), None)


def wrong_at(eta: int) -> Protocol:
    """A_ng that forgets to sort its bundles, but only with this eta."""

    def make(group: str, groups: tuple[str, ...], *, bundles: str, **paced: Any) -> Ang:
        return (AngUnsorted if paced["eta"] == eta else Ang)(group, groups, **paced)

    return replace(protocol_named("ang"), process=make)


def test_options_are_drawn_and_named() -> None:
    failure = first_failure(wrong_at(eta=3))
    assert failure is not None
    assert "option eta=3" in failure.setup
    assert str(failure).startswith(f"# {failure.setup}\n")
    assert fuzz_protocol(wrong_at(eta=3), failure.seed, {}) is None


def test_half_of_the_seeds_keep_the_defaults() -> None:
    failure = first_failure(wrong_at(eta=1))
    assert failure is not None
    assert failure.setup == "protocol ang"


def test_options_that_are_given_are_not_drawn() -> None:
    assert first_failure(wrong_at(eta=3), {"eta": "2"}) is None
    failure = first_failure(wrong_at(eta=3), {"eta": "3"})
    assert failure is not None
    assert failure.setup == "protocol ang option eta=3"


def test_bad_times_have_options_as_well() -> None:
    found = (fuzz_faults_protocol(wrong_at(eta=3), seed, {"eta": "3"}) for seed in SEEDS)
    failure = next(failure for failure in found if failure is not None)
    assert str(failure).startswith("# protocol ang option eta=3\n")


@pytest.mark.parametrize("wrong", [{"eta": "2"}, {"global_order": "maybe"}])
def test_options_that_make_no_sense_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="option"):
        fuzz("skeen", 1, wrong)


def test_an_option_is_held_to_what_it_adds() -> None:
    """Plain Skeen does not keep the order of real time."""

    def make(group: str, groups: tuple[str, ...], **options: Any) -> Skeen:
        return Skeen(group, groups)

    failure = first_failure(replace(protocol_named("skeen"), process=make))
    assert failure is not None
    assert failure.violations[0].startswith("global_order: ")
    assert failure.setup == "protocol skeen option global_order=yes"


def share_the_first_key(one: Multicast, other: Multicast) -> bool:
    both = one.keys and other.keys
    return one.keys[:1] == other.keys[:1] if both else share_a_key(one, other)  # type: ignore[index]


def test_messages_have_keys_where_they_matter() -> None:
    """Without them, this would be Skeen's algorithm."""

    def make(group: str, groups: tuple[str, ...]) -> GenericMulticast:
        return GenericMulticast(group, groups, conflict=share_the_first_key)

    failure = first_failure(replace(protocol_named("generic"), process=make))
    assert failure is not None
    assert " keys a,b" in str(failure)
    story = Story.parse(str(failure))
    world = play(story, lambda group: make(group, story.groups))
    assert broken_promises(world, protocol_named("generic").promises) == failure.violations


def test_large_worlds_may_take_more_steps() -> None:
    """Six groups of three, with rounds that go on all the time."""
    assert fuzz("adt", 700126, {"eta": "1"}) is None
