"""Bugs of protocols that need more than random schedules: disasters, changes, long histories.

What is too rare even there has a script.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from amcast.core import GroupId
from amcast.protocols import protocol_named
from amcast.protocols.flexcast import FlexCast
from amcast.protocols.propagation import Propagation
from amcast.scenarios import fuzz_faults_protocol
from tests.mutants import adt
from tests.mutants.specimen import Specimen
from tests.protocols.adt.broadcast_runs import BroadcastRun, broadcaster
from tests.protocols.adt.disaster_runs import DisasterRun
from tests.protocols.adt.telling_runs import TellingRun
from tests.protocols.flexcast import flexcast_long_run
from tests.protocols.flexcast import flexcast_mutants as flexcast
from tests.protocols.flexcast.flexcast_runs import broken, random_run, random_workload
from tests.protocols.genuine_dt import genuine_dt_mutants as genuine_dt
from tests.protocols.genuine_dt.crash_runs import CrashRun
from tests.protocols.genuine_dt.test_genuine_dt import first_and_only, last_words
from tests.protocols.propagation import propagation_mutants as propagation
from tests.protocols.propagation import recovery_mutants as recovery
from tests.protocols.propagation import test_propagation_watch as watch
from tests.protocols.propagation import watch_mutants
from tests.protocols.propagation.propagation_runs import Options, RandomRun
from tests.protocols.propagation.recovery_runs import RecoveryRun


def what(process: type[Any]) -> str:
    return (process.__doc__ or "").strip().split("\n\n")[0]


# Worlds: what they violate.


def disaster(process: type[Any], seed: int) -> Sequence[str]:
    return DisasterRun(seed, process).violations()


def broadcast(process: type[adt.WrongBroadcast], seed: int) -> Sequence[str]:
    return BroadcastRun(seed, broadcaster(process.wrong)).violations()


def telling(process: type[adt.WrongBroadcast], seed: int) -> Sequence[str]:
    return TellingRun(seed, broadcaster(process.wrong)).violations()


def crashes(process: type[Any], seed: int) -> Sequence[str]:
    return CrashRun(seed, process).violations()


def registered_sets(process: type[Propagation], seed: int) -> Sequence[str]:
    return RandomRun(seed, process).run()


def changes(process: type[Propagation], seed: int) -> Sequence[str]:
    return RandomRun(seed, process, Options(changes=3)).run()


def recoveries(process: type[Any], seed: int) -> Sequence[str]:
    return RecoveryRun(seed, process).run()


def outages(process: type[Any], seed: int) -> Sequence[str]:
    """In groups of replicas, whose clients tell what they are done with."""

    def make(group: GroupId, groups: tuple[GroupId, ...], graph: Any, **_: object) -> Any:
        return process(group, groups, graph, manager=groups[0])

    protocol = replace(protocol_named("propagation"), process=make)
    failure = fuzz_faults_protocol(protocol, seed, {"failures": "leave-out"})
    return failure.violations if failure else []


def many_groups(process: type[FlexCast], seed: int) -> Sequence[str]:
    random = Random(seed)
    workload = random_workload(random, (6, 12), (20, 80))
    try:
        return broken(workload, random_run(workload, random, process))
    except (AssertionError, LookupError) as error:
        return [f"crash: {type(error).__name__}: {error}"]


# Scripts: what they violate.


def long_history() -> Sequence[str]:
    original = flexcast_long_run.FlexCast
    flexcast_long_run.FlexCast = flexcast.CountsMessages
    try:
        flexcast_long_run.LongRun(4000, seed=2).run()
    except AssertionError as error:
        return [f"crash: {error}"]
    finally:
        flexcast_long_run.FlexCast = original
    return []


def idle_but_suspected() -> Sequence[str]:
    suspected = watch.is_alive_but_idle_suspected(watch_mutants.NullsHaveNoNumber)
    return ["suspicion: a group that has nothing to send is suspected"] if suspected else []


def busy_but_null() -> Sequence[str]:
    nulls = watch.nulls_while_busy(watch_mutants.NeverNotesTheTimeOfSending)
    return [f"null messages: a busy group sends {nulls}"] if nulls else []


def failed_but_trusted() -> Sequence[str]:
    noticed = watch.is_a_failed_manager_noticed(watch_mutants.WatchesOnlyParents)
    return [] if noticed else ["suspicion: nobody notices that the manager failed"]


def seen(
    world: Callable[[Any, int], Sequence[str]], protocol: str, error: str, *mutants: type[Any]
) -> list[Specimen]:
    return [Specimen(what(each), protocol, error, world=partial(world, each)) for each in mutants]


def shown(
    process: type[Any], protocol: str, error: str, script: Callable[[], Sequence[str]]
) -> Specimen:
    return Specimen(what(process), protocol, error, script=script)


# All but the paper's own error, which stands first.
OTHER_CHANGES = propagation.DYNAMIC_MUTANTS[1:]
OTHER_RECOVERIES = recovery.RECOVERY_MUTANTS[1:]

SPECIMENS = (
    *seen(
        disaster, "adt", "E23", adt.LosesLateBundles, adt.DropsBundlesOfRemoved,
        adt.JoinsByLocalRound, adt.JoinsAtOnce, adt.StaysRemoved, adt.RemovesOnce,
    ),
    *seen(disaster, "adt", "", adt.IgnoresRetriesElsewhere, adt.ChangesConflictWithChanges),
    # These go wrong in disasters, too, but are sooner found where every second message conflicts.
    *seen(
        broadcast, "adt", "", adt.TooFewAcks, adt.TooFewChecks, adt.ForgetsWhatItDelivered,
        adt.AcknowledgesAfterReport, adt.OrdersByName, adt.DecidesByHalf,
    ),
    *seen(telling, "adt", "", adt.TellsNobodyForTheDead, adt.OnlyNamesWhatTheDeadTell),
    *seen(crashes, "genuine-dt", "", genuine_dt.OneRound, genuine_dt.ListensToTheDead),
    shown(genuine_dt.NoFifo, "genuine-dt", "",
          partial(first_and_only, genuine_dt.NoFifo, early=True)),
    shown(genuine_dt.NoClockUpdate, "genuine-dt", "",
          partial(first_and_only, genuine_dt.NoClockUpdate, early=False)),
    shown(genuine_dt.LateClock, "genuine-dt", "",
          partial(first_and_only, genuine_dt.LateClock, early=False)),
    shown(genuine_dt.TrustsItsStamps, "genuine-dt", "",
          partial(last_words, genuine_dt.TrustsItsStamps)),
    *seen(
        registered_sets, "propagation", "E24", propagation.KeepsRepeatedMessages,
        propagation.ReadsAnEmptyQueue,
    ),
    shown(watch_mutants.NullsHaveNoNumber, "propagation", "E24", idle_but_suspected),
    shown(watch_mutants.NeverNotesTheTimeOfSending, "propagation", "E24", busy_but_null),
    shown(watch_mutants.WatchesOnlyParents, "propagation", "E24", failed_but_trusted),
    *seen(changes, "propagation", "E26", propagation.ForgetsRemovedGroups),
    *seen(changes, "propagation", "", *OTHER_CHANGES),
    *seen(recoveries, "propagation", "E27", recovery.CountsPerSet),
    *seen(recoveries, "propagation", "", *OTHER_RECOVERIES),
    *seen(outages, "propagation", "", recovery.HandsInAgain),
    *seen(many_groups, "flexcast", "CE5", flexcast.NotifiesForOwnMessages),
    *seen(many_groups, "flexcast", "", flexcast.NotifiedTrustsCoverage),
    shown(flexcast.CountsMessages, "flexcast", "", long_history),
)  # fmt: skip
