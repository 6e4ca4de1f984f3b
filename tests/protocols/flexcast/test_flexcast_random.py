"""Random schedules: nothing that FlexCast promises breaks, and no invariant does."""

from __future__ import annotations

from itertools import chain
from random import Random

import pytest
from flexcast_mutants import with_paper_rule
from flexcast_runs import (
    PROMISES,
    Make,
    Outcome,
    Workload,
    among_others,
    broken,
    random_run,
    random_workload,
)

from amcast.core import Event, GroupId, Received
from amcast.overlays import Ranks
from amcast.protocols.flexcast import FLUSH_CLIENT, FlexCast
from amcast.protocols.flexcast_history import Entry, Vertex
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


def outsiders(workload: Workload, outcome: Outcome) -> list[GroupId]:
    """Who sends or receives because of messages, though no message is addressed to it.

    Flushes, which are addressed to all, do not count: neither as messages nor as packets.
    """
    ordinary = [each for each in workload.multicasts() if each.id.client != FLUSH_CLIENT]
    addressed = dict.fromkeys(chain(*(multicast.dst for multicast in ordinary)))
    involved = chain(*(ends for ends, events in outcome.sent.items() if any(map(counts, events))))
    return [group for group in dict.fromkeys(involved) if group not in addressed]


def counts(event: Event) -> bool:
    assert isinstance(event, Received)
    return any(id.client != FLUSH_CLIENT for id in event.message.about())


@pytest.mark.parametrize("first", BATCHES)
def test_rank_by_rank(first: int) -> None:
    for seed in range(first, first + SEEDS):
        workload, random = drawn(seed)
        outcome = random_run(workload, random)
        assert broken(workload, outcome) == [], seed
        assert outsiders(workload, outcome) == [], seed


@pytest.mark.parametrize("first", range(0, 300, SEEDS))
def test_rank_by_rank_with_the_rule_of_the_paper(first: int) -> None:
    for seed in range(first, first + SEEDS):
        workload, random = drawn(seed)
        outcome = random_run(workload, random, with_paper_rule(FlexCast))
        assert broken(workload, outcome) == [], seed
        assert outsiders(workload, outcome) == [], seed


class AsksEverybody(FlexCast):
    """It notifies groups that no message it knows of is addressed to."""

    def to_notify(self, vertex: Vertex) -> list[int]:
        return [rank for rank in range(self.rank + 1, vertex.dst[-1]) if rank not in vertex.dst]


def with_outsiders(make: Make, seeds: range) -> list[int]:
    """The seeds in which groups that nobody addresses take part."""
    found = []
    for seed in seeds:
        workload, random = drawn(seed)
        workload = among_others(workload, random)
        if outsiders(workload, random_run(workload, random, make)):
            found.append(seed)
    return found


@pytest.mark.parametrize("make", [FlexCast, with_paper_rule(FlexCast)])
def test_groups_that_nobody_addresses_take_no_part(make: Make) -> None:
    assert with_outsiders(make, range(100)) == []


def test_it_is_noticed_when_they_do() -> None:
    assert with_outsiders(AsksEverybody, range(1, 6))


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
