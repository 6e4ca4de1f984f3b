"""Stories: a schedule as a text that a person can read, edit and run again.

    groups g1 g2
    multicast c1:1 to g1,g2
    c1 > g1 submit c1:1
    g1 > g2 timestamp c1:1
    settle

The first line names the groups, in order; `replicas 2` may follow. `multicast` may go on with
`from g1`: the client is one of that group's processes; and with `keys a,b`, on which the message
conflicts with others, or `keys -` if it conflicts with none. A packet line lets that packet arrive;
`lose` in front of a client's packet means that the client crashed before sending it; `fire g1
NAME` lets a timer run out; `g1 suspects g2` and `g1 trusts g2` are what failure detectors say;
`decide g1` and `apply g1/0` drive the log of a replicated group; `settle` goes on, in the order
of sending, until nothing is left to do.
Empty lines, and those that begin with # or |, are for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from amcast.check import violations
from amcast.core import (
    GroupId,
    InvalidInput,
    MessageId,
    Multicast,
    Suspected,
    Trusted,
    check_groups,
    destinations,
)
from amcast.sim.packets import Apply, Decide, PacketName
from amcast.sim.world import ProcessFactory, World

# What a wrong protocol may raise.
PROCESS_FAILURES = (AssertionError, LookupError, RuntimeError)


@dataclass(frozen=True)
class Story:
    """The groups and what happens to them, one line each."""

    groups: tuple[GroupId, ...]
    lines: tuple[str, ...]
    replicas: int = 1

    @classmethod
    def parse(cls, text: str) -> Story:
        lines = [line.strip() for line in text.splitlines()]
        script = [line for line in lines if line and line[0] not in "#|"]
        if not script or not script[0].startswith("groups "):
            raise InvalidInput("a story begins with its groups, such as: groups g1 g2")
        groups = check_groups(script[0].split()[1:])
        match script[1].split() if len(script) > 1 else []:
            case ["replicas", count] if count.isdecimal() and int(count) > 0:
                return cls(groups, tuple(script[2:]), int(count))
            case _:
                return cls(groups, tuple(script[1:]))

    @property
    def heading(self) -> str:
        several = f"\nreplicas {self.replicas}" if self.replicas > 1 else ""
        return f"groups {' '.join(self.groups)}{several}"

    def __str__(self) -> str:
        return "\n".join((self.heading, *self.lines)) + "\n"

    @property
    def messages(self) -> list[str]:
        """The ids of all messages, in the order of their multicasts."""
        ids = [line.split()[1] for line in self.lines if line.startswith("multicast ")]
        return list(dict.fromkeys(ids))

    def without_message(self, id: str) -> Story:
        kept = (line for line in self.lines if not line.startswith(f"multicast {id} "))
        return replace(self, lines=tuple(kept))

    def world(self, factory: ProcessFactory) -> World:
        """Where it takes place, before anything has happened."""
        return World(factory, self.groups, replicas=self.replicas)


def play(story: Story, factory: ProcessFactory) -> World:
    """Run a story as it is written; a line that cannot happen is an error."""
    world = story.world(factory)
    for line in story.lines:
        _play_or_refuse(world, line)
    return world


def play_loosely(story: Story, factory: ProcessFactory) -> tuple[World, Story]:
    """Run what can happen of a story, then settle; also the story of just those lines.

    A process that falls over ends the story, and the world says so in `crash`.
    """
    world = story.world(factory)
    played: list[str] = []
    for line in (*story.lines, "settle"):
        try:
            happened = _play_line(world, line)
        except PROCESS_FAILURES as error:
            world.crash = f"{type(error).__name__}: {error}"
            happened = True
        if happened and played[-1:] != ["settle"]:
            played.append(line)
        if world.crash is not None:
            break
    return world, replace(story, lines=tuple(played))


def broken_promises(world: World, promises: Sequence[str]) -> tuple[str, ...]:
    """What is wrong with how a world ended, in words."""
    if world.crash is not None:
        # A protocol that falls over is as wrong as one that delivers in the wrong order.
        return (f"crash: {world.crash}",)
    return tuple(violations(world.history, required=promises))


def tell(story: Story, factory: ProcessFactory) -> str:
    """The story with what happens told under each line."""
    world = story.world(factory)
    told = [story.heading]
    for line in story.lines:
        before = len(world.narrative)
        _play_or_refuse(world, line)
        told += ["", line, *(f"| {sentence}" for sentence in world.narrative[before:])]
    told += ["", *_ending(world)]
    return "\n".join(told) + "\n"


def _ending(world: World) -> Iterable[str]:
    for group, ids in world.delivered.items():
        yield f"| {group} delivered {' '.join(str(id) for id in ids) or 'nothing'}"


def _play_or_refuse(world: World, line: str) -> None:
    if not _play_line(world, line):
        raise InvalidInput(
            f"the story line {line!r} cannot happen: no such packet or timer is waiting"
        )


def _play_line(world: World, line: str) -> bool:
    """Whether the line could happen; if not, nothing has changed."""
    words = line.split()
    try:
        match words:
            case ["settle"]:
                world.settle()
                return True
            case ["multicast", *rest]:
                world.multicast(*_read_multicast(rest, world.groups))
                return True
            case ["fire", group, timer]:
                if (group, timer) not in world.timers:
                    return False
                world.fire(group, timer)
                return True
            case [group, "suspects" | "trusts" as verb, other]:
                destinations([group, other], world.groups)
                world.notice(group, Suspected(other) if verb == "suspects" else Trusted(other))
                return True
            case ["lose", *packet]:
                name = PacketName.parse(packet)
                if name not in world.in_flight:
                    return False
                world.lose(name)
                return True
            case ["decide", group]:
                return world.do(Decide(group))
            case ["apply", process]:
                return world.do(Apply(process))
            case _:
                return world.do(PacketName.parse(words))
    except ValueError as error:
        raise InvalidInput(f"the story line {line!r} is not understood: {error}") from error


def multicast_line(multicast: Multicast, home: GroupId | None) -> str:
    """The line of a story that says so."""
    words = ["multicast", str(multicast.id), "to", ",".join(multicast.dst)]
    if home is not None:
        words += ["from", home]
    if multicast.keys is not None:
        words += ["keys", ",".join(multicast.keys) or "-"]
    return " ".join(words)


def _read_multicast(
    words: Sequence[str], groups: Sequence[GroupId]
) -> tuple[Multicast, GroupId | None]:
    """The same words, but for the first, back again."""
    match words:
        case [id, "to", dst]:
            return Multicast(MessageId.parse(id), destinations(dst.split(","), groups)), None
        case [*before, "from", home]:
            return _read_multicast(before, groups)[0], home
        case [*before, "keys", keys]:
            multicast, origin = _read_multicast(before, groups)
            return msgspec.structs.replace(multicast, keys=read_keys(keys)), origin
        case _:
            raise ValueError("write multicast c1:1 to g1,g2, then perhaps from g1 and keys a,b")


def read_keys(text: str) -> tuple[str, ...]:
    """`a,b`, or `-` for none."""
    keys = () if text == "-" else tuple(text.split(","))
    if "" in keys:
        raise ValueError(f"{text!r} is no list of keys: write a,b, or - for none")
    return keys
