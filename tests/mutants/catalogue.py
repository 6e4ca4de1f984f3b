"""The mutants that random schedules catch: of which protocol, and which published error."""

from __future__ import annotations

from dataclasses import dataclass, replace

from amcast.protocols import AnyProcess, Protocol, protocol_named
from amcast.scenarios import explorer, fuzz_protocol
from amcast.sim import Failure
from tests.mutants import (
    adt,
    generic,
    genuine_dt,
    logs,
    ring,
    rodrigues,
    routes,
    skeen_global,
    timestamps,
)
from tests.protocols.flexcast import flexcast_mutants as flexcast
from tests.protocols.propagation import propagation_mutants as propagation

SEEDS_MAX = 5000
STATES_MAX = 200_000


@dataclass(frozen=True)
class Mutant:
    """A wrong protocol. `error` is the number of the published error it repeats, if any."""

    process: type[AnyProcess]
    protocol: str
    error: str = ""
    # A scenario small enough to explore in which the bug shows, where there is one.
    explored: tuple[tuple[str, ...], ...] = ()

    @property
    def name(self) -> str:
        return self.process.__name__

    @property
    def what(self) -> str:
        return (self.process.__doc__ or "").strip()

    @property
    def as_protocol(self) -> Protocol:
        return replace(protocol_named(self.protocol), process=self.process, options={})

    def hunt(self) -> Failure | None:
        """The first seed whose random schedule catches it."""
        for seed in range(1, SEEDS_MAX + 1):
            failure = fuzz_protocol(self.as_protocol, seed)
            if failure is not None:
                return failure
        return None

    def explore(self) -> tuple[int, tuple[str, ...]]:
        """How many states its scenario has, and what is violated in one of them."""
        groups = max(int(group[1:]) for dst in self.explored for group in dst)
        found = explorer(self.as_protocol, groups, self.explored, states_max=STATES_MAX).explore()
        return found.states, found.violations


PAIR = (("g1", "g2"), ("g1", "g2"))

