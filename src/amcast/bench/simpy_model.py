"""The same model on SimPy: what our driver is measured against.

The processes, the workload, the delays and their random numbers are the very same objects, so
that every run delivers the same messages at the same virtual times. What differs is who keeps
the time, and how a packet on its way is written down; SimPy has several ways, see `STYLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import Any, Final

import simpy

from amcast.core import (
    ClientId,
    Deliver,
    Event,
    GroupId,
    MessageId,
    Multicast,
    Received,
    Send,
    Submitted,
)
from amcast.scenarios import Run
from amcast.sim import ClientPlan, Latencies
from amcast.sim.network import Link

# Takes what has arrived as the value of a SimPy event.
Receive = Callable[[Any], None]
# Lets a value arrive after a delay.
Post = Callable[[int, object], None]


def callbacks(env: Any, receive: Receive) -> Post:
    """A packet is a timeout that calls its receiver: the least that SimPy can do."""

    def post(delay_us: int, value: object) -> None:
        env.timeout(delay_us, value).callbacks.append(receive)

    return post


def stores(env: Any, receive: Receive) -> Post:
    """A packet is a timeout that puts it into a store; the receiver is a process there."""
    put = _serve(env, receive).put

    def arrive(timeout: Any) -> None:
        put(timeout.value)

    def post(delay_us: int, value: object) -> None:
        env.timeout(delay_us, value).callbacks.append(arrive)

    return post


def processes(env: Any, receive: Receive) -> Post:
    """A packet is a process, and so is the receiver: as in SimPy's own example of latency."""
    inbox = _serve(env, receive)

    def travel(delay_us: int, value: object) -> Generator[Any, Any, None]:
        yield env.timeout(delay_us)
        inbox.put(value)

    def post(delay_us: int, value: object) -> None:
        env.process(travel(delay_us, value))

    return post


STYLES: Final = {"callbacks": callbacks, "stores": stores, "processes": processes}


def _serve(env: Any, receive: Receive) -> Any:
    inbox = simpy.Store(env)

    def serve() -> Generator[Any, Any, None]:
        while True:
            arrived = inbox.get()
            yield arrived
            receive(arrived)

    env.process(serve())
    return inbox


class SimpyModel:
    """One run of a protocol without timers, by clients that wait for their replies."""

    def __init__(self, run: Run, style: str) -> None:
        plan = run.plan
        assert plan.messages is not None
        self.plan = plan
        self.env: Any = simpy.Environment()
        self.open = STYLES[style]
        self.unsent = plan.messages
        self.latencies = Latencies(None)
        self.random = Random(f"network {run.parameters.seed}")
        self.nodes = {group: SimpyNode(self, group, run) for group in plan.groups}
        self.clients = {
            f"c{number}": SimpyClient(self, f"c{number}", client, run.parameters.seed)
            for number, client in enumerate(plan.clients, start=1)
        }

    def link(self, source: str, target: str) -> Link:
        return self.plan.network.link(source, target, self.random, None)

    def run(self) -> int:
        """Run until nothing is left to happen; how many deliveries there were."""
        for client in self.clients.values():
            client.send_next()
        self.env.run()
        return sum(node.delivered for node in self.nodes.values())


class SimpyNode:
    """One group."""

    def __init__(self, model: SimpyModel, group: GroupId, run: Run) -> None:
        place = run.plan.placement
        self.model = model
        self.group = group
        self.process = run.factory(group)
        self.links = {other: model.link(place[group], place[other]) for other in run.plan.groups}
        self.post = model.open(model.env, self.receive)
        self.delivered = 0

    def receive(self, arrived: Any) -> None:
        event: Event = arrived.value
        model = self.model
        for effect in self.process.step(event):
            # Links map the present to the time of arrival; SimPy wants what is between.
            if type(effect) is Send:
                received = Received(self.group, effect.number, effect.message)
                model.nodes[effect.target].post(self.links[effect.target](0, 0), received)
            elif type(effect) is Deliver:
                self.delivered += 1
                client = model.clients[effect.multicast.id.client]
                _, back = client.links_to(self.group)
                client.post(back(0, 0), (effect.multicast, self.group))


class SimpyClient:
    """One client."""

    def __init__(self, model: SimpyModel, id: ClientId, plan: ClientPlan, seed: int) -> None:
        self.model = model
        self.id = id
        self.plan = plan
        self.random = Random(f"client {id} {seed}")
        self.links: dict[GroupId, tuple[Link, Link]] = {}
        self.post = model.open(model.env, self.on_reply)
        self.sent = 0
        self.sent_us = 0
        self.missing = 0

    def links_to(self, group: GroupId) -> tuple[Link, Link]:
        """There and back."""
        found = self.links.get(group)
        if found is None:
            here, there = self.plan.site, self.model.plan.placement[group]
            found = self.links[group] = self.model.link(here, there), self.model.link(there, here)
        return found

    def send_next(self) -> None:
        model = self.model
        if model.unsent == 0:
            return
        model.unsent -= 1
        dst, size, _, keys = model.plan.draw(self.plan.near, self.random)
        self.sent += 1
        self.sent_us = model.env.now
        self.missing = len(dst)
        multicast = Multicast(MessageId(self.id, self.sent), dst, bytes(size), keys)
        submitted = Submitted(multicast, self.sent)
        for group in model.nodes[dst[0]].process.entry(dst, None):
            forth, _ = self.links_to(group)
            model.nodes[group].post(forth(0, 0), submitted)

    def on_reply(self, arrived: Any) -> None:
        multicast, group = arrived.value
        self.missing -= 1
        last = self.missing == 0
        rank = multicast.dst.index(group)
        self.model.latencies.note(rank, self.sent_us, self.model.env.now, last)
        if last:
            self.send_next()
