"""`amcast overlay`: who forwards to whom, as text or as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from amcast.cli.output import print_json, show
from amcast.core import InvalidInput
from amcast.overlays import (
    PropagationGraph,
    Ranks,
    Tree,
    outline,
    parse_propagation,
    parse_ranks,
    parse_tree,
    picture,
)
from amcast.scenarios import SCENARIOS
from amcast.scenarios.catalogue import Scenario, scenario_named

NAME = "overlay"
SUMMARY = "show an overlay as text, or draw it as SVG"
DESCRIPTION = """\
Show an overlay: one that the scenario knows by name (aws12: O1, O2, T1, T2, T3; wan1, wan2: C1,
C2), a tree (star, star:g2, chain, binary, or edges such as g1>g2,g1>g3), ranks, lowest first
(g1,g3,g2), or the sets of a propagation graph (g1+g2,g2+g3; with :g2 that group wins ties).
With --out it is drawn as SVG into a file that needs nothing else."""
EXAMPLE = "amcast overlay O1 --scenario aws12 --out o1.svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("overlay", metavar="O", help="a name, a tree, ranks or sets")
    add("--scenario", default="uniform", metavar="S", help=f"one of {', '.join(SCENARIOS)}")
    add("--groups", type=int, metavar="N", help="how many groups (default 3)")
    add("--out", type=Path, metavar="FILE", help="draw it into this file")
    add("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    scenario = scenario_named(options.scenario, options.groups)
    overlay = _read(options.overlay.strip(), scenario)
    if options.out is not None:
        _draw(overlay, options.out)
    if options.json:
        print_json(_plain(overlay))
    else:
        show(outline(overlay) if options.out is None else f"drawn in {options.out}")
    return 0


def _read(text: str, scenario: Scenario) -> Tree | Ranks | PropagationGraph:
    named: dict[str, Tree | Ranks] = {**scenario.trees, **scenario.ranks}
    found = {name.casefold(): overlay for name, overlay in named.items()}.get(text.casefold())
    if found is not None:
        return found
    if "+" in text:
        return parse_propagation(text, scenario.groups)
    if ">" in text or text.partition(":")[0] in ("star", "chain", "binary"):
        return parse_tree(text, scenario.groups)
    if "," in text:
        return parse_ranks(text, scenario.groups)
    raise InvalidInput(
        f"overlay {text!r} is not known: scenario {scenario.name} names "
        f"{', '.join(named) or 'none'}; or write star, chain, binary, edges such as g1>g2,g1>g3, "
        "ranks such as g1,g3,g2, or sets such as g1+g2,g2+g3"
    )


def _draw(overlay: Tree | Ranks | PropagationGraph, out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir():
        raise InvalidInput(f"{out} cannot be a file: name one in a directory that exists")
    out.write_text(picture(overlay), encoding="utf-8")


def _plain(overlay: Tree | Ranks | PropagationGraph) -> dict[str, object]:
    match overlay:
        case Ranks():
            return {"ranks": overlay.order}
        case Tree():
            return {"parents": {group: overlay.parent(group) for group in overlay.groups}}
        case PropagationGraph():
            return {"parents": overlay.parents, "sets": overlay.sets}
