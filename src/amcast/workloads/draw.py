"""What a workload is asked for, and the tables that make the answer quick."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from amcast.core import GroupId, InvalidInput

Destinations = tuple[GroupId, ...]
T = TypeVar("T")

# The payload of Schiper, Sutra and Pedone's empirical study (2009).
SIZE_BYTES = 80

# The kind of a message that is no transaction.
PLAIN = "multicast"

INTERNED_SETS_MAX = 1 << 16

# Up to so many sets can be registered; making a graph of more of them takes too long.
REGISTERED_SETS_MAX = 1 << 12


class Draw(NamedTuple):
    """One message to multicast, but for its id."""

    dst: Destinations
    size_bytes: int
    kind: str
    # Two messages conflict when they share a key; None conflicts with everything.
    keys: tuple[str, ...] | None


class Workload(Protocol):
    """Draws messages; the same random numbers always give the same messages."""

    def draw(self, home: GroupId, random: Random) -> Draw:
        """The next message of a client whose group is `home`."""

    def sets(self) -> tuple[Destinations, ...] | None:
        """All destinations that it can draw, for any home; None if there are too many to list."""


class WithKeys:
    """Another workload, each message with one key per destination: conflicts become rare.

    Keys are `k0`, `k1`, ...; one that is drawn twice for a message is not repeated.
    """

    def __init__(self, workload: Workload, key_count: int) -> None:
        if key_count < 1:
            raise InvalidInput(f"a workload with {key_count} keys has none to draw: use 1 or more")
        self._workload = workload
        self._key_count = key_count

    def draw(self, home: GroupId, random: Random) -> Draw:
        dst, size_bytes, kind, _ = self._workload.draw(home, random)
        # A dict, not a set: the order must not depend on hashing.
        drawn = {f"k{int(random.random() * self._key_count)}": None for _ in dst}
        return Draw(dst, size_bytes, kind, tuple(drawn))

    def sets(self) -> tuple[Destinations, ...] | None:
        return self._workload.sets()


class HomeTable(dict[GroupId, T]):
    """What is known about each home; one that is no group is a mistake, not a KeyError."""

    def __missing__(self, home: GroupId) -> T:
        raise InvalidInput(f"home {home!r} is no group: the groups are {', '.join(self)}")


class SetTable(dict[int, Destinations]):
    """Bit mask -> the destinations in configuration order, each tuple built once."""

    def __init__(self, groups: Sequence[GroupId]) -> None:
        super().__init__()
        self._groups = tuple(groups)

    def __missing__(self, mask: int) -> Destinations:
        if len(self) >= INTERNED_SETS_MAX:
            self.clear()
        chosen = (group for position, group in enumerate(self._groups) if mask >> position & 1)
        self[mask] = dst = tuple(chosen)
        return dst


def listed(sets: Iterable[Destinations]) -> tuple[Destinations, ...] | None:
    """The sets without repeats; None as soon as there are too many to register."""
    found: dict[Destinations, None] = {}
    for dst in sets:
        found[dst] = None
        if len(found) > REGISTERED_SETS_MAX:
            return None
    return tuple(found)


def check_size_bytes(size_bytes: int) -> int:
    if size_bytes < 0:
        raise InvalidInput(f"a payload of {size_bytes} bytes is not possible: use 0 or more")
    return size_bytes


def check_share(name: str, share: float) -> float:
    # Written so that NaN is refused too.
    if not 0 <= share <= 1:
        raise InvalidInput(f"{name} {share} is no probability: use a value from 0 to 1")
    return share


def bits_of(groups: Sequence[GroupId]) -> dict[GroupId, int]:
    """Group -> its bit in the masks that a `SetTable` understands."""
    return {group: 1 << position for position, group in enumerate(groups)}
