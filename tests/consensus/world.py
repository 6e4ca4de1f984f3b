"""A group of replicas in virtual time, with a bad network, bad disks and crashes, from a seed."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import permutations
from random import Random
from typing import Any

from amcast.consensus import (
    Message,
    Proposed,
    ReadRequested,
    Settings,
    StorageFailed,
    TimerFired,
)
from amcast.consensus.messages import Promise
from amcast.consensus.timers import ELECTION
from tests.consensus.host import Host
from tests.consensus.operator import Operator
from tests.consensus.oracle import Oracle, Violation
from tests.consensus.plans import SETTINGS, Plan, drawn_plan


class World:
    """The scheduler, the network and the faults."""

    def __init__(self, seed: int, plan: Plan | None = None) -> None:
        self.random = Random(seed)
        self.plan = plan or drawn_plan(self.random)
        self.now = self.steps = self.elections = self.packets = 0
        self.healed = False
        # The leader, as the last replica that refused something knew it.
        self.hint = 0
        self.cut: dict[tuple[int, int], None] = {}
        self.oracle = Oracle(tuple(range(self.plan.size)))
        self.operator = Operator(self)
        self._queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._count = 0
        self.hosts: list[Host] = []
        for _ in range(self.plan.size):
            self.add_host()

    def add_host(self) -> Host:
        settings = {**SETTINGS, **self.plan.settings}
        host = Host(self, Settings(me=len(self.hosts), size=self.plan.size, **settings))
        self.hosts.append(host)
        return host

    # Time.

    def after(self, delay: int, action: Callable[..., None], *arguments: Any) -> None:
        self._count += 1
        heapq.heappush(self._queue, (self.now + delay, self._count, action, arguments))

    def run(self) -> World:
        """Bad times, then good ones: everything proposed must then be applied everywhere."""
        self.begin()
        while not (self.healed and self.is_done()):
            if self.now > self.plan.give_up_at or not self._queue:
                raise Violation(f"stuck: {[host.applied for host in self.hosts]}")
            action, arguments = self._next()
            action(*arguments)
        self.oracle.check_log()
        self.oracle.check_members(self.hosts)
        return self

    def _next(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        queue = self._queue
        if self.healed or not self.plan.scrambled:
            self.now, _, action, arguments = heapq.heappop(queue)
            return action, arguments
        self.now += 1
        if self.now >= self.plan.heal_at:
            return self._heal, ()
        drawn = [self.random.randrange(len(queue)) for _ in range(self.plan.scrambled)]
        chosen = min(drawn, key=queue.__getitem__)
        queue[chosen], queue[-1] = queue[-1], queue[chosen]
        _, _, action, arguments = queue.pop()
        return action, arguments

    def begin(self) -> None:
        plan, random = self.plan, self.random
        for host in self.hosts:
            host.start_for_the_first_time()
        for number in range(plan.commands):
            self.after(random.randint(0, plan.heal_at), self._propose, b"c%d" % number)
        for number in range(plan.reads):
            self.after(random.randint(0, plan.heal_at), self._read, number)
        if plan.change_mean:
            self.after(self.soon(plan.change_mean), self.operator.act)
        if plan.crash_mean:
            self.after(self.soon(plan.crash_mean), self._crash_someone)
        if plan.partition_mean:
            self.after(self.soon(plan.partition_mean), self._cut_links)
        if plan.impatience_mean:
            self.after(self.soon(plan.impatience_mean), self._lose_patience)
        if not plan.scrambled:
            self.after(plan.heal_at, self._heal)

    def is_done(self) -> bool:
        oracle = self.oracle
        return len(oracle.acknowledged) == self.plan.commands and all(
            self.hosts[member].applied == oracle.last
            for member in oracle.members
            if not self.hosts[member].wiped
        )

    # The clients.

    def _propose(self, command: bytes) -> None:
        """At any replica, or the one named leader, again and again until it is applied."""
        if command in self.oracle.acknowledged:
            return
        host = self.random.choice((self.random.choice(self.hosts), self.hosts[self.hint]))
        if host.replica is not None:
            self.oracle.proposed[command] = self.oracle.proposed.get(command, 0) + 1
            if not self.healed and self.random.random() < self.plan.crash_proposer:
                self.after(self.random.randint(0, 60), self._crash, host)
            host.step(Proposed((command,)))
        self.after(self.plan.retry, self._propose, command)

    def _read(self, number: int) -> None:
        self.oracle.read_floor[number] = self.oracle.last
        self.random.choice(self.hosts).step(ReadRequested(number))

    # The network and the disks.

    def send(self, source: int, target: int, message: Message) -> None:
        if source == target:
            self.after(0, self._hand_over, source, target, message, self.hosts[target].incarnation)
            return
        self.packets += 1
        plan, random = self.plan, self.random
        copies = 1
        if not self.healed:
            if type(message) is Promise and random.random() < plan.crash_promiser:
                delay = random.randint(0, random.choice((5, 40)))
                self.after(delay, self._crash, self.hosts[source])
            if (source, target) in self.cut or random.random() < plan.loss:
                return
            copies = 1 + (random.random() < plan.repeat)
        for _ in range(copies):
            late = not self.healed and random.random() < plan.slow
            delay = random.randint(1, plan.slow_by if late else 5 if self.healed else 20)
            self.after(delay, self._hand_over, source, target, message, None)

    def _hand_over(
        self, source: int, target: int, message: Message, incarnation: int | None
    ) -> None:
        host = self.hosts[target]
        if incarnation is None or incarnation == host.incarnation:
            host.receive(source, message)

    def disk_delay(self, host: Host) -> int:
        if self.healed:
            return self.random.randint(0, 5)
        delay = self.random.randint(0, self.plan.disk_delay)
        if self.random.random() < self.plan.crash_unsynced:
            self.after(self.random.randint(0, delay), self._crash, host)
        return delay

    # The faults.

    def soon(self, mean: int) -> int:
        return 1 + int(self.random.expovariate(1 / mean))

    def crashes_now(self, host: Host) -> bool:
        """In the middle of carrying out the effects of a step."""
        plan = self.plan
        # A replica exists once its identity is durable; until then there is nothing to recover.
        if not host.disk.durable or self.healed or self.random.random() >= plan.crash_midway:
            return False
        self._restart_soon(host)
        return True

    def _crash_someone(self) -> None:
        if self.healed:
            return
        random = self.random
        leaders = [host for host in self.hosts if host.is_leader]
        victims = [random.choice(random.choice((self.hosts, leaders or self.hosts)))]
        if random.random() < 0.1:
            victims = list(self.hosts)
        for host in victims:
            self._crash(host)
        self.after(self.soon(self.plan.crash_mean), self._crash_someone)

    def _crash(self, host: Host) -> None:
        if self.healed:
            return
        if self.random.random() < 0.1:
            host.step(StorageFailed())
        else:
            host.crash()
        self._restart_soon(host)

    def _restart_soon(self, host: Host) -> None:
        self.after(self.soon(self.plan.restart_mean), self._restart, host)

    def _restart(self, host: Host) -> None:
        if host.replica is not None and host.replica.memory.failed:
            host.crash()
        if host.replica is None and not host.wiped:
            host.start()

    def _lose_patience(self) -> None:
        """One replica canvasses although the leader may be well, and some others support it."""
        if self.healed:
            return
        followers = [host for host in self.hosts if host.replica and not host.is_leader]
        self.random.shuffle(followers)
        for host in [*followers[:1], *followers]:
            if host.replica is not None and self.random.random() < 0.8:
                host.step(TimerFired(ELECTION, host.replica.memory.timers[ELECTION]))
        self.after(self.soon(self.plan.impatience_mean), self._lose_patience)

    def _cut_links(self) -> None:
        """Replaces the partition: none, two halves, single directions, or two that are apart.

        The last is where a replica that both can reach decides which of them leads.
        """
        if self.healed:
            return
        everyone, random = range(len(self.hosts)), self.random
        pairs = list(permutations(everyone, 2))
        side = [random.random() < 0.5 for _ in everyone]
        leaders = [host.settings.me for host in self.hosts if host.is_leader]
        kind = random.choice(self.plan.partition_kinds)
        if kind == 0 or not pairs:
            pairs = []
        elif kind == 1:
            pairs = [(one, other) for one, other in pairs if side[one] != side[other]]
        elif kind == 2:
            pairs = [pair for pair in pairs if random.random() < 0.3]
        else:
            one, other = random.choice([pair for pair in pairs if pair[0] in leaders] or pairs)
            pairs = [(one, other), (other, one)]
        self.cut = dict.fromkeys(pairs)
        self.after(self.soon(self.plan.partition_mean), self._cut_links)

    def _heal(self) -> None:
        self.healed = True
        self.cut = {}
        late = [(max(self.now, due), *rest) for due, *rest in self._queue]
        self._queue = sorted(late, key=lambda item: item[:2])  # type: ignore[arg-type]
        for host in self.hosts:
            self._restart(host)
