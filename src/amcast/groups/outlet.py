"""Gathers the effects of one step, those of the log among them."""

from __future__ import annotations

from amcast.consensus import Effect, Sync

SYNC = Sync()


class Outlet:
    """At most one `Sync` a step: what waits for the disk stands behind all that need not."""

    def __init__(self) -> None:
        self._at_once: list[Effect] = []
        self._after_sync: list[Effect] = []
        # What a step can do without waiting, the most frequent call of all.
        self.emit = self._at_once.append

    def emit_after_sync(self, effect: Effect) -> None:
        self._after_sync.append(effect)

    def take(self) -> list[Effect]:
        effects = self._at_once.copy()
        self._at_once.clear()
        if self._after_sync:
            effects.append(SYNC)
            effects += self._after_sync
            self._after_sync.clear()
        return effects
