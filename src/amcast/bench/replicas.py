"""What replication costs the simulator: the same run, of single processes and of replicas."""

from __future__ import annotations

import time

from amcast.bench.measure import Measure
from amcast.scenarios import Parameters, Run

EVENTS_BAR = 100_000
REPLICAS = 3


def replicated_run(messages: int, replicas: int) -> Run:
    """Skeen, 4 groups, every message to two of them, nothing recorded."""
    return Run(
        Parameters(
            protocol="skeen",
            groups=4,
            replicas=replicas,
            clients=40,
            sizes=(2,),
            messages=messages,
        )
    )


class ReplicaContest:
    """Both kinds of groups, in turns; the best time of each."""

    def __init__(self, messages: int) -> None:
        self._messages = messages
        self._best: dict[int, float] = {}
        self._events: dict[int, int] = {}

    def round(self) -> None:
        for replicas in (1, REPLICAS):
            run = replicated_run(self._messages, replicas)
            started = time.process_time()
            outcome = run.simulate()
            took = time.process_time() - started
            assert outcome.completed == self._messages, "messages got lost"
            self._best[replicas] = min(took, self._best.get(replicas, took))
            self._events[replicas] = outcome.events

    def measures(self) -> list[Measure]:
        rate = self._events[REPLICAS] / self._best[REPLICAS]
        log_us = (self._best[REPLICAS] - self._best[1]) / self._messages * 1e6
        return [
            Measure(f"events a second, {REPLICAS} replicas a group", rate, "/s", EVENTS_BAR),
            Measure("the log's own cost a message", log_us, "us"),
            Measure(f"events a message, {REPLICAS} replicas", self._of(REPLICAS)),
            Measure("events a message, single processes", self._of(1)),
        ]

    def _of(self, replicas: int) -> float:
        return self._events[replicas] / self._messages
