"""Stories as texts: what is understood, and what is refused."""

from __future__ import annotations

import pytest

from amcast.core import InvalidInput, MessageId, Multicast
from amcast.protocols import protocol_named
from amcast.sim import Story, World, play
from amcast.sim.story import multicast_line


def run(*lines: str) -> World:
    story = Story.parse("groups g1 g2\n" + "\n".join(lines))
    return play(story, protocol_named("skeen").factory(story.groups))


def test_a_story_is_its_own_text() -> None:
    text = "groups g1 g2\nmulticast c1:1 to g1,g2 from g1\nsettle\n"
    assert str(Story.parse(text)) == text


@pytest.mark.parametrize("end", ["", " from g1", " keys a,b", " from g1 keys -"])
def test_what_a_multicast_says_is_kept(end: str) -> None:
    line = f"multicast c1:1 to g1,g2{end}"
    history = run(line).history
    multicast = Multicast(MessageId("c1", 1), history.dst[0], keys=history.keys[0])
    assert multicast_line(multicast, history.homes[0]) == line


def test_comments_and_what_was_told_are_not_part_of_a_story() -> None:
    told = "# why\ngroups g1 g2\n\n| c1 multicasts\nsettle\n"
    assert Story.parse(told) == Story(("g1", "g2"), ("settle",))


def test_a_packet_that_is_sent_again_has_a_number() -> None:
    world = run("multicast c1:1 to g1", "multicast c1:1 to g1", "c1 > g1 submit c1:1 #2")
    assert [str(name) for name in world.in_flight] == ["c1 > g1 submit c1:1"]
    assert len(world.delivered["g1"]) == 1


def test_settling_leaves_nothing_to_happen() -> None:
    world = run("multicast c1:1 to g1,g2", "settle")
    assert not world.in_flight
    assert {group: len(ids) for group, ids in world.delivered.items()} == {"g1": 1, "g2": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("c1 > g1 submit c1:1", "cannot happen"),
        ("fire g1 x", "cannot happen"),
        ("dance", "is not understood"),
        ("c1 - g1 submit c1:1", "is not understood"),
        ("multicast c1:1 to", "write multicast c1:1 to g1,g2"),
        ("multicast c1:1 to g1 keys a,", "'a,' is no list of keys"),
        ("multicast c1 to g1", "not client:number"),
        ("multicast c1:1 to g9", "'g9' is no group"),
        ("g9 suspects g1", "'g9' is no group"),
        ("g1 trusts g9", "'g9' is no group"),
    ],
)
def test_a_line_that_makes_no_sense_is_refused(line: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        run(line)


def test_a_suspicion_is_told() -> None:
    world = run("g1 suspects g2", "g1 trusts g2")
    assert world.narrative == ["g1 suspects g2", "g1 trusts g2"]


def test_a_story_without_groups_is_refused() -> None:
    with pytest.raises(InvalidInput, match="begins with its groups"):
        Story.parse("settle")
