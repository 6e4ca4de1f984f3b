"""What one message costs, and that a long run costs no more by the message."""

from __future__ import annotations

from itertools import combinations

import pytest
from flexcast_long_run import CLIENTS, MESSAGES_PER_FLUSH, LongRun
from flexcast_runs import PROMISES

from amcast.check import History, violations
from amcast.core import GroupId, MessageId, Multicast
from amcast.overlays import Ranks
from amcast.protocols.flexcast import FlexCast
from amcast.sim.world import World

GROUPS = ("g1", "g2", "g3", "g4", "g5")
RANKS = Ranks(GROUPS, ("g3", "g1", "g5", "g2", "g4"))
SETS = [dst for size in range(1, 6) for dst in combinations(GROUPS, size)]
NOTIFS_MAX = 12


def cost(dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[int, dict[GroupId, int]]:
    """Packets, and the delays until each group delivers, if each packet takes one delay."""
    world = World(lambda group: FlexCast(group, GROUPS, RANKS), GROUPS)
    (entry,) = world.multicast(Multicast(MessageId("c", 1), dst), home)
    packets = delay = 0
    delays: dict[GroupId, int] = {}
    if entry.target == home:
        world.arrive(entry)
    while True:
        for group, ids in world.delivered.items():
            if ids:
                delays.setdefault(group, delay)
        under_way = list(world.in_flight)
        if not under_way:
            return packets, delays
        packets += len(under_way)
        delay += 1
        for name in under_way:
            world.arrive(name)


@pytest.mark.parametrize("dst", SETS, ids="-".join)
def test_a_message_alone(dst: tuple[GroupId, ...]) -> None:
    """MSG to k - 1 groups; the i-th of them sends an ACK to all above: together k(k - 1)/2."""
    k = len(dst)
    upwards = sorted(dst, key=RANKS.rank)
    for home in (*dst, None):
        outside = int(home != upwards[0])
        packets, delays = cost(dst, home)
        assert packets == k * (k - 1) // 2 + outside
        assert delays == {group: place + outside for place, group in enumerate(upwards)}


def test_a_long_run_keeps_its_promises_and_costs_no_more_at_its_end() -> None:
    history = History()
    history.has_times = False
    run = LongRun(3000, history=history)
    while run.unsent > 1500:
        run.run(events=100)
    half = run.costs()
    run.reset()
    run.run()
    rest = run.costs()
    assert violations(history, required=PROMISES) == []
    assert max(half.notifs, rest.notifs) <= NOTIFS_MAX
    assert rest.entries < 1.2 * half.entries
    # A flush may start when the one before it is not yet delivered everywhere.
    assert max(half.vertices, rest.vertices) <= 2 * MESSAGES_PER_FLUSH + CLIENTS


def test_the_rule_of_the_paper_notifies_far_more() -> None:
    ours, theirs = LongRun(400), LongRun(400, paper_rule=True)
    ours.run()
    theirs.run()
    assert theirs.costs().notifs > 4 * ours.costs().notifs
