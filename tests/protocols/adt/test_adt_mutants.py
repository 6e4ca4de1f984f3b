"""Each known bug is caught by a disaster. The seeds are the first that catch each."""

from __future__ import annotations

from typing import Any

import pytest

from amcast.protocols.adt import Adt
from amcast.protocols.generic_broadcast import GenericBroadcast
from tests.mutants import adt as mutants
from tests.protocols.adt.broadcast_runs import Broadcaster, BroadcastRun, broadcaster
from tests.protocols.adt.disaster_runs import DisasterRun

WITH_VIEWS: dict[type[Adt], tuple[int, str]] = {
    mutants.LosesLateBundles: (22, "validity"),
    mutants.DropsBundlesOfRemoved: (6, "validity"),
    mutants.JoinsByLocalRound: (14, "validity"),
    mutants.JoinsAtOnce: (5, "validity"),
    mutants.StaysRemoved: (5, "validity"),
    mutants.RemovesOnce: (128, "validity"),
    mutants.IgnoresRetriesElsewhere: (2, "integrity"),
    mutants.ChangesConflictWithChanges: (11, "validity"),
}
# These go wrong in `adt`, too, but are sooner found where every second message conflicts.
WITH_BROADCASTS: dict[type[GenericBroadcast[Any]], tuple[int, str]] = {
    mutants.TooFewAcks.wrong: (8, "conflict_order"),
    mutants.TooFewChecks.wrong: (17, "conflict_order"),
    mutants.ForgetsWhatItDelivered.wrong: (14, "conflict_order"),
    mutants.AcknowledgesAfterReport.wrong: (8, "conflict_order"),
    mutants.OrdersByName.wrong: (31, "conflict_order"),
    mutants.DecidesByHalf.wrong: (70, "conflict_order"),
}


@pytest.mark.parametrize("mutant", WITH_VIEWS, ids=lambda mutant: mutant.__name__)
def test_views(mutant: type[Adt]) -> None:
    seed, promise = WITH_VIEWS[mutant]
    assert DisasterRun(seed).violations() == []
    assert DisasterRun(seed, mutant).violations()[0].startswith(promise)


@pytest.mark.parametrize("mutant", WITH_BROADCASTS, ids=lambda mutant: mutant.__qualname__)
def test_generic_broadcast(mutant: type[GenericBroadcast[Any]]) -> None:
    seed, promise = WITH_BROADCASTS[mutant]
    assert BroadcastRun(seed, Broadcaster).violations() == []
    assert BroadcastRun(seed, broadcaster(mutant)).violations()[0].startswith(promise)
