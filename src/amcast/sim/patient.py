"""Clients of replicated groups: they ask again, for what they sent and what comes may be lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from amcast.core import GroupId, Multicast, Submitted
from amcast.sim.clients import Client, FlushClient

if TYPE_CHECKING:
    from amcast.sim.simulate_replicas import ReplicatedSimulation


class Patient(Client):
    """Submits again, and inquires where a reply is missing, until it has them all."""

    _sim: ReplicatedSimulation

    def start(self) -> None:
        # Message number -> what was submitted, and the groups that have not replied.
        self._waiting: dict[int, tuple[Submitted, dict[GroupId, None]]] = {}
        self.is_dead = False
        # How far the logs of groups were when this client first turned to them.
        self._since: dict[GroupId, int] = {}
        super().start()

    @property
    def waits(self) -> bool:
        return bool(self._waiting)

    def open_message(self, seq: int) -> Multicast | None:
        found = self._waiting.get(seq)
        return None if found is None else found[0].multicast

    def die(self) -> None:
        """It sends nothing any more, not even what it has half sent."""
        self.is_dead = True
        self._waiting.clear()
        if self._sim.recorder is not None:
            self._sim.recorder.fault(self.id, "crash", self._sim.now_us)

    def on_forgotten(self, _: None) -> None:
        """A group has had too much else to do since it last heard of this client."""
        if not self.is_dead:
            self.die()

    def send_next(self) -> bool:
        return not self.is_dead and super().send_next()

    def _submit_to_all(self, submitted: Submitted) -> None:
        multicast = submitted.multicast
        self._waiting[multicast.id.seq] = (submitted, dict.fromkeys(multicast.dst))
        faults = self._sim.faults
        if faults is not None and faults.client_dies():
            self._submit(next(iter(self._sim.entry(multicast.dst, self.home))), submitted)
            self.die()
            return
        super()._submit_to_all(submitted)
        self._sim.after(self._sim.replication.retry_us, self._ask_again, multicast.id.seq)

    def _submit(self, group: GroupId, submitted: Submitted) -> None:
        if not self.is_dead and not self._sim.is_lost(self.id, self._sim.nodes[group].name):
            super()._submit(group, self._for_group(group, submitted))

    def _for_group(self, group: GroupId, submitted: Submitted) -> Submitted:
        """As that group must have it: it knows by heart only those who came not too long ago."""
        since = self._since.setdefault(group, self._sim.groups[group].applied)
        # Its first number that is open may be a later one by now.
        return Submitted(submitted.multicast, next(iter(self._open)), since)

    def _ask_again(self, seq: int) -> None:
        found = self._waiting.get(seq)
        if found is None:
            return
        sim, (submitted, missing) = self._sim, found
        left = sim.left_of(submitted.multicast.dst)
        for group in [group for group in missing if group not in left]:
            self._give_up(seq, group)
        if not missing:
            return
        for group in sim.entry_again(left, self.home):
            again = self._for_group(group, submitted)
            self._send(group, sim.groups[group].arrive_again, again)
        for group in missing:
            self._send(group, sim.groups[group].inquire, submitted.multicast.id)
        sim.after(sim.replication.retry_us, self._ask_again, seq)

    def _give_up(self, seq: int, group: GroupId) -> None:
        """A group that is lost for ever will not reply, and nobody waits for it."""
        submitted, missing = self._waiting[seq]
        del missing[group]
        self._open[seq] = (self._open[seq][0], len(missing))
        if not missing:
            del self._waiting[seq], self._open[seq]
        self._go_on_after(submitted.multicast.dst, group, len(missing))

    def _send(self, group: GroupId, act: Callable[[Any], object], content: object) -> None:
        sim = self._sim
        if sim.is_lost(self.id, sim.nodes[group].name):
            return
        if group == self.home:
            sim.at(sim.now_us, act, content)
        else:
            links = self._links.get(group) or self._connect(group)
            sim.at(links[0](sim.now_us, 0), act, content)

    def on_reply(self, reply: tuple[Multicast, GroupId]) -> None:
        multicast, group = reply
        found = self._waiting.get(multicast.id.seq)
        # Two leaders may reply, or one may do so twice.
        if found is None or group not in found[1]:
            return
        del found[1][group]
        if not found[1]:
            del self._waiting[multicast.id.seq]
        super().on_reply(reply)


class PatientFlushClient(Patient, FlushClient):
    """The reserved client, with the same patience."""

    def send_next(self) -> bool:
        return FlushClient.send_next(self)

    def start(self) -> None:
        self._waiting = {}
        self._since = {}
        self.is_dead = False
        FlushClient.start(self)
