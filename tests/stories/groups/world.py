"""Replicated groups whose packets arrive when somebody says so, and which tell what they do."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from amcast.consensus import (
    BecameLeader,
    Effect,
    Event,
    Persist,
    Received,
    Replica,
    Send,
    SetTimer,
    Settings,
    Started,
    SteppedDown,
    Sync,
    TimerFired,
)
from amcast.core import GroupId, MessageId, Process, process_of
from amcast.groups import (
    Codec,
    Deliver,
    Forward,
    Forwarded,
    Member,
    Reply,
    SendToGroup,
    incoming,
)
from amcast.sim import HistoryRecorder
from tests.stories.groups.hosts import Host, Kept, Letter, has_it, missing, outbox
from tests.stories.groups.words import Words, content, kind

REPLICAS = 3
RESEND_US = 1_000_000


class Crash(Exception):
    """The machine stops in the middle of what it is doing."""


class GroupWorld:
    """All that happens is in `narrative`, one sentence each; what a step does is indented."""

    def __init__(
        self, groups: tuple[GroupId, ...], factory: Callable[[GroupId], Process[Any, Any]]
    ) -> None:
        self.groups = groups
        self.narrative: list[str] = []
        self.in_flight: list[Letter] = []
        self.hosts: dict[str, Host] = {}
        self.delivered: dict[str, list[MessageId]] = {}
        self.record = HistoryRecorder()
        self._factory = factory
        self._codecs = {group: Codec(type(factory(group))) for group in groups}
        self._to_self: deque[Event] = deque()
        # A machine that is about to send this to another group crashes instead.
        self.crash_before: str | None = None
        for group in groups:
            for number in range(REPLICAS):
                self._add_host(group, number)

    def _add_host(self, group: GroupId, number: int) -> None:
        settings = Settings(me=number, size=REPLICAS)
        name = process_of(group, number)
        host = Host(name, group, settings, Words(group, self._codecs[group]))
        self.hosts[name] = host
        self.record.process(name, group)
        self.start(host, Replica.create(settings))
        self.narrative.clear()

    def start(self, host: Host, replica: Replica) -> None:
        process, codec = self._factory(host.group), self._codecs[host.group]
        host.member = Member(process, replica, codec, resend_us=RESEND_US)
        host.timers = {}
        self.delivered[host.name] = []
        self.step(host, Started())

    # Steps.

    def tell(self, sentence: str) -> None:
        self.narrative.append(sentence)

    def described(self, letter: Letter) -> str:
        return self.hosts[letter.target].words.event(letter.event)

    def arrive(self, letter: Letter) -> None:
        host = self.hosts[letter.target]
        said = f"{self.described(letter)} from {letter.source}"
        if host.member is None:
            self.tell(f"{host.name} is down: {said} is lost")
            return
        self.tell(f"{host.name} receives {said}")
        if has_it(host.member, letter.event):
            self.tell("  has that in its log already")
        self.step(host, letter.event)

    def fire(self, host: Host, timer: str) -> None:
        self.tell(f"the {timer} timer of {host.name} runs out")
        self.step(host, TimerFired(timer, host.timers[timer]))

    def step(self, host: Host, event: Event) -> None:
        self._to_self.append(event)
        try:
            while self._to_self:
                self._step_once(host, self._to_self.popleft())
        except Crash:
            self._to_self.clear()

    def _step_once(self, host: Host, event: Event) -> None:
        member = host.member
        assert member is not None
        applied, kept, told = member.applied, outbox(member), len(self.narrative)
        effects = member.step(event)
        for slot in range(applied + 1, member.applied + 1):
            batch = member.replica.memory.log[slot].batch
            self.tell(f"  applies slot {slot}: {host.words.commands(batch)}")
        self._tell_outbox(member, kept)
        for effect in effects:
            self._carry_out(host, effect)
        if len(self.narrative) == told and type(event) in WHEN_NOTHING_HAPPENS:
            self.tell(f"  {WHEN_NOTHING_HAPPENS[type(event)]}")

    def _tell_outbox(self, member: Member, before: Kept) -> None:
        after = outbox(member)
        if not member.leading:
            for (target, _), message in missing(before, after).items():
                self.tell(f"  keeps {message} for {target}; the leader sends it")
        for (target, _), message in missing(after, before).items():
            self.tell(f"  keeps {message} for {target} no longer")

    def _carry_out(self, host: Host, effect: Effect) -> None:
        match effect:
            case Send(target, message):
                self._send_inside(host, target, Received(host.settings.me, message))
            case Forward(replica, commands):
                self._send_inside(host, replica, Forwarded(commands))
            case SendToGroup():
                self._send_to_group(host, effect)
            case Persist(record):
                host.disk.append(record)
                self.tell(f"  writes {host.words.record(record)}")
            case Sync():
                host.synced = len(host.disk)
                self.tell("  waits until its disk has it")
            case SetTimer(timer, generation, _, _):
                host.timers[timer] = generation
            case SteppedDown():
                self.tell("  leads no more")
            case BecameLeader(ballot):
                self.tell(f"  leads {host.group} with {host.words.ballot(ballot)}")
            case Deliver():
                self._deliver(host, effect)
            case Reply(client, seq):
                self.tell(f"  replies to {client}: {client}:{seq} is delivered")
            case _:
                raise AssertionError(f"no words for {effect!r}")

    def _deliver(self, host: Host, deliver: Deliver) -> None:
        id = deliver.multicast.id
        self.delivered[host.name].append(id)
        self.record.delivery(host.name, host.group, deliver.seq, id, 0)
        self.tell(f"  delivers {id}" + (f", and replies to {id.client}" if deliver.reply else ""))

    # Packets.

    def _send_inside(self, host: Host, target: int, event: Event) -> None:
        if target != host.settings.me:
            self.send(host.name, self.hosts[process_of(host.group, target)], event)
            return
        # What it asks of itself is no packet; that its own vote counts is worth telling.
        self._to_self.append(event)
        said = host.words.event(event)
        if kind(said) in ("accepted", "promise"):
            self.tell(f"  tells itself {said}")

    def _send_to_group(self, host: Host, send: SendToGroup) -> None:
        me, sent = host.settings.me, send.content
        event = incoming(host.group, me, sent)
        numbers = range(REPLICAS) if send.replica is None else (send.replica,)
        for number in numbers:
            target = self.hosts[process_of(send.target, number)]
            if kind(content(sent)) == self.crash_before:
                self._crash(host, f"before it sends {content(sent)} to {target.name}")
            self.send(host.name, target, event)

    def send(self, source: str, target: Host, event: Event) -> None:
        said = target.words.event(event)
        self.in_flight.append(Letter(source, target.name, event, kind(said)))
        sentence = f"  sends {said} to "
        if self.narrative and self.narrative[-1].startswith(sentence):
            self.narrative[-1] += f", {target.name}"
        else:
            self.tell(f"{sentence}{target.name}")

    def _crash(self, host: Host, when: str) -> None:
        self.crash_before = None
        host.member = None
        del host.disk[host.synced :]
        self.record.fault(host.name, "crash", 0)
        self.tell(f"  crashes {when}")
        raise Crash


WHEN_NOTHING_HAPPENS = {
    TimerFired: "has heard a leader since it last ran out",
    Forwarded: "has proposed that already",
}
