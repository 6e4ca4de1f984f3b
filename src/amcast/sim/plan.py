"""What decides a run, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from amcast.core import GroupId, InvalidInput, ProcessId
from amcast.sim.clients import ClientPlan, DrawMessage, FlushPlan
from amcast.sim.latency import Latencies
from amcast.sim.network import Network, Site


class Endpoint(Protocol):
    """Where a packet can go."""

    @property
    def name(self) -> ProcessId: ...

    @property
    def group(self) -> GroupId: ...


@dataclass(frozen=True)
class SimulationPlan:
    """All that decides a run, but for the protocol and the seed."""

    groups: tuple[GroupId, ...]
    network: Network
    placement: Mapping[GroupId, Site]
    clients: Sequence[ClientPlan]
    draw: DrawMessage
    # Clients send so many messages in all, or for so long; exactly one of the two.
    messages: int | None = None
    duration_us: int | None = None
    # Groups decide their log in instances, one every so often; 0: each entry at once.
    log_period_us: int = 0
    flush: FlushPlan | None = None

    def __post_init__(self) -> None:
        if not self.clients:
            raise InvalidInput("a run without clients does nothing: use 1 client or more")
        if (self.messages is None) == (self.duration_us is None):
            raise InvalidInput("a run needs either a number of messages or a duration")
        if self.messages is not None and self.messages < 1:
            raise InvalidInput(f"a run of {self.messages} messages does nothing: use 1 or more")
        if self.duration_us is not None and self.duration_us <= 0:
            raise InvalidInput(f"a run of {self.duration_us} us does nothing: use more than 0")


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    messages: int
    completed: int
    deliveries: int
    packets: int
    events: int
    ended_us: int
    drained: bool
    latencies: Latencies = field(repr=False)
