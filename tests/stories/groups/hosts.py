"""Machines of a story: a disk that outlives a crash, and a member that does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from amcast.consensus import Event, Record, Settings
from amcast.core import GroupId
from amcast.groups import FromClient, FromGroup, Member
from amcast.sim.packets import describe
from tests.stories.groups.words import Words

# Messages for other groups, in words, by group and number on the channel.
Kept = dict[tuple[GroupId, int], str]


@dataclass
class Host:
    """A machine: its disk outlives a crash, the rest does not."""

    name: str
    group: GroupId
    settings: Settings
    words: Words
    disk: list[Record] = field(default_factory=list)
    synced: int = 0
    member: Member | None = None
    timers: dict[str, int] = field(default_factory=dict)


class Letter(NamedTuple):
    """A packet on its way, and what a script calls it."""

    source: str
    target: str
    event: Event
    kind: str


def outbox(member: Member) -> Kept:
    """What it keeps until other groups have acknowledged it."""
    return {
        (target, number): describe(message)
        for target, outbound in member.machine.state.outbox.items()
        for number, message in (*outbound.numbered.items(), *outbound.bypassing.items())
    }


def missing(some: Kept, all: Kept) -> Kept:
    return {place: message for place, message in all.items() if place not in some}


def has_it(member: Member, event: Event) -> bool:
    """Whether it is a repeat of what stands in the log."""
    match event:
        case FromGroup(source, _, packet):
            return member.process.channels.has(source, packet.number)
        case FromClient(submitted):
            return member.process.submissions.seen(submitted.multicast.id)
        case _:
            return False
