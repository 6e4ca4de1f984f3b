"""Random runs notice each mutant; most often by an invariant, long before an order breaks."""

from __future__ import annotations

from random import Random

import flexcast_mutants as mutants
import pytest
from flexcast_runs import broken, random_run, random_workload

from amcast.protocols.flexcast import FlexCast

SEEDS_MAX = 1000


def caught(mutant: type[FlexCast], seed: int) -> bool:
    random = Random(seed)
    workload = random_workload(random, (6, 12), (20, 80))
    try:
        return bool(broken(workload, random_run(workload, random, mutant)))
    except (AssertionError, LookupError):
        return True


@pytest.mark.parametrize(
    "mutant",
    [
        mutants.LosesEarlyAcks,
        mutants.WaitsForHigherGroups,
        mutants.AnswersOneNotif,
        mutants.OneAnswerPerGroup,
        mutants.OneAnswerPerPair,
        mutants.NotifiesForOwnMessages,
        mutants.SendsVerticesOnce,
        mutants.SendsOwnDeliveries,
        mutants.AnswersAtOnce,
        mutants.FlushForgetsAll,
        mutants.NotifWaitsForAll,
        mutants.NotifiedTrustsCoverage,
    ],
)
def test_random_runs_notice(mutant: type[FlexCast]) -> None:
    assert any(caught(mutant, seed) for seed in range(SEEDS_MAX))
