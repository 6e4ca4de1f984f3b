"""Propagation with null messages: groups notice when those that feed them fall silent.

Idea        Messages reach a group from its parent, or from the manager if it is a root. Whoever
            feeds a group and has nothing to send sends it a null message instead, so that
            silence means failure. A group that hears nothing for too long tells the manager.
Assumes     As propagation; a null message takes less time to arrive than a group's patience
            is longer than the pause between null messages. Otherwise suspicions are false,
            which does no harm.
Guarantees  As propagation, and a manager that knows who is missing. Delivery is atomic: the
            graph stays, groups below the failed one wait until it goes on from its snapshot,
            all others go on without it.
Reference   Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988),
            sections 5.2 and 5.2.2, and the null messages of Appendix I.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from amcast.core import GroupId, Multicast
from amcast.protocols.propagation import Messages, Null, Open, Propagation, Suspicion


class WatchingPropagation(Propagation):
    """Its timers never stop, so it is for drivers that do not wait until all is quiet.

    A group is told nothing when it starts: it begins to send and to watch with the first
    thing that happens to it, at the latest a null message.
    """

    null_after_us: ClassVar[int] = 1_000_000
    suspect_after_us: ClassVar[int] = 3_000_000

    def feeder(self) -> GroupId | None:
        """Who should not be silent: also a root is sent something, by the manager."""
        feeder = self.graph.parents[self.group] or self.manager
        return None if feeder == self.group else feeder

    def fed(self) -> tuple[GroupId, ...]:
        below = self.graph.children(self.group)
        if self.group != self.manager:
            return below
        return (*below, *(root for root in self.graph.roots if root != self.group))

    def watch(self) -> None:
        """Run one timer for each group that we feed and one for the group that feeds us."""
        wanted = {f"null-{group}": self.null_after_us for group in self.fed()}
        feeder = self.feeder()
        if feeder is not None:
            wanted[f"silence-{feeder}"] = self.suspect_after_us
        for timer in [*self.timers.running]:
            if timer not in wanted:
                self.cancel_timer(timer)
        for timer, delay_us in wanted.items():
            if timer not in self.timers.running:
                self.set_timer(timer, delay_us)

    def send(self, targets: Iterable[GroupId], message: Messages) -> None:
        chosen = tuple(targets)
        super().send(chosen, message)
        for group in chosen:
            if f"null-{group}" in self.timers.running:
                self.set_timer(f"null-{group}", self.null_after_us)

    def on_submit(self, multicast: Multicast) -> None:
        super().on_submit(multicast)
        self.begin()

    def on_message(self, source: GroupId, message: Messages) -> None:
        match message:
            case Null():
                pass
            case Suspicion():
                self.note(source, message)
            case _:
                super().on_message(source, message)
        self.begin()
        if source == self.feeder():
            self.heard(source)

    def begin(self) -> None:
        if not self.timers.running:
            self.watch()

    def on_open(self, message: Open) -> None:
        super().on_open(message)
        self.watch()
        for group, reporters in [*self.state.suspected.items()]:
            if self.group in reporters and group != self.feeder():
                # It may still be silent, but no longer to us.
                self.on_trust(group)

    def on_timer(self, timer: str) -> None:
        kind, _, group = timer.partition("-")
        if kind == "null":
            self.set_timer(timer, self.null_after_us)
            self.send((group,), Null())
        else:
            self.on_suspect(group)

    def heard(self, source: GroupId) -> None:
        if self.group in self.state.suspected.get(source, {}):
            self.on_trust(source)
        self.set_timer(f"silence-{source}", self.suspect_after_us)

    def on_suspect(self, group: GroupId) -> None:
        self.report(Suspicion(group, silent=True))

    def on_trust(self, group: GroupId) -> None:
        self.report(Suspicion(group, silent=False))

    def report(self, suspicion: Suspicion) -> None:
        self.note(self.group, suspicion)
        if self.manager is not None and self.manager != self.group:
            self.send((self.manager,), suspicion)

    def note(self, reporter: GroupId, suspicion: Suspicion) -> None:
        suspected = self.state.suspected
        reporters = suspected.setdefault(suspicion.group, {})
        if suspicion.silent:
            reporters[reporter] = None
        else:
            reporters.pop(reporter, None)
        if not reporters:
            del suspected[suspicion.group]
