"""Plays a script of replicated groups, packet by packet.

    groups g1 g2
    elect g1/0
    multicast c1:1 to g1,g2
    c1 > g1/0 submit
    g1/1 > g1/0 accepted, crash before timestamp
    settle

`elect` lets a group have its first leader and does not tell how. A packet line lets the oldest
such packet arrive; `crash before KIND` behind it stops the receiver as it is about to send one
to another group; `lose` in front of it loses it. `fire g1/2 election` (or heartbeat, resend)
lets a timer run out. `c1 asks g1/2 again` and `restart g1/0` are what they say. With `settle` all
that is on its way arrives, oldest first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amcast.consensus import Event, Replica
from amcast.core import GroupId, MessageId, Multicast, Process, Submitted, destinations
from amcast.groups import FromClient, Inquired
from tests.stories.groups.hosts import Host, Letter
from tests.stories.groups.world import GroupWorld


class Narrator:
    """Lets happen in a world what a script says."""

    def __init__(
        self, groups: tuple[GroupId, ...], factory: Callable[[GroupId], Process[Any, Any]]
    ) -> None:
        self.world = GroupWorld(groups, factory)
        self._multicasts: dict[str, Multicast] = {}

    def play(self, line: str) -> list[str]:
        """Let one line happen; what there is to tell."""
        world = self.world
        before = len(world.narrative)
        happening, _, sent = line.partition(", crash before ")
        world.crash_before = sent or None
        self._play(happening.split())
        assert world.crash_before is None, f"{line}: it did not crash"
        return world.narrative[before:]

    def _play(self, words: list[str]) -> None:
        world = self.world
        match words:
            case ["elect", name]:
                self._elect(world.hosts[name])
            case ["multicast", id, "to", dst]:
                self._multicast(id, destinations(dst.split(","), world.groups))
            case [client, "asks", name, "again"]:
                self._ask_again(self._multicasts[client], world.hosts[name])
            case ["fire", name, timer]:
                world.fire(world.hosts[name], timer)
            case ["restart", name]:
                self._restart(world.hosts[name])
            case ["settle"]:
                while world.in_flight:
                    world.arrive(world.in_flight.pop(0))
            case ["lose", *packet]:
                letter = self._find(packet)
                world.tell(f"{world.described(letter)} from {letter.source} is lost")
            case _:
                world.arrive(self._find(words))

    def _find(self, words: list[str]) -> Letter:
        source, arrow, target, wanted = words
        assert arrow == ">", words
        in_flight = self.world.in_flight
        for place, letter in enumerate(in_flight):
            if (letter.source, letter.target, letter.kind) == (source, target, wanted):
                return in_flight.pop(place)
        raise AssertionError(f"nothing like {' '.join(words)} is on its way")

    def _elect(self, host: Host) -> None:
        world = self.world
        before = len(world.narrative)
        world.fire(host, "election")
        self._play(["settle"])
        del world.narrative[before:]
        assert host.member is not None
        assert host.member.leading
        world.tell(f"{host.name} leads {host.group}, and all of {host.group} know")

    def _restart(self, host: Host) -> None:
        self.world.tell(f"{host.name} restarts with its disk: {len(host.disk)} records")
        self.world.record.fault(host.name, "restart", 0)
        self.world.start(host, Replica.recover(host.settings, host.disk))

    # Clients.

    def _multicast(self, id: str, dst: tuple[GroupId, ...]) -> None:
        world, multicast = self.world, Multicast(MessageId.parse(id), dst)
        client = multicast.id.client
        self._multicasts[client] = multicast
        world.record.multicast(multicast.id, client, dst, 0, 0, None, None)
        world.tell(f"{client} multicasts {id} to {', '.join(dst)}")
        for group in dst:
            world.send(client, world.hosts[f"{group}/0"], FromClient(Submitted(multicast, 1)))

    def _ask_again(self, multicast: Multicast, host: Host) -> None:
        world = self.world
        world.tell(f"{multicast.id.client} has no reply from {host.group} and tries again")
        again: tuple[Event, ...] = (FromClient(Submitted(multicast, 1)), Inquired(multicast.id))
        for event in again:
            world.send(multicast.id.client, host, event)
        self._play(["settle"])
