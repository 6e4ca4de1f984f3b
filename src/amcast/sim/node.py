"""A simulated group: steps its process and carries out the effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amcast.core import (
    CancelTimer,
    Deliver,
    Effect,
    Event,
    GroupId,
    Multicast,
    Process,
    Received,
    Rollback,
    Send,
    SetTimer,
    TimerFired,
    process_of,
)
from amcast.sim.network import Link, Network

if TYPE_CHECKING:
    from amcast.sim.simulation import Simulation


class Node:
    """One group of one process."""

    def __init__(self, process: Process[Any, Any], sim: Simulation, network: Network) -> None:
        self.process = process
        self.group = process.group
        self.name = process_of(process.group)
        self.delivered = 0
        self.sent = 0
        self._sim = sim
        self._links: dict[GroupId, Link] = {}
        self._cpu_us = network.cpu_us_per_message
        self._cpu_us_per_byte = network.cpu_us_per_kb / 1000
        self._busy_until_us = 0.0
        self._armed: dict[str, int] = {}
        busy = self._cpu_us or self._cpu_us_per_byte
        # What a packet does when it gets here: wait for the processor, if that takes time.
        self._take = self._queue if busy else self.handle
        self.arrive = self._arrive if sim.milestones else self._take

    def start(self) -> None:
        """The run begins. A group of one process waits for what comes."""

    def connect(self, links: dict[GroupId, Link]) -> None:
        self._links = links

    def _arrive(self, event: Event) -> None:
        self._sim.record_milestone(self.name, event, "received")
        self._take(event)

    def _queue(self, event: Event) -> None:
        sim = self._sim
        cost = self._cpu_us
        if self._cpu_us_per_byte:
            subject = event.message if isinstance(event, Received) else event.multicast  # type: ignore[attr-defined]
            cost += self._cpu_us_per_byte * sim.size_of(subject)
        self._busy_until_us = max(self._busy_until_us, sim.now_us) + cost
        done_us = round(self._busy_until_us)
        sim.at(done_us, self._processed if sim.milestones else self.handle, event)

    def _processed(self, event: Event) -> None:
        self._sim.record_milestone(self.name, event, "processed")
        self.handle(event)

    def handle(self, event: Event) -> None:
        for effect in self.process.step(event):
            if type(effect) is Send:
                self._send(effect)
            elif type(effect) is Deliver:
                self._deliver(effect.multicast)
            else:
                self._do_rare(effect)

    def _send(self, send: Send) -> None:
        sim = self._sim
        message = send.message
        target = sim.nodes[send.target]
        size = sim.size_of(message) if sim.sizes_matter else 0
        arrival = self._links[send.target](sim.now_us, size)
        sim.at(arrival, target.arrive, Received(self.group, send.number, message))
        self.sent += 1
        if sim.packets != "off":
            sim.record_packet(self.name, self.group, target, message, arrival, size)

    def _deliver(self, multicast: Multicast) -> None:
        sim = self._sim
        if sim.recorder is not None:
            sim.recorder.delivery(self.name, self.group, self.delivered, multicast.id, sim.now_us)
        self.delivered += 1
        client = sim.clients[multicast.id.client]
        link = client.reply_link(self.group)
        arrival = sim.now_us if link is None else link(sim.now_us, 0)
        sim.at(arrival, client.on_reply, (multicast, self.group))

    def _do_rare(self, effect: Effect) -> None:
        match effect:
            case SetTimer(timer, generation, delay_us):
                self._armed[timer] = generation
                self._sim.after(delay_us, self._fire, TimerFired(timer, generation))
            case CancelTimer(timer):
                self._armed.pop(timer, None)
            case Rollback(seq):
                self.delivered = seq
                if self._sim.recorder is not None:
                    self._sim.recorder.fault(self.name, "rollback", self._sim.now_us, seq=seq)
            case _:
                raise AssertionError(f"{self.name}: groups of one process have no {effect!r}")

    def _fire(self, fired: TimerFired) -> None:
        if self._armed.get(fired.timer) == fired.generation:
            del self._armed[fired.timer]
            self.handle(fired)
