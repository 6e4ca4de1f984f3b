"""What the tests of several protocols share: one message's cost, random schedules, stories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from amcast.core import GroupId, MessageId, Multicast, Process, destinations
from amcast.sim import Explorer
from amcast.sim.explore import Exploration
from amcast.sim.fuzz import fuzz_one
from amcast.sim.story import Story, tell
from tests.protocols.one_message import cost_of_one

# Given a group and all groups: its process.
Make = Callable[[GroupId, tuple[GroupId, ...]], Process[Any, Any]]

GROUPS = tuple(f"g{number}" for number in range(1, 8))
SEEDS = range(1, 401)


def cost(
    make: Make, dst: tuple[GroupId, ...], home: GroupId | None
) -> tuple[int, dict[GroupId, float]]:
    """Messages that one multicast takes, and the delays until each group delivers it."""
    return cost_of_one(lambda group: make(group, GROUPS), GROUPS, dst, [home])


def destination_sets() -> list[tuple[GroupId, ...]]:
    """Three sets of each size from 1 to 5."""
    random = Random(7)
    return [tuple(sorted(random.sample(GROUPS, size))) for size in range(1, 6) for _ in range(3)]


def failures(make: Make, promises: Sequence[str], seeds: Sequence[int] = SEEDS) -> list[str]:
    """What goes wrong in random schedules, each as the shortest story of it."""

    def draw_setup(groups: tuple[GroupId, ...], random: Random) -> Any:
        return "setup", lambda group: make(group, groups)

    found = (fuzz_one(seed, draw_setup, promises) for seed in seeds)
    return [str(failure) for failure in found if failure is not None]


def explore(
    make: Make,
    promises: Sequence[str],
    sets: Sequence[str],
    *,
    inside: bool = False,
    keys: Sequence[tuple[str, ...] | None] = (),
) -> Exploration:
    """Every interleaving of one message to each of `sets`, such as "g1,g2"."""
    groups = tuple(sorted({group for each in sets for group in each.split(",")}))
    multicasts: list[tuple[Multicast, GroupId | None]] = []
    for number, wanted in enumerate(sets):
        dst = destinations(wanted.split(","), groups)
        own_keys = keys[number] if keys else None
        multicast = Multicast(MessageId(f"c{number + 1}", 1), dst, keys=own_keys)
        multicasts.append((multicast, dst[0] if inside else None))
    return Explorer(lambda group: make(group, groups), groups, multicasts, promises).explore()


def told_again(path: Path, make: Make) -> tuple[str, Story]:
    """What a golden story comes out as now, with the comments at its top, and the story."""
    text = path.read_text()
    story = Story.parse(text)
    comments = [line for line in text.splitlines(keepends=True) if line[0] == "#"]
    return "".join(comments) + tell(story, lambda group: make(group, story.groups)), story
