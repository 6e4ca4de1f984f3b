"""What a protocol leaves open, and what it can do without for a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from amcast.core import GroupId, InvalidInput

Chosen = Mapping[str, str]


@dataclass(frozen=True)
class Option:
    """A choice that a protocol leaves open; the first of `values`, or `default`, is usual."""

    default: str
    # What it may be; empty: any whole number from 0 up.
    values: tuple[str, ...] = ()
    # Of the numbers it may be, those that random runs try.
    samples: tuple[str, ...] = ()
    # What a value promises beyond what the protocol promises anyway.
    adds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # What other options must be if it is not as usual.
    only_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def worth_trying(self) -> tuple[str, ...]:
        return self.values or self.samples or (self.default,)

    def goes_with(self, chosen: Chosen) -> bool:
        """Whether it may be other than usual beside these choices, which are complete."""
        return all(chosen[name] == needed for name, needed in self.only_with.items())

    def parse(self, name: str, text: str) -> str | int | bool:
        if not self.values:
            if not text.isdecimal():
                raise InvalidInput(f"option {name}={text} is no whole number: use 0 or more")
            return int(text)
        if text not in self.values:
            raise InvalidInput(f"option {name}={text} is not known: use {' or '.join(self.values)}")
        return text == "yes" if text in ("yes", "no") else text


@dataclass(frozen=True)
class Absences:
    """Which groups may be down for a while, so that the others go on without them."""

    # How many at once, of so many groups.
    at_once: Callable[[int], int]
    # Never the first.
    spares_first: bool = False
    # The choice that this takes, if it takes one.
    option: tuple[str, str] | None = None

    def of(self, groups: tuple[GroupId, ...]) -> tuple[tuple[GroupId, ...], int]:
        """Those that it may be, and how many at once."""
        return groups[self.spares_first :], self.at_once(len(groups))
