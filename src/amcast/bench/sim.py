"""The simulator's speed, its cost of tracing and its memory, in one run.

Times are processor time, the best of several rounds that take turns: other programs on the
machine then disturb all sides alike, and least of all the best round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from amcast.bench.measure import Measure
from amcast.bench.memory import peak_in_child, standard_run
from amcast.bench.replicas import ReplicaContest
from amcast.core import InvalidInput
from amcast.sim import simulation

EVENTS_BAR, EVENTS_STRETCH = 200_000, 300_000
SIMPY_BAR = 2.0
TRACING_BAR = 1 / 3
MEMORY_BAR = 1.25
# How much longer the second run is whose memory is measured.
LONGER = 10

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Size:
    """How much is run: for a result, or only to see that everything works."""

    messages: int
    rounds: int
    memory_messages: int
    replicated_messages: int


# The shorter memory run fills every buffer of a trace at least once.
FULL = Size(messages=40_000, rounds=3, memory_messages=50_000, replicated_messages=4_000)
QUICK = Size(messages=300, rounds=1, memory_messages=100, replicated_messages=100)


def build() -> Literal["plain", "compiled"]:
    """Whether the simulator runs as Python or was compiled."""
    return "plain" if str(simulation.__file__).endswith(".py") else "compiled"


def bench_sim(size: Size, progress: Progress) -> list[Measure]:
    """Measure everything, at most a minute with `FULL`."""
    with TemporaryDirectory(prefix="amcast-bench-") as directory:
        contest = _Contest(size.messages, Path(directory))
        replicas = ReplicaContest(size.replicated_messages)
        # The memory runs take about as long as the contest.
        for number in range(size.rounds):
            contest.round()
            replicas.round()
            progress((number + 1) / size.rounds / 2)
        memory = _memory(size.memory_messages, Path(directory))
    progress(1.0)
    return [*contest.measures(), *replicas.measures(), *memory]


class _Contest:
    """All that is timed, in turns; the best time of each."""

    def __init__(self, messages: int, directory: Path) -> None:
        self._run = standard_run(messages)
        self._directory = directory
        self._simpy = _simpy_styles()
        self._best: dict[str, float] = {}
        self._events = 0
        self._deliveries = 0
        self._rounds = 0

    def round(self) -> None:
        self._rounds += 1
        self._time("off", self._trace_off)
        self._time("counts", lambda: self._traced("counts"))
        self._time("all", lambda: self._traced("all"))
        for style in self._simpy:
            self._time(style, lambda style=style: self._on_simpy(style))  # type: ignore[misc]

    def _time(self, name: str, work: Callable[[], None]) -> None:
        started = time.process_time()
        work()
        took = time.process_time() - started
        self._best[name] = min(took, self._best.get(name, took))

    def _trace_off(self) -> None:
        outcome = self._run.simulate()
        self._events, self._deliveries = outcome.events, outcome.deliveries

    def _traced(self, packets: Literal["all", "counts"]) -> None:
        self._run.write(self._directory / f"{packets}-{self._rounds}", packets=packets)

    def _on_simpy(self, style: str) -> None:
        from amcast.bench.simpy_model import SimpyModel

        model = SimpyModel(self._run, style)
        deliveries = model.run()
        assert deliveries == self._deliveries, "SimPy ran another model"

    def measures(self) -> list[Measure]:
        off, counts, every = (self._best[name] for name in ("off", "counts", "all"))
        rate = self._events / off
        against = [
            Measure(f"ratio to SimPy, {style}", self._best[style] / off, "x", bar)
            for style, bar in self._simpy.items()
        ]
        return [
            Measure("events a second", rate, "/s", EVENTS_BAR, stretch=EVENTS_STRETCH),
            *against,
            Measure("share of tracing, packets counted", 1 - off / counts, "", TRACING_BAR, "less"),
            Measure("share of tracing, every packet", 1 - off / every),
        ]


def _simpy_styles() -> dict[str, float | None]:
    """The ways to write the model with SimPy, and the bar against each."""
    try:
        from amcast.bench.simpy_model import STYLES
    except ModuleNotFoundError as error:
        raise InvalidInput("the benchmark needs SimPy: pip install simpy") from error
    # Timeouts that call a store, out of which each group is a process, is how a model is
    # written with SimPy. Bare time-outs measure little more than the protocol, which both run.
    return {style: SIMPY_BAR if style == "stores" else None for style in STYLES}


def _memory(messages: int, directory: Path) -> Sequence[Measure]:
    short = peak_in_child(messages, directory / "short")
    long = peak_in_child(messages * LONGER, directory / "long")
    return (
        Measure("peak memory, traced", short / 1e6, "MB"),
        Measure(f"peak memory, {LONGER} times longer", long / short, "x", MEMORY_BAR, "less"),
    )
