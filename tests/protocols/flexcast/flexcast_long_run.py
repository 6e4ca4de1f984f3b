"""A long run of FlexCast with flushes: what it costs and what it keeps in memory.

    python tests/protocols/flexcast/flexcast_long_run.py 1000000

Twelve groups, destinations spread over all ranks, channels of very different speed, clients
that wait for all replies, and a flush every few hundred messages. Each tenth of the run
prints a line; the lines must look alike.
"""

from __future__ import annotations

import resource
import sys
from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random
from time import perf_counter

from amcast.check import History
from amcast.core import (
    Deliver,
    Event,
    GroupId,
    Message,
    MessageId,
    Multicast,
    Received,
    Send,
    Submitted,
    process_of,
)
from amcast.protocols.flexcast import FLUSH_CLIENT, FlexCast

GROUPS = 12
CLIENTS = 48
MESSAGES_PER_FLUSH = 200


@dataclass(frozen=True)
class Costs:
    """Per message, but for the two sizes, which are the largest of any group."""

    msgs: float
    acks: float
    notifs: float
    entries: float
    vertices: int
    snapshot_bytes: int


class LongRun:
    """Clients in closed loops, one flush client, one heap of arrivals."""

    def __init__(
        self,
        messages: int,
        *,
        seed: int = 1,
        flush_every: int | None = MESSAGES_PER_FLUSH,
        paper_rule: bool = False,
        history: History | None = None,
    ) -> None:
        self.random = Random(seed)
        self.groups = tuple(f"g{number}" for number in range(GROUPS))
        self.processes = {
            group: FlexCast(group, self.groups, paper_rule=paper_rule) for group in self.groups
        }
        self.unsent = messages
        self.sent = 0
        self.flushes = 0
        self.counts: Counter[str] = Counter()
        self.vertices = 0
        self.snapshot_bytes = 0
        self._flush_every = flush_every
        self._history = history
        self._heap: list[tuple[float, int, GroupId, Event]] = []
        self._tickets = count().__next__
        self._open: dict[MessageId, int] = {}
        self._last_seq: dict[str, int] = {}
        self._delays = {
            (a, b): 100 ** self.random.random() for a in self.groups for b in self.groups
        }
        self._positions: Counter[GroupId] = Counter()
        for client in range(CLIENTS):
            self._send_next(f"c{client}", 0.0)

    def run(self, events: int | None = None) -> bool:
        """Handle so many events, or all; whether any are left."""
        while self._heap and events != 0:
            now, _, group, event = heappop(self._heap)
            for effect in self.processes[group].step(event):
                match effect:
                    case Send(target, number, message):
                        self._count(message)
                        delay = self._delays[group, target] * self.random.uniform(0.5, 1.5)
                        self._push(now + delay, target, Received(group, number, message))
                    case Deliver(multicast):
                        self._delivered(group, multicast, now)
            if events is not None:
                events -= 1
        return bool(self._heap)

    def costs(self) -> Costs:
        msgs, acks, notifs, entries = (
            self.counts[kind] / max(1, self.sent) for kind in ("Msg", "Ack", "Notif", "entries")
        )
        return Costs(msgs, acks, notifs, entries, self.vertices, self.snapshot_bytes)

    def reset(self) -> None:
        """Count anew from here."""
        self.counts.clear()
        self.sent = self.vertices = self.snapshot_bytes = 0

    def _count(self, message: Message) -> None:
        self.counts[type(message).__name__] += 1
        self.counts["entries"] += len(getattr(message, "news", ()))

    def _send_next(self, client: str, now: float) -> None:
        if self.unsent == 0:
            return
        self.unsent -= 1
        self.sent += 1
        chosen = self.random.sample(self.groups, self.random.choice((2, 2, 3)))
        self._multicast(client, tuple(group for group in self.groups if group in chosen), now)
        if self._flush_every is not None and self.sent % self._flush_every == 0:
            self._measure()
            self._multicast(FLUSH_CLIENT, self.groups, now)

    def _multicast(self, client: str, dst: tuple[GroupId, ...], now: float) -> None:
        seq = self._last_seq[client] = self._last_seq.get(client, 0) + 1
        multicast = Multicast(MessageId(client, seq), dst)
        self._open[multicast.id] = len(dst)
        settled = min(id.seq for id in self._open if id.client == client)
        if self._history is not None:
            self._history.add_multicast(multicast.id, client, dst)
        entry = self.processes[dst[0]].entry(dst, None)[0]
        self._push(now + self.random.uniform(0, 10), entry, Submitted(multicast, settled))

    def _delivered(self, group: GroupId, multicast: Multicast, now: float) -> None:
        id = multicast.id
        if self._history is not None:
            position = self._positions[group]
            self._positions[group] += 1
            self._history.add_delivery(process_of(group), group, position, id)
        self._open[id] -= 1
        if self._open[id] == 0:
            del self._open[id]
            if id.client == FLUSH_CLIENT:
                self.flushes += 1
            else:
                self._send_next(id.client, now)

    def _push(self, at: float, group: GroupId, event: Event) -> None:
        # Channels number their packets, so that they may overtake each other here.
        heappush(self._heap, (at, self._tickets(), group, event))

    def _measure(self) -> None:
        sizes = [len(process.state.history.vertices) for process in self.processes.values()]
        self.vertices = max(self.vertices, *sizes)
        group = self.random.choice(self.groups)
        size = len(self.processes[group].snapshot())
        self.snapshot_bytes = max(self.snapshot_bytes, size)


def main(messages: int) -> None:
    run = LongRun(messages)
    tenth = messages // 10
    for _ in range(10):
        start = perf_counter()
        target = max(0, run.unsent - tenth)
        while run.unsent > target and run.run(events=1000):
            pass
        sent, costs = run.sent, run.costs()
        us = (perf_counter() - start) / max(1, sent) * 1e6
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{run.unsent:9} left, {us:.0f} us a message, {megabytes:.0f} MB; {costs}", flush=True
        )
        run.reset()
    run.run()
    assert not run._open, "every message is delivered"
    print(f"{run.flushes} flushes, nothing left over")


if __name__ == "__main__":
    main(int(sys.argv[1]))
