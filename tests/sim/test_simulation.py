"""The virtual-time driver: clients, replies, processor time, timers, and when a run ends."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import msgspec
import pytest

from amcast.core import GroupId, InvalidInput, Message, MessageId, Multicast, Process
from amcast.protocols import protocol_named
from amcast.sim import (
    ClientPlan,
    HistoryRecorder,
    Network,
    Outcome,
    Simulation,
    SimulationPlan,
    simulation,
)
from amcast.sim.simulation import ProcessFactory
from amcast.sim.world import World

GROUPS = ("g1", "g2")
THERE_US, BACK_US = 100, 30
SITES = {
    "g1": {"g1": 0, "g2": 1000, "client": BACK_US},
    "g2": {"g1": 1000, "g2": 0, "client": BACK_US},
    "client": {"g1": THERE_US, "g2": THERE_US},
}
OUTSIDE = ClientPlan("g1", "client")
INSIDE = ClientPlan("g1", "g1", inside=True)


class Log(HistoryRecorder):
    """Keeps when things happened."""

    def __init__(self, packets: str = "all") -> None:
        super().__init__()
        self.packets = packets  # type: ignore[assignment]
        self.multicasts: dict[MessageId, tuple[int, int]] = {}
        self.deliveries: list[tuple[GroupId, MessageId, int]] = []
        self.replies: dict[MessageId, list[int]] = {}
        self.sizes: list[tuple[str, int]] = []

    def multicast(self, msg, sender, dst, at_us, size, home, keys):  # type: ignore[no-untyped-def]
        self.multicasts[msg] = (at_us, size)

    def delivery(self, process, group, seq, msg, at_us):  # type: ignore[no-untyped-def]
        self.deliveries.append((group, msg, at_us))

    def reply(self, msg, group, at_us):  # type: ignore[no-untyped-def]
        self.replies.setdefault(msg, []).append(at_us)

    def packet(self, *row):  # type: ignore[no-untyped-def]
        self.sizes.append((row[4], row[8]))


def plan(
    *clients: ClientPlan, dst: tuple[GroupId, ...] = ("g1",), size: int = 80, **rest: int
) -> SimulationPlan:
    return SimulationPlan(
        groups=GROUPS,
        network=Network(SITES),
        placement={group: group for group in GROUPS},
        clients=clients or (OUTSIDE,),
        draw=lambda near, random: (dst, size, "multicast", None),
        **(rest or {"messages": 1}),  # type: ignore[arg-type]
    )


def simulate(
    wanted: SimulationPlan, factory: ProcessFactory | None = None, log: Log | None = None
) -> tuple[Outcome, Log]:
    log = Log() if log is None else log
    factory = protocol_named("skeen").factory(GROUPS) if factory is None else factory
    return Simulation(wanted, factory, recorder=log).run(), log


def test_a_reply_comes_straight_from_the_group_that_delivers() -> None:
    outcome, log = simulate(plan())
    id = MessageId("c1", 1)
    assert log.deliveries == [("g1", id, THERE_US)]
    assert log.replies == {id: [THERE_US + BACK_US]}
    assert outcome.latencies.all.percentile(1.0) == THERE_US + BACK_US
    assert outcome.packets == 0, "clients' packets are not between groups"


def test_every_destination_replies() -> None:
    outcome, log = simulate(plan(dst=GROUPS))
    replies = log.replies[MessageId("c1", 1)]
    assert replies == [THERE_US + 1000 + BACK_US] * 2
    assert (outcome.completed, outcome.deliveries, outcome.packets) == (1, 2, 2)


def test_a_client_inside_its_group_costs_nothing() -> None:
    outcome, log = simulate(plan(INSIDE, messages=5))
    assert {at for _, _, at in log.deliveries} == {0}
    assert log.sizes == []
    assert (outcome.completed, outcome.ended_us) == (5, 0)


def test_a_client_inside_still_pays_for_other_groups() -> None:
    _, log = simulate(plan(INSIDE, dst=("g2",)))
    assert log.deliveries == [("g2", MessageId("c1", 1), 1000)]
    assert [kind for kind, _ in log.sizes] == ["submit"]


def test_a_closed_loop_has_one_message_outstanding() -> None:
    _, log = simulate(plan(dst=GROUPS, messages=20))
    sent = [at for at, _ in log.multicasts.values()]
    done = [max(log.replies[msg]) for msg in log.multicasts]
    assert sent == [0, *done[:-1]]
    assert all(later > earlier for earlier, later in pairwise(sent))


def test_an_open_loop_sends_at_its_rate_whatever_comes_back() -> None:
    slow = Network({site: dict.fromkeys(row, 2_000_000) for site, row in SITES.items()})
    wanted = plan(replace(OUTSIDE, rate_s=100.0), duration_us=100_000_000)
    outcome, log = simulate(replace(wanted, network=slow))
    assert 9_600 < outcome.messages < 10_400
    sent = [at for at, _ in log.multicasts.values()]
    assert min(at for ats in log.replies.values() for at in ats) > sent[100]
    gaps = [later - earlier for earlier, later in pairwise(sent)]
    assert min(gaps) < 500, "random times, not a steady beat"
    assert max(gaps) > 50_000


def test_messages_are_counted_over_all_clients() -> None:
    outcome, log = simulate(plan(*[OUTSIDE] * 3, messages=10))
    assert outcome.messages == outcome.completed == len(log.multicasts) == 10
    assert {msg.client for msg in log.multicasts} == {"c1", "c2", "c3"}


def test_a_duration_ends_the_sending_and_then_the_run_drains() -> None:
    duration = 10_000
    outcome, log = simulate(plan(*[OUTSIDE] * 3, dst=GROUPS, duration_us=duration))
    assert max(at for at, _ in log.multicasts.values()) < duration
    assert outcome.messages == outcome.completed > 3
    assert outcome.drained
    assert outcome.ended_us == max(at for ats in log.replies.values() for at in ats) > duration


def test_the_processor_handles_one_packet_after_the_other() -> None:
    wanted = plan(*[OUTSIDE] * 3, messages=3)
    network = replace(wanted.network, cpu_us_per_message=50)
    _, log = simulate(replace(wanted, network=network))
    assert [at - THERE_US for _, _, at in log.deliveries] == [50, 100, 150]


@pytest.mark.parametrize("packets", ["all", "off"])
def test_processor_time_for_bytes_does_not_depend_on_what_is_recorded(packets: str) -> None:
    wanted = plan(*[OUTSIDE] * 3, messages=3)
    size = len(msgspec.msgpack.encode(Multicast(MessageId("c1", 1), ("g1",), bytes(80))))
    network = replace(wanted.network, cpu_us_per_kb=1000)
    _, log = simulate(replace(wanted, network=network), log=Log(packets))
    assert [at - THERE_US for _, _, at in log.deliveries] == [size, 2 * size, 3 * size]


def test_bandwidth_delays_only_what_groups_send() -> None:
    wanted = plan(dst=GROUPS)
    network = replace(wanted.network, bandwidth_bytes_s=1_000_000)
    _, log = simulate(replace(wanted, network=network))
    sizes = dict(log.sizes)
    late = THERE_US + sizes["timestamp"] + 1000
    assert [at for _, _, at in log.deliveries] == [late, late]


def test_packets_are_as_large_as_their_encoding() -> None:
    small, large = (simulate(plan(dst=GROUPS, size=size))[1] for size in (80, 180))
    assert [size for _, size in small.multicasts.values()] == [80]
    kinds = [kind for kind, _ in small.sizes]
    assert sorted(kinds) == ["submit", "submit", "timestamp", "timestamp"]
    for (_, before), (_, after) in zip(small.sizes, large.sizes, strict=True):
        assert 80 < before < 130
        assert after - before == 100


class Tick(Message, frozen=True):
    id: MessageId


class Nothing(msgspec.Struct):
    waiting: list[Multicast] = []


class Alarm(Process[Nothing, Tick]):
    def entry(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        return dst

    def on_message(self, source: GroupId, message: Tick) -> None:
        raise AssertionError("nobody sends")

    def on_submit(self, multicast: Multicast) -> None:
        self.state.waiting.append(multicast)
        self.set_timer("cancelled", 10)
        self.set_timer("again", 10)
        self.set_timer("again", 500)
        self.cancel_timer("cancelled")

    def on_timer(self, timer: str) -> None:
        assert timer == "again"
        self.deliver(self.state.waiting.pop())


class Restless(Alarm):
    def on_submit(self, multicast: Multicast) -> None:
        self.set_timer("tick", 1_000_000)

    def on_timer(self, timer: str) -> None:
        self.set_timer("tick", 1_000_000)


class Regret(Alarm):
    """Takes back what it delivered last, after a while."""

    def on_submit(self, multicast: Multicast) -> None:
        self.state.waiting.append(multicast)
        self.deliver(multicast)
        self.set_timer("regret", 10)

    def on_timer(self, timer: str) -> None:
        self.roll_back(len(self.state.waiting) - 1)


def test_a_rollback_is_recorded() -> None:
    recorder = HistoryRecorder()
    wanted = plan(messages=2)
    outcome = Simulation(wanted, lambda group: Regret(group, GROUPS), recorder=recorder).run()
    taken_back = [(fault.process, fault.kind, fault.seq) for fault in recorder.history.faults]
    assert taken_back == [("g1/0", "rollback", 0), ("g1/0", "rollback", 1)]
    assert outcome.deliveries == 1


def test_a_timer_that_was_set_again_fires_once_and_a_cancelled_one_never() -> None:
    outcome, log = simulate(plan(), lambda group: Alarm(group, GROUPS))
    assert [at for _, _, at in log.deliveries] == [THERE_US + 500]
    assert outcome.drained


def test_a_protocol_that_never_becomes_quiet_is_stopped() -> None:
    outcome, _ = simulate(plan(), lambda group: Restless(group, GROUPS))
    assert not outcome.drained
    assert outcome.completed == 0


def test_gaps_of_less_than_a_microsecond_add_up() -> None:
    outcome, _ = simulate(
        plan(replace(OUTSIDE, rate_s=1e8), duration_us=100),
        protocol_named("skeen").factory(GROUPS),
    )
    assert 9_500 < outcome.completed < 10_500


@pytest.mark.parametrize(
    ("client", "scale"), [(replace(OUTSIDE, rate_s=1e-5), 1), (OUTSIDE, 1e9)], ids=["rare", "slow"]
)
def test_hours_between_messages_do_not_end_a_run(
    client: ClientPlan, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "EVENTS_PER_REPORT", 7)
    wanted = plan(client, messages=50)
    wanted = replace(wanted, network=wanted.network.scaled(scale))
    outcome, _ = simulate(wanted, protocol_named("skeen").factory(GROUPS))
    assert outcome.drained
    assert outcome.completed == 50


def test_a_client_that_dies_half_way_costs_a_time_out() -> None:
    world = World(protocol_named("skeen-coordinator").factory(GROUPS), GROUPS)
    id = MessageId("c1", 1)
    first, second = world.multicast(Multicast(id, GROUPS))
    world.lose(second)
    world.arrive(first)
    assert not world.in_flight, "the coordinator waits"
    assert world.delivered == {"g1": [], "g2": []}
    world.fire("g1", str(id))
    world.settle()
    assert world.delivered == {"g1": [id], "g2": [id]}
    assert not world.timers


@pytest.mark.parametrize(
    "wrong", [{"messages": 0}, {"duration_us": 0}, {"messages": 1, "duration_us": 1}], ids=str
)
def test_impossible_plans_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        plan(**wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="without clients"):
        replace(plan(), clients=())
    with pytest.raises(InvalidInput, match="rate"):
        replace(OUTSIDE, rate_s=0.0)
