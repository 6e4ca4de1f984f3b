"""What replicas say, write and do, in words."""

from __future__ import annotations

from collections.abc import Iterable

from amcast.consensus import Entry, Event, Received, Record
from amcast.consensus.messages import (
    Accept,
    Accepted,
    Canvass,
    CatchUp,
    Heartbeat,
    HeartbeatAck,
    Learn,
    Message,
    Prepare,
    Promise,
    Support,
)
from amcast.consensus.records import AcceptRecord, IdentityRecord, PromiseRecord
from amcast.consensus.values import Ballot
from amcast.core import Decided, Submitted
from amcast.core import Received as FromOther
from amcast.groups import (
    Ack,
    Acknowledged,
    Asked,
    Codec,
    Forwarded,
    FromClient,
    FromGroup,
    Inquired,
    Packet,
    Question,
)
from amcast.sim.packets import describe


class Words:
    """Of one group: only its codec can read what stands in its log."""

    def __init__(self, group: str, codec: Codec) -> None:
        self.group = group
        self._codec = codec

    # The log.

    def ballot(self, ballot: Ballot) -> str:
        return f"ballot {ballot.round} of {self.group}/{ballot.replica}"

    def commands(self, commands: Iterable[bytes]) -> str:
        return ", ".join(self._command(command) for command in commands) or "nothing"

    def _command(self, command: bytes) -> str:
        event, _ = self._codec.decode(command) if command else (None, 0)
        match event:
            case Submitted(multicast, _):
                return str(multicast.id)
            case FromOther(source, _, message):
                return f"{describe(message)} from {source}"
            case Decided(item):
                return describe(item)
            case _:
                return "nothing"

    def entries(self, entries: Iterable[Entry]) -> str:
        told = [f"slot {entry.slot}: {self.commands(entry.batch)}" for entry in entries]
        return ", ".join(told) or "nothing"

    def record(self, record: Record) -> str:
        match record:
            case IdentityRecord():
                return "whose disk it is"
            case PromiseRecord(ballot):
                return f"its promise: {self.ballot(ballot)}"
            case AcceptRecord(entry):
                return f"its vote: {self.entries([entry])}, {self.ballot(entry.ballot)}"
            case _:
                raise AssertionError(f"no words for {record!r}")

    def message(self, message: Message) -> str:
        """Between replicas of the group."""
        match message:
            case Accept(_, slot, batch, _, _):
                return f"accept(slot {slot}: {self.commands(batch)})"
            case Accepted(_, slot):
                return f"accepted(slot {slot})"
            case Prepare(ballot, _):
                return f"prepare({self.ballot(ballot)})"
            case Promise(_, _, accepted):
                return f"promise(accepted {self.entries(accepted)})"
            case Heartbeat(_, commit, _):
                return f"heartbeat(chosen up to slot {commit})"
            case CatchUp(commit):
                return f"catchup(after slot {commit})"
            case Learn(entries, _):
                return f"learn({self.entries(entries)})"
            case Canvass() | Support() | HeartbeatAck():
                return type(message).__name__.lower()
            case _:
                raise AssertionError(f"no words for {message!r}")

    # Whatever arrives at a replica.

    def event(self, event: Event) -> str:
        match event:
            case Received(_, message):
                return self.message(message)
            case FromGroup(_, _, packet):
                return content(packet)
            case Acknowledged(_, _, ack):
                return content(ack)
            case Asked():
                return content(Question())
            case Forwarded(commands):
                return f"forwarded({self.commands(commands)})"
            case FromClient(submitted):
                return f"submit({submitted.multicast.id})"
            case Inquired(id):
                return f"inquiry({id})"
            case _:
                raise AssertionError(f"no words for {event!r}")


def content(sent: Packet | Ack | Question) -> str:
    """What one group tells another."""
    match sent:
        case Packet():
            return describe(sent.message)
        case Ack():
            return f"ack(up to {sent.numbered})"
        case Question():
            return "question(what is in your log?)"


def kind(words: str) -> str:
    """What a script calls it."""
    return words.partition("(")[0]
