"""Six delays, order though groups crash, and what each part of the protocol is for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from amcast.check import violations
from amcast.core import GroupId, MessageId, Multicast
from amcast.protocols.genuine_dt import GenuineDisasterTolerant, Undecided
from amcast.protocols.registry import GENUINE_MULTICAST
from amcast.sim.packets import PacketName
from amcast.sim.story import play
from tests.protocols.genuine_dt.crash_runs import CrashRun, CrashWorld
from tests.protocols.genuine_dt.genuine_dt_mutants import (
    LateClock,
    ListensToTheDead,
    NoClockUpdate,
    NoFifo,
    OneRound,
    TrustsItsStamps,
)
from tests.protocols.harness import SEEDS, cost, destination_sets, explore, failures, told_again

CRASH_SEEDS = range(1, 801)
WHISPER = MessageId("c1", 1)


@pytest.mark.parametrize("dst", destination_sets(), ids="-".join)
def test_delays_and_messages(dst: tuple[GroupId, ...]) -> None:
    k = len(dst)
    messages, delays = cost(GenuineDisasterTolerant, dst, None)
    assert messages == k + 5 * k * (k - 1)
    assert set(delays.values()) == {6 if k > 1 else 1}
    for home in dst:
        messages, delays = cost(GenuineDisasterTolerant, dst, home)
        assert messages == k - 1 + 5 * k * (k - 1)
        others = 5 if k == 2 else 6
        expected = {group: 6 if group == home else others for group in dst}
        assert delays == (expected if k > 1 else {home: 0})


def test_the_golden_story() -> None:
    path = Path(__file__).parent / "genuine-dt.story"
    told, story = told_again(path, GenuineDisasterTolerant)
    assert path.read_text() == told
    world = play(story, lambda group: GenuineDisasterTolerant(group, story.groups))
    assert violations(world.history, GENUINE_MULTICAST) == []


def test_random_schedules_without_crashes() -> None:
    assert failures(GenuineDisasterTolerant, GENUINE_MULTICAST) == []


@pytest.mark.parametrize("inside", [False, True])
def test_every_interleaving_of_two_messages(inside: bool) -> None:
    for sets in (("g1,g2", "g1,g2"), ("g1,g2", "g2,g3")):
        found = explore(GenuineDisasterTolerant, GENUINE_MULTICAST, sets, inside=inside)
        assert found.complete
        assert found.violations == ()


def test_random_schedules_with_crashes() -> None:
    crashes = delivered = 0
    for seed in CRASH_SEEDS:
        run = CrashRun(seed)
        assert run.violations() == (), f"seed {seed}"
        crashes += len(run.world.crashed)
        delivered += sum(map(len, run.world.delivered.values()))
    assert crashes > len(CRASH_SEEDS)
    assert delivered > 10 * len(CRASH_SEEDS)


@pytest.mark.parametrize("mutant", [OneRound, ListensToTheDead])
def test_a_bug_that_needs_crashes_is_found(mutant: type[GenuineDisasterTolerant]) -> None:
    assert any(CrashRun(seed, mutant).violations() for seed in CRASH_SEEDS)
    # Without crashes nobody would notice, which is why the runs above have them.
    assert failures(mutant, GENUINE_MULTICAST, SEEDS[:50]) == []


def noting(rounds: int) -> type[GenuineDisasterTolerant]:
    """The protocol with so many rounds; it notes the timestamps it decides on."""

    class Noting(GenuineDisasterTolerant):
        timestamps: dict[GroupId, int]

        def decide(self, entry: Undecided) -> None:
            type(self).timestamps[self.group] = max(entry.stamps.values())
            super().decide(entry)

    Noting.rounds = rounds
    Noting.timestamps = {}
    return Noting


class Whisper:
    """A stamp that the others do not know goes from group to group, and each one crashes."""

    def __init__(self, process: type[GenuineDisasterTolerant], crashes: int) -> None:
        groups = tuple(f"g{number}" for number in range(1, crashes + 3))
        self.world = CrashWorld(process, groups)
        # The clock of the first group is ahead of all others.
        for number in range(1, 10):
            self.world.multicast(Multicast(MessageId("c0", number), groups[:1]))
        self.world.settle()
        self.world.multicast(Multicast(WHISPER, groups))
        for group in groups:
            self.let_arrive("c1", group)
        for speaker, hearer in pairwise(groups[: crashes + 1]):
            self.whisper(speaker, hearer)

    def whisper(self, speaker: GroupId, hearer: GroupId) -> None:
        """All hear each other, but only one group hears the speaker, which crashes."""
        alive = [group for group in self.world.groups if group not in self.world.crashed]
        for name in tuple(self.world.in_flight):
            heard = name.source != speaker or name.target == hearer
            if heard and name.target in alive and name.target != speaker:
                self.world.arrive(name)
        self.world.crash_group(speaker, lambda: True)
        for group in alive:
            self.world.suspect(group, speaker)

    def let_arrive(self, source: str, target: GroupId, about: MessageId = WHISPER) -> None:
        for name in tuple(self.world.in_flight):
            if name[:2] == (source, target) and name.about == str(about):
                self.world.arrive(name)
                return
        raise AssertionError(f"nothing from {source} to {target} is about {about}")


@pytest.mark.parametrize("crashes", [1, 2, 3, 4])
def test_as_many_rounds_as_crashes_are_too_few(crashes: int) -> None:
    process = noting(rounds=crashes)
    Whisper(process, crashes).world.settle()
    assert len(dict.fromkeys(process.timestamps.values())) > 1


@pytest.mark.parametrize("crashes", [1, 2, 3, 4])
def test_one_round_more_than_crashes_agrees(crashes: int) -> None:
    for rounds in (crashes + 1, GenuineDisasterTolerant.rounds):
        process = noting(rounds)
        world = Whisper(process, crashes).world
        world.settle()
        survivors = [group for group in world.groups if group not in world.crashed]
        assert len({process.timestamps[group] for group in survivors}) == 1
        assert violations(world.history, GENUINE_MULTICAST) == []


def last_words(process: type[GenuineDisasterTolerant]) -> list[str]:
    """The last but one to hear a whisper delivers and crashes; does the last deliver the same?

    Three groups have crashed when g4 hears the high stamp. Before it passes that on, g5 stamps
    a second message for the two of them, with a low stamp; that of g4 is lost in its crash.
    """
    whisper = Whisper(process, crashes=3)
    world = whisper.world
    second = MessageId("c2", 1)
    world.multicast(Multicast(second, ("g4", "g5")))
    whisper.let_arrive("c2", "g5", second)
    while not world.delivered["g4"] and ("g5", "g4") in [name[:2] for name in world.in_flight]:
        for source, target in (("g5", "g4"), ("g4", "g5")):
            for name in tuple(world.in_flight):
                if name[:2] == (source, target) and (target == "g4" or name.about == str(WHISPER)):
                    world.arrive(name)
    world.crash_group("g4", lambda: True)
    world.suspect("g5", "g4")
    world.settle()
    return violations(world.history, GENUINE_MULTICAST)


def test_own_stamps_do_not_count_if_their_group_crashes() -> None:
    assert last_words(GenuineDisasterTolerant) == []
    assert [each.split(":")[0] for each in last_words(TrustsItsStamps)] == ["prefix_order"]


# What would be seen by chance only once in thousands of runs.


def first_and_only(process: type[GenuineDisasterTolerant], *, early: bool) -> list[str]:
    """g1, whose clock is ahead, delivers one message and crashes; what does g2 deliver?

    A second message reaches only g2, early or when g2 has entered the last round of the first,
    and what g2 tells about it is slow.
    """
    groups = ("g1", "g2")
    world = CrashWorld(process, groups)
    for number in range(1, 10):
        world.multicast(Multicast(MessageId("c0", number), groups[:1]))
    world.settle()
    for name in world.multicast(Multicast(WHISPER, groups)):
        world.arrive(name)
    second = world.multicast(Multicast(MessageId("c2", 1), groups))[1]
    last_round = PacketName("g2", "g1", "vector", str(WHISPER), 5)
    while WHISPER not in world.delivered["g1"]:
        if second in world.in_flight and (early or last_round in world.in_flight):
            world.arrive(second)
        known = [name for name in world.in_flight if name.about == str(WHISPER)]
        if not known:
            break
        world.arrive(known[0])
    world.crash_group("g1", lambda: True)
    world.suspect("g2", "g1")
    world.settle()
    return violations(world.history, GENUINE_MULTICAST)


@pytest.mark.parametrize("early", [True, False])
def test_a_group_that_crashes_leaves_no_hole(early: bool) -> None:
    assert first_and_only(GenuineDisasterTolerant, early=early) == []


@pytest.mark.parametrize(
    ("mutant", "early"), [(NoFifo, True), (LateClock, False), (NoClockUpdate, False)]
)
def test_what_keeps_holes_out(mutant: type[GenuineDisasterTolerant], early: bool) -> None:
    found = first_and_only(mutant, early=early)
    assert [each.split(":")[0] for each in found] == ["prefix_order"]


def test_a_crashed_destination_is_not_waited_for() -> None:
    groups = ("g1", "g2", "g3")
    world = CrashWorld(GenuineDisasterTolerant, groups)
    world.crash_group("g3", lambda: True)
    world.multicast(Multicast(WHISPER, groups))
    world.settle()
    assert world.delivered["g1"] == []
    world.suspect("g1", "g3")
    world.suspect("g2", "g3")
    world.settle()
    assert world.delivered["g1"] == world.delivered["g2"] == [WHISPER]
    assert PacketName("g1", "g3", "vector", str(WHISPER)) not in world.in_flight
