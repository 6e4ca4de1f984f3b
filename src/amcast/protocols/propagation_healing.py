"""Propagation that notices failures by itself, and goes on without the groups that failed.

Idea        Groups watch those that feed them, and the manager leaves a suspected group out as in
            recovery. While it waits for reports, it watches those that owe it one. Any message
            of a group that was left out is a sign of life, and lets it in again.
Assumes     As propagation with null messages and as recovery. A message that a group sent
            before it failed, and that comes after it was left out, lets it in until its report
            stays away: all wait so long. Longer patience makes that rarer.
Guarantees  As recovery, and nobody need tell it of failures. A leaf that fails blocks nobody, so
            it is left out only if there is another change. The manager is a group: its
            replicas take the place of a backup that would have to be elected.
Reference   Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988),
            section 5.2.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, ClassVar, Final, cast

import msgspec

from amcast.core import GroupId
from amcast.core.process import Memory
from amcast.protocols.propagation import Messages, Suspicion
from amcast.protocols.propagation_recovery import (
    AllMessages,
    Continue,
    RecoveringPropagation,
    RecoveryState,
)
from amcast.protocols.propagation_watch import WatchingPropagation

REPORTS: Final = "reports"


class HealingPropagation(WatchingPropagation, RecoveringPropagation):
    """Its timers never stop, so it is for drivers that do not wait until all is quiet."""

    state: RecoveryState
    _state_type: ClassVar[type[msgspec.Struct]] = RecoveryState
    _memory_type: ClassVar[Any] = Memory[RecoveryState, AllMessages]

    def left_out(self) -> Container[GroupId]:
        return self.state.suspected if self.group == self.manager else self.state.absent

    def on_message(self, source: GroupId, message: AllMessages) -> None:
        if source in self.left_out():
            self.on_trust(source)
            if isinstance(message, Suspicion):
                # It still watches the neighbours that it had.
                return
        super().on_message(source, cast("Messages", message))

    def note(self, reporter: GroupId, suspicion: Suspicion) -> None:
        if self.group == self.manager:
            self.on_suspicion(suspicion)
        else:
            super().note(reporter, suspicion)

    def on_suspicion(self, suspicion: Suspicion) -> None:
        before = self.state.announced
        super().on_suspicion(suspicion)
        if self.state.announced > before:
            self.set_timer(REPORTS, self.suspect_after_us)

    def on_timer(self, timer: str) -> None:
        if timer != REPORTS:
            super().on_timer(timer)
            return
        state = self.state
        for group in [each for each in self.present() if each not in state.reports]:
            if state.stopped:
                self.on_suspect(group)

    def on_continue(self, message: Continue) -> None:
        super().on_continue(message)
        if self.group != self.manager:
            # Whom it suspected is left out, or does not feed it any more, or is back.
            self.state.suspected = {}
        self.watch()
