"""Random runs of replicated groups in which much goes wrong, by seed.

Each seed draws a world: groups of one to seven replicas, networks from calm to hostile, disks,
crashes, cuts and dying clients. The bad times end; then everything that was promised must come
true. Delays and time-outs are close to each other, so that leaders change all the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

from amcast.check import check
from amcast.core import GroupId
from amcast.sim.clients import ClientPlan, FlushPlan
from amcast.sim.faults import FaultPlan
from amcast.sim.fuzz import DrawSetup, Setup
from amcast.sim.network import Network
from amcast.sim.outages import OutagePlan
from amcast.sim.plan import SimulationPlan
from amcast.sim.recorder import HistoryRecorder
from amcast.sim.replica_plan import ReplicaPlan
from amcast.sim.simulate_replicas import ReplicatedSimulation
from amcast.sim.story import PROCESS_FAILURES

# Which groups may be away for a while, and how many at once.
MayBeAbsent = Callable[[tuple[GroupId, ...]], tuple[tuple[GroupId, ...], int]]

MS = 1000
GROUPS = (2, 3, 3, 3, 4)
REPLICAS = (3, 3, 3, 3, 1, 5)
KEYS = ("k1", "k2", "k3")
CLIENTS_MAX = 6
MESSAGES_MAX = 20


@dataclass(frozen=True)
class BadTimes:
    """A world drawn from a seed: all that decides a run but for the protocol."""

    seed: int
    groups: tuple[GroupId, ...]
    replication: ReplicaPlan
    faults: FaultPlan
    network: Network
    homes: tuple[GroupId | None, ...]
    messages: int
    with_keys: bool
    flush_client: str | None
    sets: Sequence[tuple[GroupId, ...]] | None

    def plan(self) -> SimulationPlan:
        clients = [
            ClientPlan(home or self.groups[0], home or self.groups[0], home is not None)
            for home in self.homes
        ]
        flush = None if self.flush_client is None else FlushPlan(self.flush_client, 20 * MS)
        return SimulationPlan(
            groups=self.groups,
            network=self.network,
            placement={group: group for group in self.groups},
            clients=clients,
            draw=self.draw_message,
            messages=self.messages,
            flush=flush,
        )

    def draw_message(
        self, near: GroupId, random: Random
    ) -> tuple[tuple[GroupId, ...], int, str, tuple[str, ...] | None]:
        if self.sets is not None:
            dst = random.choice(self.sets)
        else:
            size = min(len(self.groups), random.choice((1, 2, 2, 3)))
            chosen = random.sample(self.groups, size)
            dst = tuple(group for group in self.groups if group in chosen)
        keys = tuple(random.sample(KEYS, random.randint(0, 2))) if self.with_keys else None
        return dst, 8, "", keys


@dataclass(frozen=True)
class FaultFailure:
    """A run that breaks a promise, with as few faults and messages as we could find."""

    seed: int
    violations: tuple[str, ...]
    world: BadTimes
    setup: str

    def __str__(self) -> str:
        world = self.world
        calm = FaultPlan(heal_us=world.faults.heal_us)
        faults = [
            f"{field.name}={getattr(world.faults, field.name)}"
            for field in fields(FaultPlan)
            if getattr(world.faults, field.name) != getattr(calm, field.name)
        ]
        return (
            f"# {self.setup}\n# violates {'; '.join(self.violations)}\n"
            f"{len(world.groups)} groups of {world.replication.replicas}, "
            f"{world.messages} messages of {len(world.homes)} clients, "
            f"healed after {world.faults.heal_us} us\n"
            f"faults: {', '.join(faults) or 'none'}\n"
        )


def fuzz_faults_one(
    seed: int,
    draw_setup: DrawSetup,
    promises: Sequence[str],
    *,
    flush_client: str | None = None,
    groups_min: int = 2,
    disasters: bool = False,
    absent: MayBeAbsent | None = None,
) -> FaultFailure | None:
    """Run the world of one seed; None if it keeps all promises."""
    random = Random(f"faults {seed}")
    count = max(groups_min, random.choice(GROUPS))
    groups = tuple(f"g{number}" for number in range(1, count + 1))
    setup = Setup(*draw_setup(groups, random))
    world = BadTimes(
        seed=seed,
        groups=groups,
        replication=_draw_extremes(_draw_replication(random), Random(f"sizes {seed}")),
        faults=_draw_outages(seed, _draw_faults(random, disasters), absent and absent(groups)),
        network=_draw_network(groups, random),
        homes=_draw_homes(groups, random),
        messages=random.randint(2, MESSAGES_MAX),
        with_keys="conflict_order" in promises,
        flush_client=flush_client,
        sets=setup.sets,
    )
    broken = run_bad_times(world, setup, promises)
    if not broken:
        return None
    violations, world = _simplify(world, broken, lambda each: run_bad_times(each, setup, promises))
    return FaultFailure(seed, violations, world, setup.name)


def run_bad_times(world: BadTimes, setup: Setup, promises: Sequence[str]) -> tuple[str, ...]:
    """The promises that are broken, and what does not end as it should, in words."""
    recorder = HistoryRecorder()
    simulation = ReplicatedSimulation(
        world.plan(),
        setup.factory,
        world.replication,
        seed=world.seed,
        recorder=recorder,
        faults=world.faults,
    )
    try:
        simulation.run()
    except PROCESS_FAILURES as error:
        return (f"a process fails: {type(error).__name__}: {error}",)
    verdict = check(recorder.history, required=promises)
    violated = [
        f"{name}: {found.witness}"
        for name, found in verdict.properties.items()
        if found.required and found.verdict == "violated"
    ]
    return tuple(violated + simulation.unfinished())


def _simplify(
    world: BadTimes, broken: tuple[str, ...], attempt: Callable[[BadTimes], tuple[str, ...]]
) -> tuple[tuple[str, ...], BadTimes]:
    """Leave out one kind of fault after the other, and messages, as long as it still fails."""
    calm = FaultPlan(heal_us=1)
    trials: list[Callable[[BadTimes], BadTimes]] = [
        lambda each, name=field.name: replace(  # type: ignore[misc]
            each, faults=replace(each.faults, **{name: getattr(calm, name)})
        )
        for field in fields(FaultPlan)
        if field.name not in ("heal_us", "down_mean_us", "crashes")
    ]
    trials += 4 * [lambda each: replace(each, messages=max(1, each.messages // 2))]
    for simpler in trials:
        candidate = simpler(world)
        if candidate != world and (found := attempt(candidate)):
            world, broken = candidate, found
    return broken, world


def _draw_replication(random: Random) -> ReplicaPlan:
    election_ms = random.choice((10, 25, 60))
    return ReplicaPlan(
        replicas=random.choice(REPLICAS),
        inside_us=random.choice((50, 500, 2000)),
        sync_us=random.choice((0, 0, 100, 1000)),
        heartbeat_us=5 * MS,
        election_us=election_ms * MS,
        election_spread_us=random.choice((10, 25)) * MS,
        resend_us=random.choice((20, 60)) * MS,
        retry_us=random.choice((50, 100)) * MS,
        batch_max=random.choice((1, 3, 64)),
        window=random.choice((1, 2, 8)),
        snapshot_every=random.choice((2, 5, 20, 1000)),
        entries_kept=random.choice((0, 2, 10)),
    )


def _draw_extremes(plan: ReplicaPlan, random: Random) -> ReplicaPlan:
    """In some worlds big groups, and bounds so low that they are reached."""
    if random.random() < 0.7:
        return plan
    return replace(
        plan,
        replicas=random.choice((plan.replicas, plan.replicas, 7)),
        queue_max=random.choice((1, 2, 5, 100)),
        catch_up_max=random.choice((1, 3, 100)),
        expire_after=random.choice((20, 60, 10_000)),
    )


def _draw_network(groups: tuple[GroupId, ...], random: Random) -> Network:
    """Channels of very different speed, and packets that overtake each other."""
    delays = {
        source: {
            target: 100 if source == target else round(10 ** random.uniform(2.3, 4.5))
            for target in groups
        }
        for source in groups
    }
    return Network(delays, jitter=random.choice((0.0, 0.5, 1.0)), distribution="exponential")


def _draw_faults(random: Random, disasters: bool) -> FaultPlan:
    """Every fault is often absent, sometimes rare and sometimes frequent."""

    def sometimes(*values: Any) -> Any:
        return random.choice((0, *values))

    return FaultPlan(
        heal_us=random.choice((50, 200, 500)) * MS,
        crash_mean_us=sometimes(10, 40, 100) * MS,
        down_mean_us=random.choice((2, 20, 100)) * MS,
        whole_group=sometimes(0.1, 0.3),
        storage_failure=sometimes(0.1),
        wiped=sometimes(0.1, 0.3),
        crash_midway=sometimes(0.001, 0.01),
        loss=sometimes(0.02, 0.2),
        repeat=sometimes(0.05, 0.2),
        late=sometimes(0.05, 0.3),
        late_by_us=random.choice((2, 20, 100)) * MS,
        cut_mean_us=sometimes(20, 80) * MS,
        slow_sync_us=sometimes(500, 5000),
        timer_skew=sometimes(0.1, 0.4),
        client_death=sometimes(0.05, 0.2),
        disasters=int(disasters and random.random() < 0.5),
    )


def _draw_outages(
    seed: int, faults: FaultPlan, absent: tuple[tuple[GroupId, ...], int] | None
) -> FaultPlan:
    """Drawn apart, so that the worlds without outages are what they were."""
    random = Random(f"outages {seed}")
    if absent is None or random.random() < 0.2:
        return faults
    outages = OutagePlan(
        random.randint(1, 3),
        *absent,
        within_us=random.choice((20, 100)) * MS,
        mean_us=random.choice((20, 100, 300)) * MS,
        mistaken=random.choice((0.0, 0.5, 1.0)),
    )
    # A machine that has lost its disk can take nothing back.
    return replace(faults, wiped=0.0, outages=outages)


def _draw_homes(groups: tuple[GroupId, ...], random: Random) -> tuple[GroupId | None, ...]:
    return tuple(
        random.choice((None, random.choice(groups))) for _ in range(random.randint(1, CLIENTS_MAX))
    )
