"""What can happen next in a small world of replicated groups, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from amcast.consensus import Event
from amcast.consensus.timers import ELECTION
from amcast.core import GroupId, Multicast, Process, Submitted
from amcast.groups import Codec, FromClient, Inquired, Member, Reply
from amcast.sim.replica_host import CLIENTS, Deadline, Place, Restarted, Written
from amcast.sim.replica_plan import ReplicaPlan
from amcast.sim.replica_steps import Local, ReplicaSteps

# Time passes so often; what has not happened by then never will.
ROUNDS_MAX = 16


class State(NamedTuple):
    """The numbers of the replicas' states, and of the events on their way, lowest first."""

    locals: tuple[int, ...]
    in_flight: tuple[int, ...] = ()
    # These wait until nothing else is on its way, every machine is up and every group is led.
    held: tuple[int, ...] = ()
    # Once a leader has crashed: who will stand for leader in its group.
    heir: Place | None = None
    rounds: int = 0
    # Messages, by number, and groups whose replies the clients have not got.
    unanswered: tuple[tuple[int, GroupId], ...] = ()


class Move(NamedTuple):
    """Something that can happen, how far it deviates, and the state after it."""

    note: str
    # What it is about: put into words only where a story is told.
    event: int | None
    cost: int
    state: State


class ReplicaMoves:
    """Some multicasts, each from a client of its own outside of all groups."""

    def __init__(
        self,
        factory: Callable[[GroupId], Process[Any, Any]],
        groups: Sequence[GroupId],
        multicasts: Sequence[Multicast],
        replicas: int,
        crash: bool,
    ) -> None:
        plan = ReplicaPlan(replicas=replicas)
        any_process = factory(groups[0])
        codec = Codec(type(any_process))
        self._entry = any_process.entry
        self._multicasts = tuple(multicasts)
        self._numbers = {
            (multicast.id.client, multicast.id.seq): number
            for number, multicast in enumerate(multicasts)
        }
        self._expected = {
            group: sum(group in multicast.dst for multicast in multicasts) for group in groups
        }
        self._crash = crash
        self.places = [Place(group, number) for group in groups for number in range(replicas)]
        self._index = {place: index for index, place in enumerate(self.places)}
        self.steps = ReplicaSteps(
            lambda group, replica: Member(factory(group), replica, codec, resend_us=plan.resend_us),
            plan.settings,
            self.places,
        )

    def locals_of(self, state: State) -> list[Local]:
        return [self.steps.locals[number] for number in state.locals]

    def start(self) -> State:
        """All replicas are up, the first of each group leads, and the clients have sent."""
        state = self._add(
            State(self.steps.initial), [self._event(place, Restarted()) for place in self.places]
        )
        while state.in_flight or not self._is_settled(state):
            state = next(self.moves(state, 0)).state
        submissions = [
            self._event(Place(group, 0), FromClient(Submitted(multicast)))
            for multicast in self._multicasts
            for group in self._entry(multicast.dst, None)
        ]
        unanswered = tuple(
            (number, group)
            for number, multicast in enumerate(self._multicasts)
            for group in multicast.dst
        )
        return self._add(state, submissions)._replace(rounds=0, unanswered=unanswered)

    def moves(self, state: State, budget: int) -> Iterator[Move]:
        """All that can happen if so many deviations are left; nothing at the end."""
        if not state.in_flight:
            if state.held and (self._is_settled(state) or state.rounds >= ROUNDS_MAX):
                late = state._replace(in_flight=state.held, held=())
                yield Move("what is late arrives", None, 0, late)
            elif not self._is_done(state) and state.rounds < ROUNDS_MAX:
                yield Move("time passes", None, 0, self._pass_time(state))
            return
        first, *later = state.in_flight
        yield from self._arrivals(state, first, 0)
        if budget:
            for event in dict.fromkeys(later):
                if event != first:
                    yield from self._arrivals(state, event, 1)
            held = tuple(sorted((*state.held, first)))
            late = state._replace(in_flight=tuple(later), held=held)
            yield Move("will be late: ", first, 1, late)
            yield from self._surprises(state)

    def tell(self, note: str, event: int | None) -> str:
        if event is None:
            return note
        place, happening = self.steps.events[event]
        return f"{note}{place} < {happening!r}"

    # Events.

    def _arrivals(self, state: State, event: int, cost: int) -> Iterator[Move]:
        """The event happens; or the leader it happens to crashes before it is through."""
        place = self.steps.events[event][0]
        at = self._index[place]
        local = state.locals[at]
        step = self.steps.step(local, event)
        left = list(state.in_flight)
        left.remove(event)
        taken = state._replace(in_flight=tuple(left))
        yield Move("", event, cost, self._after(taken, at, step.local, step.sent))
        if self._crash and state.heir is None and self.steps.locals[local].leading:
            for down, sent in step.crashes:
                after = self._after(taken, at, down, sent)
                after = self._without_timers_and_writes(after, place)
                for heir in self._members_of(place.group):
                    note = f"crash after {len(sent)} packets, {heir} will stand: "
                    yield Move(note, event, cost, after._replace(heir=heir))

    def _after(self, state: State, at: int, local: int, sent: Sequence[int]) -> State:
        locals = (*state.locals[:at], local, *state.locals[at + 1 :])
        return self._add(state, sent, locals, self.places[at].group)

    def _add(
        self,
        state: State,
        sent: Sequence[int],
        locals: tuple[int, ...] | None = None,
        source: GroupId = "",
    ) -> State:
        """On their way, but for replies, which are there at once."""
        packets = []
        unanswered = state.unanswered
        for event in sent:
            place, content = self.steps.events[event]
            if place is not CLIENTS:
                packets.append(event)
            else:
                assert isinstance(content, Reply)
                answered = (self._numbers[content.client, content.seq], source)
                unanswered = tuple(each for each in unanswered if each != answered)
        in_flight = tuple(sorted((*state.in_flight, *packets))) if packets else state.in_flight
        _, _, held, heir, rounds, _ = state
        return State(locals or state.locals, in_flight, held, heir, rounds, unanswered)

    def _without_timers_and_writes(self, state: State, place: Place) -> State:
        """A crash leaves the packets of a machine on their way, and nothing else of it."""

        def survives(event: int) -> bool:
            at, content = self.steps.events[event]
            return at != place or not isinstance(content, Deadline | Written)

        return state._replace(
            in_flight=tuple(filter(survives, state.in_flight)),
            held=tuple(filter(survives, state.held)),
        )

    def _event(self, place: Place, event: Event) -> int:
        return self.steps.event(place, event)

    # Deviations without a packet.

    def _surprises(self, state: State) -> Iterator[Move]:
        for place, local in zip(self.places, self.locals_of(state), strict=True):
            if not local.up:
                early = [self._event(place, Restarted())]
                yield Move(f"{place} comes up early", None, 1, self._add(state, early))
            elif not local.leading:
                revolt = self._add(state, self._revolt(state, place))
                yield Move(f"{place} loses patience", None, 1, revolt)

    def _revolt(self, state: State, rebel: Place) -> list[int]:
        """A follower stands for leader, and the others no longer remember theirs."""
        deadlines = []
        for place, local in zip(self.places, self.locals_of(state), strict=True):
            if place.group == rebel.group and local.up and not local.leading:
                times = (place == rebel) + local.content
                deadlines += times * [self._event(place, Deadline(ELECTION))]
        return deadlines

    # Time.

    def _is_done(self, state: State) -> bool:
        return all(
            local.up
            and len(local.delivered)
            >= sum(local.place.group in each.dst for each in self._multicasts)
            for local in self.locals_of(state)
        )

    def _is_settled(self, state: State) -> bool:
        return not self._standing(state) and all(local.up for local in self.locals_of(state))

    def _pass_time(self, state: State) -> State:
        """Elections come first, then restarts, then all other timers and patient clients."""
        standing = self._standing(state)
        down = [local.place for local in self.locals_of(state) if not local.up]
        if standing:
            events = [event for place in standing for event in self._stand(state, place)]
        elif down:
            events = [self._event(place, Restarted()) for place in down]
        else:
            events = [*self._deadlines(state), *self._asked_again(state)]
        return self._add(state, events)._replace(rounds=state.rounds + 1)

    def _standing(self, state: State) -> list[Place]:
        """Who stands for leader in each group that nobody leads."""
        locals = self.locals_of(state)
        led = [local.place.group for local in locals if local.leading]
        leaderless = [group for group in self._expected if group not in led]
        heir = state.heir
        return [
            heir if heir is not None and heir.group == group else Place(group, 0)
            for group in leaderless
        ]

    def _stand(self, state: State, place: Place) -> list[int]:
        """If it is the one that crashed, it comes up first."""
        is_up = self.steps.locals[state.locals[self._index[place]]].up
        return self._revolt(state, place) if is_up else [self._event(place, Restarted())]

    def _members_of(self, group: GroupId) -> list[Place]:
        return [place for place in self.places if place.group == group]

    def _deadlines(self, state: State) -> list[int]:
        return [
            self._event(local.place, Deadline(timer))
            for local in self.locals_of(state)
            for timer in local.timers
            if timer != ELECTION
        ]

    def _asked_again(self, state: State) -> list[int]:
        """Clients that lack replies submit to every replica again, and inquire."""
        events: list[int] = []
        for number, group in state.unanswered:
            multicast = self._multicasts[number]
            for place in self.places:
                if place.group == group:
                    events.append(self._event(place, Inquired(multicast.id)))
                if place.group in self._entry(multicast.dst, None):
                    events.append(self._event(place, FromClient(Submitted(multicast))))
        return list(dict.fromkeys(events))
