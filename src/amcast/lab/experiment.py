"""An experiment as a value: one small TOML file that says what to run.

    title = "Latency of overlays"          # what the page is called
    source = "FlexCast (2023), Table 2"    # where it was published, if it was
    packets = "all"                        # or counts, or off

    [common]                               # parameters of every run, as `amcast sim` has them
    scenario = "aws12"

    [[sweep]]                              # a list is an axis: every combination is run
    protocol = "tree"
    overlay = ["T1", "T2", "T3"]

    [sizes.quick]                          # what a size changes, and how many seeds it has
    seeds = 1
    duration_s = 60

    [[missing]]                            # what the source has and this experiment cannot do
    what = "..."
    reason = "..."

A sweep may name another `kind` of task than a simulation (see `computed`), and with `at` the
sizes it is part of. What comes later wins: common, sweep, size, the command line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from amcast.core import InvalidInput
from amcast.lab.computed import COMPUTATIONS

SIZES: Final = ("tiny", "quick", "full")
PACKETS: Final = ("all", "counts", "off")
SIMULATION: Final = "simulation"
# A run that somebody else has run: its trace was ingested.
INGESTED: Final = "ingested"
NAME_PATTERN: Final = re.compile(r"[a-z][a-z0-9-]{0,49}")
# A run is so many messages, or so long: the later of the two settings counts.
EXCLUSIVE: Final = {
    "messages": "duration_s",
    "duration_s": "messages",
    "clients": "clients_per_group",
    "clients_per_group": "clients",
}

KEYS: Final = frozenset(
    ("name", "title", "source", "packets", "seeds", "size", "common", "sweep", "sizes", "missing")
)

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Sweep:
    """Parameters of a family of runs; a list is an axis."""

    values: Values
    kind: str = SIMULATION
    at: tuple[str, ...] = SIZES


@dataclass(frozen=True)
class Missing:
    """Something that was published and that the experiment does not do."""

    what: str
    reason: str


@dataclass(frozen=True)
class Experiment:
    """What a file says, with nothing chosen yet."""

    name: str
    title: str
    source: str
    packets: str
    sweeps: tuple[Sweep, ...]
    common: Values = field(default_factory=dict)
    sizes: Mapping[str, Values] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()
    seeds: tuple[int, ...] = (1,)

    def chosen(
        self,
        size: str | None = None,
        *,
        seeds: int | None = None,
        settings: Values | None = None,
    ) -> Chosen:
        """The experiment at a size; `seeds` counts from 1, `settings` are parameters."""
        name = self._size(size)
        of_size = dict(self.sizes.get(name, {}))
        of_user = dict(settings or {})
        of_size_seeds = of_size.pop("seeds", None)
        counted = of_size_seeds if seeds is None else seeds
        packets = _packets(of_user.pop("packets", of_size.pop("packets", self.packets)))
        sweeps = tuple(
            Sweep(_merged(self.common, sweep.values, of_size, of_user), sweep.kind)
            for sweep in self.sweeps
            if name in sweep.at
        )
        return Chosen(
            name=self.name,
            title=self.title,
            source=self.source,
            size=name,
            packets=packets,
            seeds=self.seeds if counted is None else _seeds(counted),
            sweeps=sweeps,
            missing=self.missing,
        )

    def _size(self, size: str | None) -> str:
        known = tuple(self.sizes) or ("full",)
        if size is None:
            return "quick" if "quick" in known else known[-1]
        if size not in known:
            raise InvalidInput(
                f"experiment {self.name} has no size {size!r}: there is {', '.join(known)}"
            )
        return size


@dataclass(frozen=True)
class Chosen:
    """An experiment at one size: all that decides its runs."""

    name: str
    title: str
    source: str
    size: str
    packets: str
    seeds: tuple[int, ...]
    sweeps: tuple[Sweep, ...]
    missing: tuple[Missing, ...] = ()

    @property
    def ingested(self) -> bool:
        """Whether its runs were run elsewhere, so that there is nothing to run."""
        return any(sweep.kind == INGESTED for sweep in self.sweeps)

    def to_toml(self) -> str:
        """The text of `experiment.toml`, which is again an experiment."""
        import tomli_w

        return tomli_w.dumps(
            {
                "name": self.name,
                "title": self.title,
                "source": self.source,
                "size": self.size,
                "packets": self.packets,
                "seeds": list(self.seeds),
                "missing": [{"what": gap.what, "reason": gap.reason} for gap in self.missing],
                "sweep": [{"kind": sweep.kind, **sweep.values} for sweep in self.sweeps],
            }
        )


def named(name: str) -> Experiment:
    """One of our experiments, or the one in a file that ends in .toml."""
    if name.endswith(".toml"):
        return _parse_file(Path(name))
    place = files("amcast.lab").joinpath("experiments", f"{name}.toml")
    if not NAME_PATTERN.fullmatch(name) or not place.is_file():
        raise InvalidInput(
            f"no experiment {name!r}: there is {', '.join(names())}, or name a file such as my.toml"
        )
    return parse(place.read_text("utf-8"), name)


def names() -> list[str]:
    """Our own experiments."""
    entries = files("amcast.lab").joinpath("experiments").iterdir()
    return sorted(entry.name[:-5] for entry in entries if entry.name.endswith(".toml"))


def _parse_file(path: Path) -> Experiment:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read ({error.strerror}): name a TOML file or an experiment"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is no text in UTF-8: write it again") from error
    found = parse(text, path.stem, str(path))
    if any(sweep.kind == INGESTED for sweep in found.sweeps):
        raise InvalidInput(f"{path} is of a trace, not to be run: use `amcast lab ingest`")
    return found


def parse(text: str, name: str, where: str | None = None) -> Experiment:
    """The experiment in a TOML text; it is called `name` unless it says otherwise."""
    where = where or f"experiment {name}"
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{where} is no TOML: {error}") from error
    try:
        return _experiment(found, name)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from error


def _experiment(found: dict[str, Any], name: str) -> Experiment:
    for key in found:
        if key not in KEYS:
            raise InvalidInput(f"{key!r} is not known: there is {', '.join(sorted(KEYS))}")
    own_name = found.get("name", name)
    if not isinstance(own_name, str) or not NAME_PATTERN.fullmatch(own_name):
        raise InvalidInput(
            f"{own_name!r} is no name of an experiment: use small letters, digits and dashes"
        )
    sizes = _table(found, "sizes")
    if set(sizes) - set(SIZES):
        raise InvalidInput(f"sizes are {', '.join(SIZES)}, not {', '.join(sizes)}")
    return Experiment(
        name=own_name,
        title=str(found.get("title", own_name)),
        source=str(found.get("source", "")),
        packets=_packets(found.get("packets", "all")),
        sweeps=tuple(_sweep(each) for each in _tables(found, "sweep")),
        common=_table(found, "common"),
        sizes={size: _table(sizes, size) for size in SIZES if size in sizes} or _own_size(found),
        missing=tuple(_missing(each) for each in _tables(found, "missing", needed=False)),
        seeds=_seeds(found.get("seeds", 1)),
    )


def _own_size(found: dict[str, Any]) -> dict[str, Values]:
    """A file without sizes has one, which changes nothing."""
    return {str(found.get("size", "full")): {}}


def _sweep(found: dict[str, Any]) -> Sweep:
    values = dict(found)
    kind = values.pop("kind", SIMULATION)
    if kind not in (SIMULATION, INGESTED, *COMPUTATIONS):
        raise InvalidInput(
            f"no kind of task {kind!r}: there is {', '.join((SIMULATION, *COMPUTATIONS))}"
        )
    at = values.pop("at", list(SIZES))
    if not isinstance(at, list) or not all(size in SIZES for size in at):
        raise InvalidInput(f"at = {at!r} lists no sizes: use some of {', '.join(SIZES)}")
    return Sweep(values, kind, tuple(at))


def _missing(found: dict[str, Any]) -> Missing:
    if set(found) != {"what", "reason"}:
        raise InvalidInput("a missing part has exactly `what` and `reason`")
    return Missing(str(found["what"]), str(found["reason"]))


def _merged(*layers: Values) -> Values:
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            merged.pop(EXCLUSIVE.get(key, ""), None)
            merged[key] = value
    return merged


def _seeds(found: object) -> tuple[int, ...]:
    """A number of seeds counts from 1; a list names them."""
    if isinstance(found, int) and found >= 1 and not isinstance(found, bool):
        return tuple(range(1, found + 1))
    if isinstance(found, list) and found and all(isinstance(seed, int) for seed in found):
        return tuple(dict.fromkeys(found))
    raise InvalidInput(f"{found!r} seeds are not possible: use 1 or more")


def _packets(found: object) -> str:
    if found not in PACKETS:
        raise InvalidInput(f"packets = {found!r} is not known: use {', '.join(PACKETS)}")
    return str(found)


def _table(found: Values, key: str) -> dict[str, Any]:
    value = found.get(key, {})
    if not isinstance(value, dict):
        raise InvalidInput(f"{key} is no table: write [{key}]")
    return value


def _tables(found: Values, key: str, *, needed: bool = True) -> Sequence[dict[str, Any]]:
    value = found.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(f"{key} is no list of tables: write [[{key}]]")
    if needed and not value:
        raise InvalidInput(f"it has no {key}: write at least one [[{key}]]")
    return value
