"""Every run of small worlds, rank by rank. The counts show that nothing was left out."""

from __future__ import annotations

import pytest
from flexcast_mutants import AnswersAtOnce, NotifiesForOwnMessages, OneAnswerPerGroup, unguarded
from flexcast_runs import Workload, all_runs, broken, workloads

from amcast.protocols.flexcast import FlexCast

CE4 = Workload(4, ((0, 2), (0, 1, 3), (1, 2), (2, 3)))
CE5 = Workload(4, ((0, 2), (0, 1), (1, 3), (2, 3)))
CE8 = Workload(4, ((0, 1, 2), (1, 3), (2, 3)))


@pytest.mark.parametrize(
    ("ranks", "messages", "flushes", "cases", "runs"),
    [
        (3, 2, 0, 10, 20),
        (3, 3, 0, 20, 121),
        (3, 4, 0, 35, 858),
        (3, 2, 1, 10, 60),
        (3, 3, 1, 20, 482),
        (4, 2, 0, 66, 169),
        pytest.param(4, 3, 0, 286, 3651, marks=pytest.mark.slow),
    ],
)
def test_every_run_keeps_all_promises(
    ranks: int, messages: int, flushes: int, cases: int, runs: int
) -> None:
    worlds = list(workloads(ranks, messages, flushes))
    seen = 0
    for workload in worlds:
        for outcome in all_runs(workload):
            assert broken(workload, outcome) == [], workload
            seen += 1
    assert (len(worlds), seen) == (cases, runs)


@pytest.mark.parametrize(
    ("mutant", "workload"),
    [(OneAnswerPerGroup, CE4), (NotifiesForOwnMessages, CE5), (AnswersAtOnce, CE8)],
)
def test_the_search_finds_the_cycle_of_a_mutant(mutant: type[FlexCast], workload: Workload) -> None:
    found = [broken(workload, outcome) for outcome in all_runs(workload, unguarded(mutant))]
    cycles = [each for each in found if each and each[-1].startswith("acyclic_order")]
    assert cycles
    assert all(not broken(workload, outcome) for outcome in all_runs(workload))