MUTANTS = (
    Mutant(
        timestamps.NoClockUpdate,
        "skeen",
        "E1",
        (("g1", "g2", "g3"), ("g1", "g2"), ("g3",), ("g3",)),
    ),
    Mutant(timestamps.StrictlySmaller, "skeen", "E12", PAIR),
    Mutant(timestamps.TiesByArrival, "skeen", "", PAIR),
    Mutant(timestamps.LowestWins, "skeen"),
    Mutant(timestamps.FirstProposalWins, "skeen"),
    Mutant(timestamps.WaitsForItself, "skeen", "E2", PAIR),
    Mutant(timestamps.NoGuard, "skeen", "E3"),
    Mutant(timestamps.TimestampIsNoStart, "skeen", "E13"),
    Mutant(timestamps.CoordinatorNoClockUpdate, "skeen-coordinator", "E1"),
    Mutant(timestamps.CoordinatorLowestWins, "skeen-coordinator", "", PAIR),
    Mutant(timestamps.CoordinatorHurries, "skeen-coordinator", "", PAIR),
    Mutant(timestamps.CoordinatorNoGuard, "skeen-coordinator", "E3"),
    Mutant(timestamps.CoordinatorNoTags, "skeen-coordinator", "E3", PAIR),
    Mutant(timestamps.CoordinatorNeverReminds, "skeen-coordinator", "E13"),
    Mutant(timestamps.TwoPhaseNoCounterUpdate, "two-phase", "E28"),
    Mutant(timestamps.TwoPhaseLowestWins, "two-phase", "", PAIR),
    Mutant(timestamps.TwoPhaseHurries, "two-phase", "", PAIR),
    Mutant(routes.SequencerNoFifo, "sequencer", "", PAIR),
    Mutant(routes.SequencerNoGuard, "sequencer"),
    Mutant(routes.SequencerCountsForAll, "sequencer"),
    Mutant(routes.TreeNoFifo, "tree", "E14", PAIR),
    Mutant(routes.TreeForwardsTwice, "tree", "E15"),
    Mutant(routes.TreeSkipsInnerGroups, "tree", "", PAIR),
    Mutant(routes.TreeEntersAnywhere, "tree", "", PAIR),
    Mutant(logs.BaseCastNoClockUpdate, "basecast", "E11"),
    Mutant(logs.BaseCastStrictlySmaller, "basecast", "E12", PAIR),
    Mutant(logs.BaseCastSendHardIsNoStart, "basecast", "E13"),
    Mutant(logs.AgeClockGoesBack, "age", "E18"),
    Mutant(logs.AgeDeliversInsideTheInstance, "age"),
    Mutant(logs.AgeAlwaysSkips, "age"),
    Mutant(logs.AgeTimestampIsNoStart, "age", "E13"),
    Mutant(logs.AgeStarRaisesEarly, "age-star", "E19"),
    Mutant(logs.AgeStarDeliversOnReceipt, "age-star", "E19"),
    Mutant(logs.AgeStarSkips, "age-star", "E19"),
    Mutant(logs.AngNeverStalls, "ang", "E20"),
    Mutant(logs.AngNoNulls, "ang", "E20"),
    Mutant(logs.AngUnsorted, "ang", "E20"),
    Mutant(logs.AngUnsortedWhenRoundsOverlap, "ang", "E20"),
    Mutant(logs.LoggedAngUnsorted, "ang", "E20"),
    Mutant(logs.LoggedAngHurries, "ang", "E20"),
    Mutant(logs.AngSkipsEmptyBundles, "ang", "E20"),
    Mutant(adt.OpensNoRoundsForOthers, "adt", "", (("g1", "g2"),)),
    Mutant(adt.HurriesRounds, "adt", "", PAIR),
    Mutant(adt.BundlesAsTheyCome, "adt"),
    Mutant(adt.DeliversWithoutRounds, "adt"),
    Mutant(adt.AdtNoGuard, "adt"),
    Mutant(skeen_global.SkeenGlobalNoClockUpdate, "skeen", "E1", PAIR),
    Mutant(skeen_global.SkeenGlobalForgetsTheNext, "skeen", "", PAIR),
    Mutant(skeen_global.SkeenGlobalNoGuard, "skeen", "E3"),
    Mutant(generic.GenericNoClockUpdate, "generic", "E1", PAIR),
    Mutant(generic.GenericIgnoresOpenTimestamps, "generic", "", PAIR),
    Mutant(generic.GenericKeepsItsPlace, "generic", "", PAIR),
    Mutant(generic.GenericForgetsWhoIsBehind, "generic", "", PAIR),
    Mutant(generic.GenericKeylessCommutes, "generic", "", PAIR),
    Mutant(generic.GenericTimestampIsNoStart, "generic", "E13"),
    Mutant(ring.RingHopsAtOnce, "ring"),
    Mutant(ring.RingDeliversAndGoesOn, "ring", "E21", PAIR),
    Mutant(ring.RingReleasedByTheNext, "ring", "", (("g1", "g2", "g3"), ("g1", "g3"))),
    Mutant(ring.RingReleasesOnlyTheFirst, "ring", "", (("g1", "g2", "g3"),)),
    Mutant(ring.RingBothWays, "ring"),
    Mutant(ring.RingOvertakes, "ring", "", (("g1", "g2"), ("g1", "g2", "g3"))),
    Mutant(ring.RingNoGuard, "ring"),
    Mutant(rodrigues.RodriguesNoClockUpdate, "rodrigues", "E1", PAIR),
    Mutant(rodrigues.RodriguesForgetsTheStamps, "rodrigues", "", PAIR),
    Mutant(rodrigues.RodriguesCoordinatorNeverAccepts, "rodrigues", "", PAIR),
    Mutant(rodrigues.RodriguesNoGuard, "rodrigues"),
    Mutant(genuine_dt.DisasterTolerantLowestWins, "genuine-dt"),
    Mutant(genuine_dt.DisasterTolerantNeverWaits, "genuine-dt", "", PAIR),
    Mutant(genuine_dt.DisasterTolerantNoGuard, "genuine-dt"),
    Mutant(propagation.NumbersStayTheSame, "propagation", "E24"),
    Mutant(propagation.AdvancesAnotherCounter, "propagation", "E24"),
    Mutant(propagation.SkipsLastDestinations, "propagation", "E24", PAIR),
    Mutant(propagation.NoFifo, "propagation", "", PAIR),
    Mutant(flexcast.LosesEarlyAcks, "flexcast", "CE1"),
    Mutant(flexcast.WaitsForHigherGroups, "flexcast", "CE2"),
    Mutant(flexcast.AnswersOneNotif, "flexcast", "CE3"),
    Mutant(flexcast.OneAnswerPerGroup, "flexcast", "CE4"),
    Mutant(flexcast.OneAnswerPerPair, "flexcast", "CE6"),
    Mutant(flexcast.SendsVerticesOnce, "flexcast", "CE7"),
    Mutant(flexcast.SendsOwnDeliveries, "flexcast", "CE7"),
    Mutant(flexcast.AnswersAtOnce, "flexcast", "CE8"),
    Mutant(flexcast.FlushForgetsAll, "flexcast", "CE9"),
    Mutant(flexcast.NotifWaitsForAll, "flexcast", "CE10"),
    Mutant(flexcast.NotifiesAllBetween, "flexcast"),
)
