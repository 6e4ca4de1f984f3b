"""BaseCast with one SYNC entry a message: the same promises, fewer entries of the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from amcast.core import GroupId
from amcast.protocols import Protocol, protocol_named
from amcast.protocols.basecast_sync import SyncAll, SyncAllBaseCast
from amcast.scenarios import Parameters, Run, explorer, fuzz_faults_protocol, fuzz_protocol

SEEDS = range(1, 301)
FAULTS = range(1, 41)


def protocol_of(process: Any) -> Protocol:
    return replace(protocol_named("basecast"), process=process, options={})


def test_random_schedules_keep_all_promises() -> None:
    protocol = protocol_of(SyncAllBaseCast)
    failures = [failure for seed in SEEDS if (failure := fuzz_protocol(protocol, seed))]
    assert not failures, str(failures[0])


def test_bad_times_keep_all_promises() -> None:
    protocol = protocol_of(SyncAllBaseCast)
    failures = [failure for seed in FAULTS if (failure := fuzz_faults_protocol(protocol, seed))]
    assert not failures, str(failures[0])


def test_every_interleaving_of_two_messages() -> None:
    found = explorer(protocol_of(SyncAllBaseCast), 2, [("g1", "g2"), ("g1", "g2")]).explore()
    assert not found.violations
    assert found.states > 100


class SyncsEarly(SyncAllBaseCast):
    """A message counts as synced before the timestamps of all destinations are there."""

    def gather(self, multicast: Any) -> None:
        hard = self.state.hard[multicast.id]
        if len(hard) >= 2:
            self.propose(SyncAll(multicast.id, max(hard.values())))


class NoClockUpdate(SyncAllBaseCast):
    """The clock does not follow the final timestamp."""

    def finish(self, id: Any, timestamp: int) -> None:
        clock = self.state.clock
        super().finish(id, timestamp)
        self.state.clock = clock


@pytest.mark.parametrize("mutant", [SyncsEarly, NoClockUpdate])
def test_known_bugs_are_caught(mutant: type[SyncAllBaseCast]) -> None:
    assert any(fuzz_protocol(protocol_of(mutant), seed) for seed in range(1, 2001))


@pytest.mark.parametrize(("sync", "entries"), [("each", 4), ("all", 2)])
def test_entries_of_the_log_for_a_message_to_four_groups(sync: str, entries: int) -> None:
    """Each is an event or an item that the group's log must order; START is the first."""
    counted: dict[GroupId, int] = {}

    def factory(group: GroupId) -> Any:
        process = protocol_named("basecast").factory(
            ("g1", "g2", "g3", "g4"), options={"sync": sync}
        )(group)
        step = process.step

        def counting(event: Any) -> Any:
            if not (type(event).__name__ == "Received" and event.number == 0):
                counted[group] = counted.get(group, 0) + 1
            return step(event)

        process.step = counting  # type: ignore[method-assign]
        return process

    run = Run(Parameters(protocol="basecast", groups=4, sizes=(4,), clients=1, messages=1))
    run.factory = factory
    run.simulate()
    # SET-HARD, and then one entry for each other group, or one for all of them.
    assert set(counted.values()) == {entries}
