"""How bad a random world is, drawn from its seed: five kinds, each good at other bugs."""

from __future__ import annotations

from random import Random

import msgspec

SETTINGS = {
    "heartbeat_us": 50,
    "election_us": 250,
    "election_spread_us": 250,
}


class Plan(msgspec.Struct, kw_only=True):
    """How bad the world is until `heal_at`. Probabilities are in units of 1."""

    size: int = 3
    commands: int = 20
    reads: int = 6
    heal_at: int = 3_000
    give_up_at: int = 30_000
    loss: float = 0.0
    repeat: float = 0.0
    slow: float = 0.0
    slow_by: int = 600
    disk_delay: int = 20
    crash_mean: int = 0
    partition_mean: int = 0
    # Which of the partitions that the world knows, by their number.
    partition_kinds: tuple[int, ...] = (0, 1, 2, 3)
    restart_mean: int = 300
    crash_midway: float = 0.0
    # A replica crashes so often, and so soon, after it was asked to propose something.
    crash_proposer: float = 0.0
    # The same after it promised a ballot, which its disk must not forget.
    crash_promiser: float = 0.0
    # The same while its disk still writes.
    crash_unsynced: float = 0.0
    # How often a replica loses patience with a leader that may be well.
    impatience_mean: int = 0
    # How often the operator changes the members, or wipes a disk.
    change_mean: int = 0
    retry: int = 400
    # Until it heals, anything may come next: of so many that are drawn, the one due first.
    # With 1 no delay means anything; 0 is the order of time.
    scrambled: int = 0
    settings: dict[str, int] = {}


def drawn_plan(random: Random) -> Plan:
    return random.choice(PLANS)(random)


def scrambled_plan(random: Random) -> Plan:
    """Few commands and few replicas, but any message and any timer at any moment."""
    return Plan(
        size=random.choice((3, 3, 3, 3, 5)),
        commands=random.choice((4, 8, 16)),
        reads=4,
        heal_at=random.choice((500, 1_000, 2_000)),
        loss=random.choice((0.0, 0.05, 0.2)),
        repeat=random.choice((0.0, 0.1)),
        slow=random.choice((0.0, 0.1, 0.3)),
        slow_by=200,
        disk_delay=random.choice((5, 50)),
        crash_mean=random.choice((0, 60, 150, 400)),
        crash_midway=random.choice((0.0, 0.01)),
        crash_promiser=random.choice((0.0, 0.2)),
        impatience_mean=random.choice((0, 60, 150)),
        change_mean=random.choice((0, 60, 200)),
        restart_mean=random.choice((5, 50)),
        retry=random.choice((20, 50, 200)),
        scrambled=random.choice((2, 2, 3, 5)),
        settings={
            "heartbeat_us": random.choice((20, 50)),
            "election_us": random.choice((60, 150)),
            "election_spread_us": random.choice((60, 150)),
            "window": random.choice((1, 4)),
            "snapshot_every": random.choice((1, 3, 1000)),
            "entries_kept": 0,
        },
    )


def storm_plan(random: Random) -> Plan:
    """Short time-outs, crashes that last a moment, old messages: several think they lead."""
    return Plan(
        size=random.choice((3, 3, 5)),
        commands=40,
        slow=random.choice((0.1, 0.3)),
        slow_by=random.choice((100, 300)),
        disk_delay=random.choice((10, 30, 100)),
        crash_mean=random.choice((30, 60, 150)),
        partition_mean=random.choice((0, 30, 100)),
        change_mean=random.choice((0, 60, 200)),
        restart_mean=5,
        crash_proposer=random.choice((0.0, 0.3)),
        crash_promiser=random.choice((0.0, 0.2)),
        impatience_mean=random.choice((0, 50)),
        retry=random.choice((20, 60)),
        settings={
            "election_us": 60,
            "election_spread_us": random.choice((20, 60)),
            "window": random.choice((1, 4)),
            "snapshot_every": random.choice((2, 5, 1000)),
            "entries_kept": 0,
        },
    )


def duel_plan(random: Random) -> Plan:
    """A busy leader that hears late of its rivals, and rivals whose supporters forget."""
    return Plan(
        size=random.choice((3, 3, 3, 5)),
        commands=60,
        slow=random.choice((0.2, 0.4)),
        slow_by=random.choice((100, 300, 1_000)),
        disk_delay=random.choice((0, 10, 50)),
        crash_mean=random.choice((0, 300)),
        partition_mean=random.choice((0, 100, 300)),
        change_mean=random.choice((0, 60, 200)),
        restart_mean=random.choice((1, 10)),
        crash_proposer=random.choice((0.0, 0.0, 0.1)),
        crash_promiser=random.choice((0.0, 0.3, 0.6)),
        impatience_mean=random.choice((50, 100, 200)),
        retry=random.choice((20, 50)),
        settings={
            "election_us": random.choice((60, 250)),
            "election_spread_us": 250,
            "window": random.choice((1, 4)),
            "snapshot_every": random.choice((1, 3, 1000)),
            "entries_kept": 0,
        },
    )


def forgetful_plan(random: Random) -> Plan:
    """A leader and a rival that do not hear each other, and a third that crashes as it promises."""
    return Plan(
        reads=0,
        heal_at=1_500,
        slow=random.choice((0.3, 0.6)),
        slow_by=random.choice((60, 150)),
        disk_delay=random.choice((1, 5, 40)),
        partition_mean=random.choice((80, 200, 400)),
        partition_kinds=(3,),
        change_mean=random.choice((0, 0, 200)),
        restart_mean=1,
        crash_promiser=random.choice((0.0, 0.3, 0.7)),
        crash_unsynced=random.choice((0.0, 0.0, 0.1, 0.3)),
        impatience_mean=random.choice((60, 120)),
        retry=random.choice((10, 30)),
        settings={
            "heartbeat_us": random.choice((20, 50)),
            "window": random.choice((1, 4)),
            "snapshot_every": random.choice((1, 3, 1000)),
            "entries_kept": 0,
        },
    )


def mixed_plan(random: Random) -> Plan:
    """Every fault sometimes absent, sometimes frequent."""
    return Plan(
        size=random.choice((1, 3, 3, 3, 3, 5, 7)),
        loss=random.choice((0.0, 0.02, 0.1, 0.3)),
        repeat=random.choice((0.0, 0.05, 0.2)),
        slow=random.choice((0.0, 0.05, 0.3)),
        slow_by=random.choice((100, 600)),
        disk_delay=random.choice((0, 5, 30, 100)),
        crash_mean=random.choice((0, 150, 400, 800)),
        partition_mean=random.choice((0, 50, 200, 500)),
        change_mean=random.choice((0, 0, 100, 300)),
        restart_mean=random.choice((5, 100, 300)),
        crash_midway=random.choice((0.0, 0.0, 0.002, 0.01)),
        crash_proposer=random.choice((0.0, 0.0, 0.1, 0.5)),
        crash_promiser=random.choice((0.0, 0.0, 0.2)),
        impatience_mean=random.choice((0, 0, 200)),
        retry=random.choice((50, 200, 400)),
        settings={
            "election_us": random.choice((60, 120, 250)),
            "election_spread_us": random.choice((60, 250)),
            "batch_max": random.choice((1, 2, 64)),
            "window": random.choice((1, 2, 4)),
            "snapshot_every": random.choice((2, 5, 1000)),
            "entries_kept": random.choice((0, 2, 10)),
            "catch_up_max": random.choice((1, 3, 100)),
        },
    )


PLANS = (scrambled_plan, duel_plan, storm_plan, forgetful_plan, forgetful_plan, mixed_plan)
