"""Overlays as pictures: small SVG texts that need nothing else.

Trees and forests grow from left to right, one column a level, so that long names need no more
room than short ones. Ranks stand above each other, the lowest at the bottom: messages go up.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, combinations, pairwise
from typing import Final, NamedTuple

from amcast.core import GroupId
from amcast.overlays.propagation import PropagationGraph
from amcast.overlays.rank import Ranks
from amcast.overlays.tree import Tree

# How many ranks get all their edges drawn; of more, only those between neighbours are.
RANKS_WITH_ALL_EDGES_MAX: Final = 6

FONT_SIZE: Final = 12
# Of monospaced fonts, the widest in use have 0.61 of their size.
LETTER: Final = 7.4
MARGIN: Final = 12
PADDING: Final = 7
BOX_HEIGHT: Final = 22
ROW: Final = 30
# Arrows between neighbours must fit in.
RANK_ROW: Final = 38
COLUMN_GAP: Final = 44
ARC: Final = 24

Levels = dict[GroupId, int]


class Box(NamedTuple):
    """A group's rectangle with its name in the middle."""

    group: GroupId
    left: float
    middle: float
    width: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.middle - BOX_HEIGHT / 2

    def svg(self) -> str:
        return (
            f'<rect x="{_number(self.left)}" y="{_number(self.top)}" '
            f'width="{_number(self.width)}" height="{BOX_HEIGHT}" rx="4" class="group"/>\n'
            f'<text x="{_number(self.left + self.width / 2)}" y="{_number(self.middle + 4)}">'
            f"{self.group}</text>\n"
        )


def picture(overlay: Tree | Ranks | PropagationGraph) -> str:
    """The overlay as SVG, always the same for the same overlay."""
    match overlay:
        case Ranks():
            return _ranks(overlay)
        case Tree():
            parents = {group: overlay.parent(group) for group in overlay.groups}
            title = f"Tree of {_count(overlay.groups)}, root {overlay.root}"
        case PropagationGraph():
            parents = overlay.parents
            title = f"Propagation graph of {_count(overlay.groups)}, {_roots(overlay.roots)}"
    return _forest(parents, title)


def _forest(parents: dict[GroupId, GroupId | None], title: str) -> str:
    children: dict[GroupId | None, list[GroupId]] = {}
    for group, parent in parents.items():
        children.setdefault(parent, []).append(group)
    downwards = _parents_first(children)
    boxes = _columns(_levels(downwards, parents), _rows(downwards, children))
    edges = [
        _edge(boxes[parent], boxes[group])
        for group, parent in parents.items()
        if parent is not None
    ]
    lowest = max(box.middle for box in boxes.values())
    return _svg(
        title,
        width=max(box.right for box in boxes.values()) + MARGIN,
        height=lowest + BOX_HEIGHT / 2 + MARGIN,
        body=[*edges, *(box.svg() for box in boxes.values())],
    )


def _levels(downwards: list[GroupId], parents: dict[GroupId, GroupId | None]) -> Levels:
    levels: Levels = {}
    for group in downwards:
        above = parents[group]
        levels[group] = 0 if above is None else levels[above] + 1
    return levels


def _columns(levels: Levels, rows: dict[GroupId, float]) -> dict[GroupId, Box]:
    """All boxes of a level are as wide as its longest name, so edges pass beside them."""
    widths = [0.0] * (max(levels.values()) + 1)
    for group, level in levels.items():
        widths[level] = max(widths[level], _width(group))
    lefts = [*accumulate((width + COLUMN_GAP for width in widths), initial=float(MARGIN))]
    return {
        group: Box(group, lefts[level], _middle(rows[group]), widths[level])
        for group, level in levels.items()
    }


