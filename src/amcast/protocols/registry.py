"""What each protocol is called and what it promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from amcast.core import GroupId, InvalidInput, Process, check_groups
from amcast.overlays import (
    PropagationGraph,
    Ranks,
    Tree,
    parse_propagation,
    parse_ranks,
    parse_tree,
)
from amcast.protocols.adt_paced import make_adt
from amcast.protocols.age import Age
from amcast.protocols.age_star import AgeStar
from amcast.protocols.ang import make_ang
from amcast.protocols.basecast_sync import make_basecast
from amcast.protocols.flexcast import FLUSH_CLIENT, FlexCast
from amcast.protocols.generic import GenericMulticast
from amcast.protocols.genuine_dt import GenuineDisasterTolerant
from amcast.protocols.options import Absences, Chosen, Option
from amcast.protocols.propagation import MANAGER_CLIENT
from amcast.protocols.propagation_recovery import make_propagation
from amcast.protocols.ring import Ring
from amcast.protocols.rodrigues import Rodrigues
from amcast.protocols.sequencer import Sequencer
from amcast.protocols.skeen_coordinator import SkeenCoordinator
from amcast.protocols.skeen_global import make_skeen
from amcast.protocols.tree import make_tree
from amcast.protocols.two_phase import TwoPhase

AnyProcess = Process[Any, Any]
ProcessFactory = Callable[[GroupId], AnyProcess]
Overlay = Tree | PropagationGraph | Ranks

DELIVERY: Final = ("integrity", "validity", "agreement")
ORDER: Final = ("prefix_order", "acyclic_order", "conflict_order")
ATOMIC_MULTICAST: Final = (*DELIVERY, *ORDER)
GENUINE_MULTICAST: Final = (*ATOMIC_MULTICAST, "genuineness")


@dataclass(frozen=True)
class Protocol:
    """One entry of the registry."""

    name: str
    process: Callable[..., AnyProcess]
    # "local": only messages to one group stay there; "minimal": groups that some other message
    # is for may take part, too.
    genuine: bool | Literal["local", "minimal"]
    tolerates: str
    delays: str
    source: str
    # What `--overlay` means to it, if anything.
    overlay: Literal["tree", "centre", "sets", "ranks"] | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    order: tuple[str, ...] = ORDER
    # The client whose messages to all groups let it forget the past, if it needs one.
    flush_client: str | None = None
    # The client whose messages to all groups change the overlay, with option changes=yes.
    change_client: str | None = None
    # Whether messages to other groups go on when all of a group is lost for ever.
    survives_lost_groups: bool = False
    # Which groups it can do without for a while, if any.
    absences: Absences | None = None

    @property
    def promises(self) -> tuple[str, ...]:
        """The properties that `check` holds against it."""
        involved = {True: ("genuineness",), "minimal": ("minimality",)}.get(self.genuine, ())
        return (*DELIVERY, *self.order, *involved)

    def promises_with(self, chosen: Chosen) -> tuple[str, ...]:
        """The same, with these choices made."""
        added = (
            option.adds.get(chosen.get(name, option.default), ())
            for name, option in self.options.items()
        )
        return (*self.promises, *(promise for promises in added for promise in promises))

    def reserved_client(self, chosen: Chosen) -> str | None:
        """Who multicasts to all groups now and then for the protocol's own sake, if anybody."""
        return self.change_client if chosen.get("changes") == "yes" else self.flush_client

    def absences_with(self, chosen: Chosen) -> Absences | None:
        """Which groups it can do without for a while, with these choices made."""
        found = self.absences
        if found is None or found.option is None:
            return found
        name, needed = found.option
        return found if chosen.get(name) == needed else None

    def factory(
        self,
        groups: Sequence[GroupId],
        overlay: str | Overlay | None = None,
        *,
        options: Chosen | None = None,
    ) -> ProcessFactory:
        """How to make the process of each group."""
        names = check_groups(groups)
        arguments = () if self.overlay is None else (self._overlay(overlay, names),)
        if self.overlay is None and overlay is not None:
            raise InvalidInput(f"{self.name} has no overlay: leave --overlay out")
        chosen = self._options(options or {})
        make = self.process
        # Made once here, so that a bad overlay is refused before anything runs.
        make(names[0], names, *arguments, **chosen)
        return lambda group: make(group, names, *arguments, **chosen)

    def _overlay(
        self, overlay: str | Overlay | None, groups: tuple[GroupId, ...]
    ) -> str | Overlay | None:
        if self.overlay == "tree" and isinstance(overlay, str):
            return parse_tree(overlay, groups)
        if self.overlay == "sets" and isinstance(overlay, str):
            return parse_propagation(overlay, groups)
        if self.overlay == "ranks" and isinstance(overlay, str):
            return parse_ranks(overlay, groups)
        return overlay

    def _options(self, given: Chosen) -> dict[str, str | int | bool]:
        for name in given:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise InvalidInput(f"{self.name} has no option {name!r}: it has {known}")
        chosen = {name: given.get(name, option.default) for name, option in self.options.items()}
        for name, option in self.options.items():
            if chosen[name] != option.default and not option.goes_with(chosen):
                needed = " ".join(f"{other}={value}" for other, value in option.only_with.items())
                raise InvalidInput(
                    f"option {name}={chosen[name]} needs {needed}: leave one of them out"
                )
        return {name: option.parse(name, chosen[name]) for name, option in self.options.items()}


