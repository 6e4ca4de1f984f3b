"""A known bug that the random schedules of `amcast fuzz` do not meet: it has worlds of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

SEEDS_MAX = 5000
SCRIPT = "script"


@dataclass(frozen=True)
class Catch:
    """What caught a bug: the world of a seed, or a script, which has none."""

    seed: int | None
    violations: Sequence[str]


@dataclass(frozen=True)
class Specimen:
    """`error` is the number of the published error that it repeats, if any."""

    what: str
    protocol: str
    error: str = ""
    # What is violated in the world of a seed.
    world: Callable[[int], Sequence[str]] | None = None
    # Too rare for random worlds: the one run that shows it, and what is violated there.
    script: Callable[[], Sequence[str]] | None = None

    def hunt(self) -> Catch | None:
        """The first seed whose world catches it, or its script."""
        if self.world is None:
            return self.replay(SCRIPT)
        found = (self.replay(str(seed)) for seed in range(1, SEEDS_MAX + 1))
        return next((catch for catch in found if catch is not None), None)

    def replay(self, seeds: str) -> Catch | None:
        """What that world, or the script, says now; `seeds` is what stands in the table."""
        if (seeds == SCRIPT) != (self.world is None):
            return None
        if self.world is not None:
            violations = self.world(int(seeds))
            return Catch(int(seeds), violations) if violations else None
        assert self.script is not None, f"nothing shows {self.what!r}"
        violations = self.script()
        return Catch(None, violations) if violations else None
