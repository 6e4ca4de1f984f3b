"""The tables of costs in the documentation are what is measured: one message alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from amcast.core import GroupId
from amcast.overlays import PropagationGraph, Tree
from amcast.protocols import PROTOCOLS
from tests.protocols.one_message import cost_of_one

ROOT: Final = Path(__file__).parent.parent
GROUPS: Final = ("g1", "g2", "g3", "g4", "g5")
# Sets with a group on the way that is no destination: g3 in the tree, g2 in the chain.
TREE: Final = Tree(GROUPS, {"g1": None, "g2": "g1", "g3": "g1", "g4": "g3", "g5": "g4"})
CHAIN: Final = PropagationGraph.for_any_set(GROUPS)
DESTINATIONS: Final = {
    "tree": ("g1", "g2", "g5"),
    "propagation": ("g1", "g3", "g4"),
    # The centre, g1, is none of them.
    "sequencer": ("g2", "g3", "g4"),
}
OPTIONS: Final = {"delays, on hop": {"deliver_on": "hop"}}
Row = Mapping[str, str]


def tables(text: str) -> list[list[Row]]:
    """All tables, each row by the names of its columns."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in line.strip("|\n ").split("|")] for line in block.splitlines()
        ]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def cost_rows(protocol: str) -> list[Row]:
    text = (ROOT / "docs" / "protocols" / f"{protocol}.md").read_text()
    (section,) = re.findall(r"^## Cost\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    return tables(section)[0]


@cache
def measured(
    protocol: str, k: int, inside: bool, options: tuple[tuple[str, str], ...]
) -> tuple[int, float]:
    """Messages, and delays until the last destination delivers; inside is where messages enter."""
    overlay = {"tree": TREE, "propagation": CHAIN}.get(protocol)
    factory = PROTOCOLS[protocol].factory(GROUPS, overlay, options=dict(options))
    home = "g1" if inside else None
    messages, delays = cost_of_one(factory, GROUPS, destinations_of(protocol, k), [home])
    return messages, max(delays.values())


def destinations_of(protocol: str, k: int) -> tuple[GroupId, ...]:
    return DESTINATIONS.get(protocol, GROUPS)[:k]


def printed(cell: str, protocol: str, k: int) -> float:
    """What a cell says: `3, own group 2 (k = 1: 0)` is 3, and 0 for one destination."""
    alone = re.search(r"\((?:k = 1|one destination): (\d+)\)", cell)
    if alone and k == 1:
        return int(alone[1])
    formula = re.split(r"[,;]| \((?:k = 1|one destination)", cell)[0].replace("²", "**2")
    formula = re.sub(r"(?<=\d)(?=[a-z])|(?<=\w)(?=\()", "*", formula)
    assert re.fullmatch(r"[a-z0-9 ()*/+-]+", formula), f"{cell!r} is no formula"
    value: float = eval(formula, {}, sizes(protocol, k))
    return value


def sizes(protocol: str, k: int) -> dict[str, int]:
    dst = destinations_of(protocol, k)
    return {
        "k": k,
        "n": len(GROUPS),
        "m": len(GROUPS),
        "levels": TREE.height(dst),
        "edges": TREE.edges_of(dst),
        "depth": CHAIN.depth(dst),
        "extra": len(CHAIN.extra(dst)),
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_table_of_a_page_is_what_is_measured(protocol: str) -> None:
    rows = cost_rows(protocol)
    assert {is_inside(row) for row in rows} == {True, False}
    for row in rows:
        for k in numbers_of_destinations(row):
            for column in [each for each in row if each.startswith("delays")]:
                options = tuple(OPTIONS.get(column, {}).items())
                expected = printed(row["messages"], protocol, k), printed(row[column], protocol, k)
                assert measured(protocol, k, is_inside(row), options) == expected, (row, k)


def is_inside(row: Row) -> bool:
    return row["client"].startswith(("in", "of "))


def numbers_of_destinations(row: Row) -> tuple[int, ...]:
    """Three, and one where the row says what that costs."""
    if row.get("destinations") == "1":
        return (1,)
    return (1, 3) if any("(k = 1:" in c or "(one destination:" in c for c in row.values()) else (3,)


def readme_rows() -> list[Row]:
    text = (ROOT / "README.md").read_text()
    return next(rows for rows in tables(text) if "messages, client outside" in rows[0])


def test_the_readme_lists_every_protocol() -> None:
    assert [row["name"].strip("`") for row in readme_rows()] == [*PROTOCOLS]


@pytest.mark.parametrize("row", readme_rows(), ids=lambda row: row["name"].strip("`"))
def test_the_table_of_the_readme_is_what_is_measured(row: Row) -> None:
    protocol = row["name"].strip("`")
    cells = row["messages, client outside"], row["delays, client outside"]
    assert measured(protocol, 3, False, ()) == tuple(printed(cell, protocol, 3) for cell in cells)


def test_a_cell_is_read_as_a_person_reads_it() -> None:
    assert printed("n²(n - 1) + 1", "adt", 3) == 101
    assert printed("k + 5k(k - 1)", "skeen", 3) == 33
    assert printed("4; 3 if k = 2 (k = 1: 0)", "skeen", 1) == 0
    with pytest.raises(AssertionError, match="is no formula"):
        printed("O(n)!", "skeen", 3)
