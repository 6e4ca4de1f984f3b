"""Simulated clients: they draw messages from a workload and wait for replies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from amcast.core import ClientId, GroupId, InvalidInput, MessageId, Multicast, Submitted
from amcast.sim.network import US_PER_S, Link, Site

if TYPE_CHECKING:
    from amcast.sim.simulation import Simulation

DrawMessage = Callable[
    [GroupId, Random], tuple[tuple[GroupId, ...], int, str, tuple[str, ...] | None]
]


@dataclass(frozen=True)
class ClientPlan:
    """Where a client is and how it sends.

    `near` is the group that its workload calls home. With `inside`, the client is one of
    that group's processes: what they tell each other costs no packet and no time. Without
    `rate_s` it is a closed loop that sends when all destinations have replied, or with
    `waits_for_near` when the group `near` has, if the message is for it; with a rate, it sends
    so many messages a second, at random times, whatever comes back.
    """

    near: GroupId
    site: Site
    inside: bool = False
    rate_s: float | None = None
    waits_for_near: bool = False

    def __post_init__(self) -> None:
        if self.rate_s is not None and not self.rate_s > 0:
            raise InvalidInput(f"a rate of {self.rate_s} messages a second is not possible")


@mypyc_attr(allow_interpreted_subclasses=True)
class Client:
    """One client of a simulation."""

    def __init__(self, id: ClientId, plan: ClientPlan, sim: Simulation) -> None:
        self.id = id
        self.near = plan.near
        self.home = plan.near if plan.inside else None
        self._sim = sim
        self._rate_per_us = None if plan.rate_s is None else plan.rate_s / US_PER_S
        self._random = Random(f"client {id} {sim.seed}")
        # When it sends next, if it does not wait for replies; not rounded, so that gaps of
        # less than a microsecond add up.
        self._due_us = 0.0
        self._links: dict[GroupId, tuple[Link, Link]] = {}
        self._site = plan.site
        self._waits_for_near = plan.waits_for_near
        self.sent = 0
        # Message number -> (when it was sent, replies that are missing).
        self._open: dict[int, tuple[int, int]] = {}

    def start(self) -> None:
        if self._rate_per_us is None:
            self.send_next()
        else:
            self._send_later()

    def _send_later(self) -> None:
        assert self._rate_per_us is not None
        self._due_us += self._random.expovariate(self._rate_per_us)
        self._sim.at(round(self._due_us), self._send_on_time, None)

    def _send_on_time(self, _: None) -> None:
        if self.send_next():
            self._send_later()

    def send_next(self) -> bool:
        """Multicast one more message, unless the run wants no more."""
        sim = self._sim
        if not sim.may_send():
            return False
        dst, size, _, keys = sim.draw(self.near, self._random)
        self._multicast(dst, size, keys)
        return True

    def _multicast(
        self, dst: tuple[GroupId, ...], size: int, keys: tuple[str, ...] | None = None
    ) -> None:
        sim = self._sim
        self.sent += 1
        seq = self.sent
        id = MessageId(self.id, seq)
        multicast = Multicast(id, dst, sim.payload(size), keys)
        self._open[seq] = (sim.now_us, len(dst))
        if sim.recorder is not None:
            sim.recorder.multicast(id, self.id, dst, sim.now_us, size, self.home, keys)
        # Open messages are numbered upwards: the first is the lowest that is not finished.
        self._submit_to_all(Submitted(multicast, next(iter(self._open))))

    def _submit_to_all(self, submitted: Submitted) -> None:
        for group in self._sim.entry(submitted.multicast.dst, self.home):
            self._submit(group, submitted)

    def _submit(self, group: GroupId, submitted: Submitted) -> None:
        sim = self._sim
        node = sim.nodes[group]
        if group == self.home:
            sim.at(sim.now_us, node.arrive, submitted)
            return
        links = self._links.get(group) or self._connect(group)
        size = sim.size_of(submitted.multicast) if sim.sizes_matter else 0
        arrival = links[0](sim.now_us, size)
        sim.at(arrival, node.arrive, submitted)
        if sim.packets != "off":
            sim.record_packet(self.id, None, node, submitted.multicast, arrival, size)

    def reply_link(self, group: GroupId) -> Link | None:
        """The way back, None inside the own group."""
        if group == self.home:
            return None
        return (self._links.get(group) or self._connect(group))[1]

    def _connect(self, group: GroupId) -> tuple[Link, Link]:
        links = self._links[group] = self._sim.connect_client(self._site, group)
        return links

    def on_reply(self, reply: tuple[Multicast, GroupId]) -> None:
        multicast, group = reply
        seq = multicast.id.seq
        sent_us, missing = self._open[seq]
        self._note_reply(multicast, group, sent_us, missing == 1)
        if missing > 1:
            self._open[seq] = (sent_us, missing - 1)
        else:
            del self._open[seq]
        self._go_on_after(multicast.dst, group, missing - 1)

    def _go_on_after(self, dst: tuple[GroupId, ...], group: GroupId, missing: int) -> None:
        """Send the next message if `group` was what the closed loop waited for."""
        if self._rate_per_us is not None:
            return
        if group == self.near if self._waits_for_near and self.near in dst else not missing:
            self.send_next()

    def _note_reply(self, multicast: Multicast, group: GroupId, sent_us: int, last: bool) -> None:
        self._sim.note_reply(multicast, group, sent_us, last)


@dataclass(frozen=True)
class FlushPlan:
    """A reserved client that multicasts to all groups, again and again, for the protocol's sake."""

    client: ClientId
    period_us: int

    def __post_init__(self) -> None:
        if self.period_us < 1:
            raise InvalidInput("flushes need a period of a microsecond or more")


@mypyc_attr(allow_interpreted_subclasses=True)
class FlushClient(Client):
    """Sends the next flush some time after all groups delivered the last. No metric counts it."""

    def __init__(self, plan: FlushPlan, near: ClientPlan, sim: Simulation) -> None:
        super().__init__(plan.client, ClientPlan(near.near, near.site), sim)
        self._period_us = plan.period_us

    def start(self) -> None:
        self._sim.after(self._period_us, self._flush, None)

    def send_next(self) -> bool:
        self.start()
        return True

    def _flush(self, _: None) -> None:
        if self._sim.is_sending():
            self._multicast(tuple(self._sim.nodes), 0)

    def _note_reply(self, multicast: Multicast, group: GroupId, sent_us: int, last: bool) -> None:
        """Nobody waits for it."""