def _parents_first(children: dict[GroupId | None, list[GroupId]]) -> list[GroupId]:
    """Each group before all below it, and those before its next sibling. Chains may be long."""
    order: list[GroupId] = []
    waiting = children[None][::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += children.get(order[-1], [])[::-1]
    return order


def _rows(
    downwards: list[GroupId], children: dict[GroupId | None, list[GroupId]]
) -> dict[GroupId, float]:
    """A row for each leaf; all others stand half-way between their first and last child."""
    leaves = [group for group in downwards if group not in children]
    rows: dict[GroupId, float] = {group: row for row, group in enumerate(leaves)}
    for group in reversed(downwards):
        if group in children:
            below = children[group]
            rows[group] = (rows[below[0]] + rows[below[-1]]) / 2
    return rows


def _edge(parent: Box, child: Box) -> str:
    half, down = COLUMN_GAP / 2, child.middle - parent.middle
    curve = _points((half, 0), (half, down), (COLUMN_GAP - 1, down))
    return _path(parent.group, child.group, f"M{_points((parent.right, parent.middle))}c{curve}")


def _ranks(ranks: Ranks) -> str:
    order = ranks.order
    left = MARGIN + len(str(len(order) - 1)) * LETTER + PADDING
    width = max(map(_width, order))
    boxes = [
        Box(group, left, _middle(len(order) - 1 - rank, RANK_ROW), width)
        for rank, group in enumerate(order)
    ]
    every = len(order) <= RANKS_WITH_ALL_EDGES_MAX
    pairs = [*(combinations(range(len(order)), 2) if every else pairwise(range(len(order))))]
    bottom = boxes[0].middle + BOX_HEIGHT / 2 + MARGIN
    arcs = ARC * max((high - low - 1 for low, high in pairs), default=0)
    note = "" if every else "Each also sends to all above."
    return _svg(
        f"Ranks of {_count(order)}, lowest {order[0]}",
        width=max(left + width + arcs, MARGIN + len(note) * LETTER) + MARGIN,
        height=bottom + (FONT_SIZE + 4 if note else 0),
        body=[
            *(_step(boxes[low], boxes[high], high - low) for low, high in pairs),
            *(_note(str(rank), box.middle) + box.svg() for rank, box in enumerate(boxes)),
            *([_note(note, bottom)] if note else []),
        ],
    )


def _note(text: str, middle: float) -> str:
    return f'<text x="{MARGIN}" y="{_number(middle + 4)}" class="note">{text}</text>\n'


def _step(low: Box, high: Box, distance: int) -> str:
    if distance == 1:
        middle, up = low.left + low.width / 2, _number(high.top + BOX_HEIGHT + 1)
        return _path(low.group, high.group, f"M{_points((middle, low.top))}V{up}")
    # A curve gets three quarters of the way to its control points.
    out = low.right + (distance - 1) * ARC * 4 / 3
    # Arcs leave above the middle and arrive below it, so that neither hides the other.
    start, end = low.middle - 4, high.middle + 4
    curve = _points((out, start), (out, end), (high.right + 1, end))
    return _path(low.group, high.group, f"M{_points((low.right, start))}C{curve}")


def _path(source: GroupId, target: GroupId, path: str) -> str:
    return f'<path d="{path}" class="edge"><title>{source} to {target}</title></path>\n'


def _points(*points: tuple[float, float]) -> str:
    return " ".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _svg(title: str, *, width: float, height: float, body: Iterable[str]) -> str:
    """Names need no escaping: groups are named with letters, digits and a few signs."""
    size = _points((width, height))
    wide, high = size.split()
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {size}" \
role="img" aria-labelledby="title">
<title id="title">{title}</title>
<style>
text {{ font: {FONT_SIZE}px monospace; text-anchor: middle; fill: #1f2933; }}
.note {{ text-anchor: start; fill: #52606d; }}
.group {{ fill: #e8f1fb; stroke: #3b6ea5; }}
.edge {{ fill: none; stroke: #52606d; marker-end: url(#arrow); }}
</style>
<marker id="arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" \
orient="auto"><path d="M0 0L6 3L0 6z" fill="#52606d"/></marker>
<rect width="100%" height="100%" fill="#ffffff"/>
{"".join(body)}</svg>
"""


def _width(group: GroupId) -> float:
    return len(group) * LETTER + 2 * PADDING


def _middle(row: float, pitch: float = ROW) -> float:
    return MARGIN + BOX_HEIGHT / 2 + row * pitch


def _count(groups: tuple[GroupId, ...]) -> str:
    return "1 group" if len(groups) == 1 else f"{len(groups)} groups"


def _roots(roots: tuple[GroupId, ...]) -> str:
    return f"root{'' if len(roots) == 1 else 's'} {', '.join(roots)}"
