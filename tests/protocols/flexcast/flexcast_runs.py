"""Runs of FlexCast group by group: packets only go up, so the ranks can run one after the other.

What a group does depends on the order in which its clients and the groups below reach it,
and on nothing else. To try all such orders at each rank, lowest first, is to try every
asynchronous run; to draw one at each rank is to draw from all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from random import Random

import msgspec

from amcast.check import History, violations
from amcast.core import (
    Deliver,
    Event,
    GroupId,
    MessageId,
    Multicast,
    Received,
    Send,
    Submitted,
    process_of,
)
from amcast.overlays import Ranks
from amcast.protocols.flexcast import FLUSH_CLIENT, FlexCast

PROMISES = ("integrity", "validity", "agreement", "prefix_order", "acyclic_order")

Make = Callable[[GroupId, tuple[GroupId, ...], Ranks], FlexCast]
DestinationSets = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Workload:
    """Messages to ranks; `flushes` of them more, to all."""

    ranks: int
    sets: DestinationSets
    flushes: int = 0

    @property
    def groups(self) -> tuple[GroupId, ...]:
        return tuple(f"g{rank}" for rank in range(self.ranks))

    def multicasts(self) -> list[Multicast]:
        groups = self.groups
        ordinary = [
            Multicast(MessageId("c", number), tuple(groups[rank] for rank in dst))
            for number, dst in enumerate(self.sets)
        ]
        flushes = [
            Multicast(MessageId(FLUSH_CLIENT, number), groups) for number in range(self.flushes)
        ]
        return ordinary + flushes


def workloads(ranks: int, messages: int, flushes: int = 0) -> Iterator[Workload]:
    """All multisets of destination sets with two groups or more."""
    sets = [chosen for size in range(2, ranks + 1) for chosen in combinations(range(ranks), size)]
    for chosen in combinations_with_replacement(sets, messages):
        yield Workload(ranks, chosen, flushes)


@dataclass
class Outcome:
    """What the groups up to some rank have done."""

    delivered: dict[GroupId, list[MessageId]] = field(default_factory=dict)
    # (sender, target) -> what was sent, in order.
    sent: dict[tuple[GroupId, GroupId], list[Event]] = field(default_factory=dict)

    def copy(self) -> Outcome:
        return Outcome(
            {group: list(ids) for group, ids in self.delivered.items()},
            {ends: list(events) for ends, events in self.sent.items()},
        )

    def take(self, process: FlexCast, event: Event) -> None:
        group = process.group
        for effect in process.step(event):
            match effect:
                case Deliver(multicast):
                    self.delivered.setdefault(group, []).append(multicast.id)
                case Send(target, number, message):
                    packets = self.sent.setdefault((group, target), [])
                    packets.append(Received(group, number, message))
                case _:
                    raise AssertionError(effect)

    def inputs(
        self, group: GroupId, multicasts: Sequence[Multicast], ranks: Ranks
    ) -> list[list[Event]]:
        """Queues whose heads may arrive in any order: each client's message, each channel."""
        entering = [each for each in multicasts if ranks.lowest(each.dst) == group]
        clients: list[list[Event]] = [[Submitted(multicast)] for multicast in entering]
        return clients + [events for (_, target), events in self.sent.items() if target == group]


def history_of(workload: Workload, outcome: Outcome) -> History:
    history = History()
    history.has_times = False
    for group in workload.groups:
        history.add_process(process_of(group), group)
    for multicast in workload.multicasts():
        history.add_multicast(multicast.id, multicast.id.client, multicast.dst)
    for group, ids in outcome.delivered.items():
        for position, id in enumerate(ids):
            history.add_delivery(process_of(group), group, position, id)
    return history


def broken(workload: Workload, outcome: Outcome) -> list[str]:
    return violations(history_of(workload, outcome), required=PROMISES)


# One random run.


def random_workload(random: Random, ranks: tuple[int, int], messages: tuple[int, int]) -> Workload:
    count = random.randint(*ranks)
    sets = []
    for _ in range(random.randint(*messages)):
        size = min(count, random.choice((2, 2, 2, 3, 3, 4)))
        sets.append(tuple(sorted(random.sample(range(count), size))))
    return Workload(count, sets, random.choice((0, 1, 1, 2, 3)))


def among_others(workload: Workload, random: Random) -> Workload:
    """The same with as many groups more, which no message but a flush is addressed to."""
    ranks = 2 * workload.ranks
    places = sorted(random.sample(range(ranks), workload.ranks))
    sets = [tuple(places[rank] for rank in dst) for dst in workload.sets]
    return Workload(ranks, sets, workload.flushes)


def random_run(
    workload: Workload, random: Random, make: Make = FlexCast, *, replaced: float = 0.0
) -> Outcome:
    """Some queues are much faster than others; which ones differs from group to group.

    `replaced` is how often a process is replaced by a copy made from its snapshot.
    """
    outcome = Outcome()
    groups = workload.groups
    multicasts = workload.multicasts()
    ranks = Ranks(groups)
    replacements = Random(1)
    for group in groups:
        process = make(group, groups, ranks)
        # Turned around, to take from the end.
        queues = [queue[::-1] for queue in outcome.inputs(group, multicasts, ranks)]
        speeds = [1000 ** random.random() for _ in queues]
        while any(queues):
            weights = [speed * bool(queue) for speed, queue in zip(speeds, queues, strict=True)]
            outcome.take(process, random.choices(queues, weights)[0].pop())
            if replaced and replacements.random() < replaced:
                process = _copied(process, make, ranks)
    return outcome


def _copied(process: FlexCast, make: Make, ranks: Ranks) -> FlexCast:
    copy = make(process.group, process.groups, ranks)
    copy.restore(process.snapshot())
    return copy


# All runs.


def all_runs(workload: Workload, make: Make = FlexCast) -> Iterator[Outcome]:
    """Every outcome once."""
    outcomes = [Outcome()]
    multicasts = workload.multicasts()
    ranks = Ranks(workload.groups)
    for group in workload.groups:
        found: dict[bytes, Outcome] = {}
        for outcome in outcomes:
            process = make(group, workload.groups, ranks)
            queues = outcome.inputs(group, multicasts, ranks)
            for reached in _all_orders(process, queues, outcome):
                found.setdefault(_encoded(reached), reached)
        outcomes = list(found.values())
    yield from outcomes


def _all_orders(process: FlexCast, queues: list[list[Event]], start: Outcome) -> Iterator[Outcome]:
    """What becomes of `start` when the queues reach one group in each possible order."""
    seen: dict[tuple[tuple[int, ...], bytes, bytes], None] = {}
    unfinished = [((0,) * len(queues), process.snapshot(), start)]
    while unfinished:
        taken, snapshot, outcome = unfinished.pop()
        if all(position == len(queue) for position, queue in zip(taken, queues, strict=True)):
            yield outcome
        for number, queue in enumerate(queues):
            if taken[number] == len(queue):
                continue
            process.restore(snapshot)
            after = outcome.copy()
            after.take(process, queue[taken[number]])
            position = tuple(at + (n == number) for n, at in enumerate(taken))
            reached = (position, process.snapshot(), _encoded(after))
            if reached not in seen:
                seen[reached] = None
                unfinished.append((position, reached[1], after))


def _encoded(outcome: Outcome) -> bytes:
    sent = [(list(ends), events) for ends, events in sorted(outcome.sent.items())]
    return msgspec.msgpack.encode((sorted(outcome.delivered.items()), sent))
