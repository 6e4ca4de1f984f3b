"""Modelled networks: how long a packet takes from one site to another.

Everything random comes from one `Random`, drawn in the order of the run, so that one seed
gives one run. A link is a plain function from (now, bytes) to the time of arrival: the
simulator calls one for every packet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from amcast.core import InvalidInput

Site = str
Link = Callable[[int, int], int]

US_PER_MS = 1000
US_PER_S = 1_000_000


@dataclass(frozen=True)
class Network:
    """Base delays between sites and what makes real delays differ from them.

    `jitter` is the share of the base delay that varies: the standard deviation of `normal`,
    the half width of `uniform`, the mean of `exponential`, which only adds. A `bandwidth` is
    shared by everything that a group sends; a packet waits for those before it.
    """

    base_us: Mapping[Site, Mapping[Site, int]]
    jitter: float = 0.0
    distribution: Literal["normal", "uniform", "exponential"] = "normal"
    fifo: bool = False
    bandwidth_bytes_s: int | None = None
    cpu_us_per_message: float = 0.0
    cpu_us_per_kb: float = 0.0

    def __post_init__(self) -> None:
        for source, row in self.base_us.items():
            for target, delay in row.items():
                if delay < 0:
                    raise InvalidInput(f"the delay from {source} to {target} is negative: {delay}")
        if self.bandwidth_bytes_s is not None and self.bandwidth_bytes_s <= 0:
            raise InvalidInput(
                f"bandwidth {self.bandwidth_bytes_s} B/s carries nothing: use 1 or more"
            )
        for name in ("jitter", "cpu_us_per_message", "cpu_us_per_kb"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise InvalidInput(f"{name} is {getattr(self, name)}: use 0 or more")

    @property
    def sites(self) -> tuple[Site, ...]:
        return tuple(self.base_us)

    def scaled(self, factor: float) -> Network:
        """The same network with all base delays multiplied by `factor`."""
        if not 0 <= factor < float("inf"):
            raise InvalidInput(f"latency scale {factor} is not possible: use 0 or more")
        scaled = {
            source: {target: round(delay * factor) for target, delay in row.items()}
            for source, row in self.base_us.items()
        }
        return replace(self, base_us=scaled)

    def link(self, source: Site, target: Site, random: Random, uplink: Uplink | None) -> Link:
        """A new connection; `uplink` is what its sender shares among all its connections."""
        link = self._delay(self.base_us[source][target], random)
        if uplink is not None:
            link = _through(uplink, link)
        return _in_order(link) if self.fifo else link

    def _delay(self, base_us: int, random: Random) -> Link:
        """Draws a delay for each packet. One call does it all: it is made for every packet."""
        if not self.jitter or not base_us:
            return lambda now_us, size: now_us + base_us
        spread = base_us * self.jitter
        match self.distribution:
            case "normal":
                gauss = random.gauss
                return lambda now_us, size: now_us + max(0, int(gauss(base_us, spread)))
            case "uniform":
                uniform = random.uniform
                least, most = base_us - spread, base_us + spread
                return lambda now_us, size: now_us + max(0, int(uniform(least, most)))
            case "exponential":
                rate = 1 / spread
                exponential = random.expovariate
                return lambda now_us, size: now_us + base_us + int(exponential(rate))


class Uplink:
    """A sender's line: packets leave one after the other."""

    def __init__(self, bandwidth_bytes_s: int) -> None:
        self._us_per_byte = US_PER_S / bandwidth_bytes_s
        self._free_us = 0.0

    def leave(self, now_us: int, size: int) -> int:
        """When the last byte of a packet handed over now is on its way."""
        self._free_us = max(self._free_us, now_us) + size * self._us_per_byte
        return round(self._free_us)


def uniform_network(delay_us: int, sites: tuple[Site, ...]) -> Network:
    """The same delay between any two sites, none inside one."""
    if delay_us < 0:
        raise InvalidInput(f"delay {delay_us} us is negative: use 0 or more")
    return Network({a: {b: 0 if a == b else delay_us for b in sites} for a in sites})


def _through(uplink: Uplink, link: Link) -> Link:
    """The same link for a sender whose packets first leave one after the other."""
    leave = uplink.leave
    return lambda now_us, size: link(leave(now_us, size), size)


def _in_order(link: Link) -> Link:
    """The same link, but no packet overtakes another. Equal times keep the order of sending."""
    latest = 0

    def arrival(now_us: int, size: int) -> int:
        nonlocal latest
        latest = max(latest, link(now_us, size))
        return latest

    return arrival
