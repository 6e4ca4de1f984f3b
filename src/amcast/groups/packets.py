"""What groups tell each other, and how much of it they have."""

from __future__ import annotations

import msgspec

from amcast.core import Message


class Packet(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A protocol's message with its place on the channel.

    `number` counts the messages that go through the log of the receiving group, `bypass`
    those that need not wait for it; the other of the two is 0.
    """

    number: int
    bypass: int
    message: Message


class Ack(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All up to these numbers stands in the log of the group that says so."""

    numbered: int
    bypassing: int
    # Whether somebody asked: what was sent before the question, and is not there, has been lost.
    answers: bool = False


class Question(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How much of what I sent do you have?"""