_MINORITIES: Final = "minority of each group"
_GARCIA_MOLINA: Final = "Garcia-Molina and Spauster 1988"
_STUDY_2009: Final = "Schiper, Sutra and Pedone 2009"
_YES_OR_NO: Final = ("yes", "no")


def _registered(*protocols: Protocol) -> Mapping[str, Protocol]:
    return MappingProxyType({protocol.name: protocol for protocol in protocols})


PROTOCOLS: Final = _registered(
    Protocol(
        "skeen",
        make_skeen,
        True,
        _MINORITIES,
        "2",
        "Birman and Joseph 1987; convoy 2016",
        options={"global_order": Option("no", _YES_OR_NO, adds={"yes": ("global_order",)})},
    ),
    Protocol("skeen-coordinator", SkeenCoordinator, True, _MINORITIES, "3", "convoy 2016"),
    Protocol("two-phase", TwoPhase, True, _MINORITIES, "3, outside 4", _GARCIA_MOLINA),
    Protocol(
        "sequencer",
        Sequencer,
        False,
        _MINORITIES,
        "2, also local",
        _GARCIA_MOLINA,
        overlay="centre",
    ),
    Protocol(
        "generic",
        GenericMulticast,
        True,
        _MINORITIES,
        "2",
        "convoy 2016",
        order=("conflict_order",),
    ),
    Protocol(
        "basecast",
        make_basecast,
        True,
        _MINORITIES,
        "2",
        "BaseCast 2019",
        options={"sync": Option("each", ("each", "all"))},
    ),
    Protocol(
        "age", Age, True, _MINORITIES, "2", _STUDY_2009, options={"skip": Option("yes", _YES_OR_NO)}
    ),
    Protocol("age-star", AgeStar, True, _MINORITIES, "2", _STUDY_2009),
    Protocol(
        "ang",
        make_ang,
        False,
        _MINORITIES,
        "2 + round",
        _STUDY_2009,
        options={
            "eta": Option("1", samples=("1", "2", "3", "5")),
            "kappa": Option("0", samples=("0", "1", "2", "5")),
            "bundles": Option("stall", ("stall", "logged")),
        },
    ),
    Protocol(
        "adt",
        make_adt,
        False,
        "loss of under 1/3 of groups",
        "3, outside 4",
        "Schiper and Pedone 2008; 2009",
        options={
            "eta": Option("0", samples=("1", "2", "3", "5")),
            "kappa": Option("0", samples=("0", "1", "2", "5")),
        },
        survives_lost_groups=True,
        absences=Absences(lambda groups: (groups - 1) // 3),
    ),
    Protocol(
        "ring",
        Ring,
        True,
        _MINORITIES,
        "k + 1",
        "Delporte-Gallet and Fauconnier 2000",
        options={
            "deliver_on": Option("ack", ("ack", "hop")),
            "local_bypass": Option("no", _YES_OR_NO),
        },
    ),
    Protocol(
        "rodrigues", Rodrigues, True, _MINORITIES, "4", "Rodrigues, Guerraoui and Schiper 1998"
    ),
    Protocol(
        "genuine-dt",
        GenuineDisasterTolerant,
        True,
        "4 groups (model)",
        "6",
        "Schiper and Pedone 2008",
    ),
    Protocol(
        "tree",
        make_tree,
        "local",
        _MINORITIES,
        "1 + levels",
        "ByzCast 2018; TreeCast 2019",
        overlay="tree",
        options={"changes": Option("no", _YES_OR_NO)},
        change_client=MANAGER_CLIENT,
    ),
    Protocol(
        "propagation",
        make_propagation,
        "local",
        _MINORITIES,
        "1 + depth",
        _GARCIA_MOLINA,
        overlay="sets",
        options={
            "changes": Option("no", _YES_OR_NO),
            "failures": Option("wait", ("wait", "leave-out"), only_with={"changes": "no"}),
        },
        change_client=MANAGER_CLIENT,
        # All but the manager, which is the first.
        absences=Absences(
            lambda groups: groups - 1, spares_first=True, option=("failures", "leave-out")
        ),
    ),
    Protocol(
        "flexcast",
        FlexCast,
        "minimal",
        _MINORITIES,
        "k",
        "FlexCast 2023",
        overlay="ranks",
        options={"paper_rule": Option("no", _YES_OR_NO)},
        flush_client=FLUSH_CLIENT,
    ),
)


def protocol_named(name: str) -> Protocol:
    """The protocol, refused with the list of those that exist."""
    found = PROTOCOLS.get(name)
    if found is None:
        raise InvalidInput(f"no protocol {name!r}: there is {', '.join(PROTOCOLS)}")
    return found
