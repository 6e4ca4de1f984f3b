"""Random schedules: nothing that FlexCast promises breaks, and no invariant does."""

from __future__ import annotations

from itertools import chain
from random import Random

import pytest
from flexcast_mutants import with_paper_rule
from flexcast_runs import PROMISES, Outcome, Workload, broken, random_run, random_workload

from amcast.core import GroupId
from amcast.overlays import Ranks
from amcast.protocols.flexcast import FlexCast
from amcast.protocols.flexcast_history import Entry
from amcast.sim.fuzz import fuzz_one
from amcast.sim.world import ProcessFactory

SEEDS = 100
BATCHES = range(0, 2000, SEEDS)


def drawn(seed: int) -> tuple[Workload, Random]:
    """Mostly small, since small runs are odd more often; every tenth with up to ten groups."""
    random = Random(seed)
    if seed % 10 == 0:
        return random_workload(random, (6, 10), (20, 45)), random
    return random_workload(random, (3, 7), (3, 14)), random


def assert_minimal(workload: Workload, outcome: Outcome) -> None:
    """Whoever sends or receives is a destination of some message."""
    involved = dict.fromkeys(chain(*(multicast.dst for multicast in workload.multicasts())))
    assert all(group in involved for ends in outcome.sent for group in ends)


@pytest.mark.parametrize("first", BATCHES)
def test_rank_by_rank(first: int) -> None:
    for seed in range(first, first + SEEDS):
        workload, random = drawn(seed)
        outcome = random_run(workload, random)
        assert broken(workload, outcome) == [], seed
        assert_minimal(workload, outcome)


@pytest.mark.parametrize("first", range(0, 300, SEEDS))
def test_rank_by_rank_with_the_rule_of_the_paper(first: int) -> None:
    for seed in range(first, first + SEEDS):
        workload, random = drawn(seed)
        outcome = random_run(workload, random, with_paper_rule(FlexCast))
        assert broken(workload, outcome) == [], seed
        assert_minimal(workload, outcome)


@pytest.mark.parametrize("seed", range(50))
def test_a_run_goes_on_identically_from_snapshots(seed: int) -> None:
    workload, _ = drawn(seed)
    plain = random_run(workload, Random(seed))
    assert random_run(workload, Random(seed), replaced=0.3) == plain


class FlushesSome(FlexCast):
    """The fuzzer knows no flush client, so half of the messages to all groups are flushes."""

    def is_flush(self, entry: Entry) -> bool:
        return len(entry.dst) == len(self.groups) and entry.id.seq % 2 == 0


def any_order(groups: tuple[GroupId, ...], random: Random) -> tuple[str, ProcessFactory]:
    ranks = Ranks(groups, random.sample(groups, len(groups)))
    return f"flexcast overlay {ranks}", lambda group: FlushesSome(group, groups, ranks)


@pytest.mark.parametrize("first", range(0, 1500, SEEDS))
def test_all_at_once_with_retries_and_clients_that_die(first: int) -> None:
    for seed in range(first, first + SEEDS):
        failure = fuzz_one(seed, any_order, PROMISES)
        assert failure is None, str(failure)
