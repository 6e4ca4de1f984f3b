"""Names and messages: the vocabulary that every package shares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

GroupId = str
ClientId = str
ProcessId = str

GROUP_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


class InvalidInput(ValueError):
    """The caller's mistake, in one sentence: what is wrong, where, and what to do."""


class MessageId(NamedTuple):
    """A message's name. Ids are ordered by (client, number), never as strings."""

    client: ClientId
    seq: int

    def __str__(self) -> str:
        return f"{self.client}:{self.seq}"

    @classmethod
    def parse(cls, text: str) -> MessageId:
        client, separator, seq = text.rpartition(":")
        if not (separator and client and seq.isascii() and seq.isdecimal()):
            raise InvalidInput(f"message id {text!r} is not client:number, such as c1:4")
        return cls(client, int(seq))


class Multicast(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message and its destination groups, in the order of the configuration."""

    id: MessageId
    dst: tuple[GroupId, ...]
    payload: bytes = b""
    # Two messages conflict when they share a key; None conflicts with everything.
    keys: tuple[str, ...] | None = None

    @property
    def is_local(self) -> bool:
        return len(self.dst) == 1


class Message(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Base of what groups send to each other. A subclass has an `id` or a `multicast`."""

    def about(self) -> tuple[MessageId, ...]:
        """The messages that this one helps to order, for traces and for genuineness."""
        found = getattr(self, "id", None)
        return (found if found is not None else self.multicast.id,)  # type: ignore[attr-defined]

    def about_others(self) -> object:
        """What it tells about other messages than those, if anything; traces weigh it apart."""
        return None


def process_of(group: GroupId, replica: int = 0) -> ProcessId:
    return f"{group}/{replica}"


def check_groups(groups: Sequence[GroupId]) -> tuple[GroupId, ...]:
    """The configured groups, refused unless their names are legal and distinct."""
    if not groups:
        raise InvalidInput("there are no groups: name at least one")
    for group in groups:
        if not GROUP_NAME.fullmatch(group):
            raise InvalidInput(
                f"group name {group!r} is not allowed: use lower-case letters, digits, '_', '.' "
                "and '-', at most 64 of them, starting with a letter or a digit"
            )
    if len(set(groups)) != len(groups):
        raise InvalidInput("a group is named twice: give every group its own name")
    return tuple(groups)


def destinations(wanted: Iterable[GroupId], groups: Sequence[GroupId]) -> tuple[GroupId, ...]:
    """`wanted` without repeats, in the order of the configuration."""
    chosen = dict.fromkeys(wanted)
    for group in chosen:
        if group not in groups:
            raise InvalidInput(
                f"destination {group!r} is no group: the groups are {', '.join(groups)}"
            )
    if not chosen:
        raise InvalidInput("a message needs at least one destination group")
    return tuple(group for group in groups if group in chosen)
