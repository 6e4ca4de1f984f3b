"""What each protocol is called and what it promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from amcast.core import GroupId, InvalidInput, Process, check_groups
from amcast.overlays import Tree, parse_tree
from amcast.protocols.sequencer import Sequencer
from amcast.protocols.skeen import Skeen
from amcast.protocols.skeen_coordinator import SkeenCoordinator
from amcast.protocols.tree import TreeCast
from amcast.protocols.two_phase import TwoPhase

AnyProcess = Process[Any, Any]
ProcessFactory = Callable[[GroupId], AnyProcess]

ATOMIC_MULTICAST: Final = (
    "integrity",
    "validity",
    "agreement",
    "prefix_order",
    "acyclic_order",
    "conflict_order",
)
GENUINE_MULTICAST: Final = (*ATOMIC_MULTICAST, "genuineness")


@dataclass(frozen=True)
class Protocol:
    """One entry of the registry."""

    name: str
    process: type[AnyProcess]
    # "local": only messages to one group stay there.
    genuine: bool | Literal["local", "minimal"]
    tolerates: str
    delays: str
    source: str
    # What `--overlay` means to it, if anything.
    overlay: Literal["tree", "centre"] | None = None

    @property
    def promises(self) -> tuple[str, ...]:
        """The properties that `check` holds against it."""
        return GENUINE_MULTICAST if self.genuine is True else ATOMIC_MULTICAST

    def factory(
        self, groups: Sequence[GroupId], overlay: str | Tree | None = None
    ) -> ProcessFactory:
        """How to make the process of each group."""
        names = check_groups(groups)
        process = self.process
        if self.overlay is None:
            if overlay is not None:
                raise InvalidInput(f"{self.name} has no overlay: leave --overlay out")
            return lambda group: process(group, names)
        extra = overlay
        if self.overlay == "tree" and isinstance(overlay, str):
            extra = parse_tree(overlay, names)
        # Made once here, so that a bad overlay is refused before anything runs.
        make: Callable[..., AnyProcess] = process
        make(names[0], names, extra)
        return lambda group: make(group, names, extra)


_UNREPLICATED: Final = "no crash"

PROTOCOLS: Final[Mapping[str, Protocol]] = MappingProxyType(
    {
        protocol.name: protocol
        for protocol in (
            Protocol(
                "skeen", Skeen, True, _UNREPLICATED, "2", "Birman and Joseph 1987; convoy 2016"
            ),
            Protocol(
                "skeen-coordinator", SkeenCoordinator, True, _UNREPLICATED, "3", "convoy 2016"
            ),
            Protocol(
                "two-phase",
                TwoPhase,
                True,
                _UNREPLICATED,
                "3, outside 4",
                "Garcia-Molina and Spauster 1988",
            ),
            Protocol(
                "sequencer",
                Sequencer,
                False,
                _UNREPLICATED,
                "2, also local",
                "Garcia-Molina and Spauster 1988",
                overlay="centre",
            ),
            Protocol(
                "tree",
                TreeCast,
                "local",
                _UNREPLICATED,
                "1 + levels",
                "ByzCast 2018; TreeCast 2019",
                overlay="tree",
            ),
        )
    }
)


def protocol_named(name: str) -> Protocol:
    """The protocol, refused with the list of those that exist."""
    found = PROTOCOLS.get(name)
    if found is None:
        raise InvalidInput(f"no protocol {name!r}: there is {', '.join(PROTOCOLS)}")
    return found
