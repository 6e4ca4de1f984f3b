"""From a long schedule that fails to a short one that still does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amcast.sim.story import Story, broken_promises, play_loosely
from amcast.sim.world import ProcessFactory

# How often a story may be played in search of a shorter one.
PLAYS_MAX = 1000


def minimise(
    story: Story, factory: ProcessFactory, promises: Sequence[str]
) -> tuple[tuple[str, ...], Story]:
    """What the shortest story found violates, and that story."""
    search = _Search(factory, promises)
    found = search.try_story(story)
    assert found is not None, "the schedule to minimise does not fail"
    shorter = True
    while shorter:
        before = len(search.best.lines)
        search.drop_messages()
        search.drop_lines()
        shorter = len(search.best.lines) < before
    return search.violations, search.best


class _Search:
    """The shortest failing story so far, and attempts at a shorter one."""

    def __init__(self, factory: ProcessFactory, promises: Sequence[str]) -> None:
        self.best = Story((), ())
        self.violations: tuple[str, ...] = ()
        self._factory = factory
        self._promises = promises
        self._plays = 0

    def try_story(self, story: Story) -> Story | None:
        """The lines of `story` that happen, if they still fail; they are the best from then on."""
        self._plays += 1
        if self._plays > PLAYS_MAX:
            return None
        world, played = play_loosely(story, self._factory)
        broken = broken_promises(world, self._promises)
        if not broken:
            return None
        self.violations, self.best = broken, played
        return played

    def drop_messages(self) -> None:
        for id in self.best.messages:
            self.try_story(self.best.without_message(id))

    def drop_lines(self) -> None:
        """Leave out ever smaller chunks, as long as something can be left out."""
        chunk = max(1, len(self.best.lines) // 2)
        while True:
            start = 0
            while start < len(self.best.lines):
                lines = self.best.lines
                shorter = replace(self.best, lines=lines[:start] + lines[start + chunk :])
                if len(shorter.lines) == len(lines) or not self._is_shorter(shorter):
                    start += chunk
            if chunk == 1:
                return
            chunk //= 2

    def _is_shorter(self, story: Story) -> bool:
        before = len(self.best.lines)
        best = self.best, self.violations
        if self.try_story(story) is None:
            return False
        if len(self.best.lines) < before:
            return True
        self.best, self.violations = best
        return False
