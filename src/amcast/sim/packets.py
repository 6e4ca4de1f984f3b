"""What can happen next in a small world, named as a person would."""

from __future__ import annotations

from typing import NamedTuple

from amcast.core import Decided, Event, InstanceEnded, Message, Received


class PacketName(NamedTuple):
    """A packet arrives: `g1 > g2 timestamp c1:1`, the second time with `#2`.

    What a group proposes to its own log is a packet from the group to itself.
    """

    source: str
    target: str
    kind: str
    about: str
    occurrence: int = 1

    def __str__(self) -> str:
        again = "" if self.occurrence == 1 else f" #{self.occurrence}"
        return f"{self.source} > {self.target} {self.kind} {self.about}{again}"

    @classmethod
    def parse(cls, words: list[str]) -> PacketName:
        """The reverse of `str`, from its words."""
        source, arrow, target, kind, about, *rest = words
        if arrow != ">":
            raise ValueError("no >")
        return cls(source, target, kind, about, int(rest[0].removeprefix("#")) if rest else 1)


class Decide(NamedTuple):
    """A replicated group decides all that waits for its log, as one instance."""

    group: str

    def __str__(self) -> str:
        return f"decide {self.group}"


class Apply(NamedTuple):
    """A replica applies the next instance of its group's log."""

    process: str

    def __str__(self) -> str:
        return f"apply {self.process}"


Action = PacketName | Decide | Apply


def about(message: Message) -> str:
    """The messages it helps to order; those that order none are about `-`."""
    return ",".join(str(id) for id in message.about()) or "-"


def describe(message: Message) -> str:
    """A message in words: its kind, what it is about and its numbers."""
    numbers = [
        str(value)
        for value in (getattr(message, field) for field in message.__struct_fields__)
        if isinstance(value, int)
    ]
    return f"{type(message).__name__.lower()}({', '.join([about(message), *numbers])})"


def arrival(name: PacketName, event: Event) -> str:
    """What happens when a packet arrives, in words."""
    match event:
        case Received(_, _, message):
            return f"{name.target} receives {describe(message)} from {name.source}"
        case Decided(item):
            return f"{name.target} finds {describe(item)} in its log"
        case InstanceEnded(number):
            return f"{name.target} lets its log get to instance {number}"
        case _:
            return f"{name.target} receives {name.about} from {name.source}"
