"""Pictures of overlays: well-formed, complete, legible, and the same as in the documentation."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amcast.overlays import PropagationGraph, Ranks, Tree, picture
from amcast.overlays.picture import FONT_SIZE, LETTER, RANKS_WITH_ALL_EDGES_MAX
from amcast.scenarios.catalogue import scenario_named

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"
Overlay = Tree | Ranks | PropagationGraph
Rectangle = tuple[float, float, float, float]


def named() -> dict[str, Overlay]:
    """The overlays that `--overlay` knows by name."""
    aws12, wan1 = scenario_named("aws12"), scenario_named("wan1")
    return {**aws12.trees, **aws12.ranks, **wan1.trees}


NAMED = named()


@st.composite
def overlays(draw: st.DrawFn) -> Overlay:
    length = st.integers(1, 20)
    groups = tuple(f"g{i}{'-x' * draw(length)}" for i in range(draw(st.integers(1, 12))))
    random = Random(draw(st.integers()))
    parents = {g: random.choice(groups[:i]) if i else None for i, g in enumerate(groups)}
    kind = draw(st.sampled_from(("tree", "ranks", "forest")))
    if kind == "tree":
        return Tree(groups, parents)
    if kind == "ranks":
        return Ranks(groups, random.sample(groups, len(groups)))
    return PropagationGraph(groups, {g: p for g, p in parents.items() if random.random() < 0.7})


def edges_of(overlay: Overlay) -> list[tuple[str, str]]:
    if isinstance(overlay, Ranks):
        few = len(overlay.order) <= RANKS_WITH_ALL_EDGES_MAX
        return [*(combinations(overlay.order, 2) if few else pairwise(overlay.order))]
    return [(group, child) for group in overlay.groups for child in overlay.children(group)]


def parse(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def label_box(label: ElementTree.Element) -> Rectangle:
    """Left, top, right, bottom; the text stands on y, and is around x unless it is a note."""
    x, y, width = float(label.attrib["x"]), float(label.attrib["y"]), len(label.text or "") * LETTER
    left = x if label.get("class") == "note" else x - width / 2
    return left, y - 0.8 * FONT_SIZE, left + width, y + 0.2 * FONT_SIZE


def group_box(rect: ElementTree.Element) -> Rectangle:
    x, y, width, height = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def overlap(one: Rectangle, other: Rectangle) -> bool:
    apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    return not apart


@given(overlays())
def test_every_group_and_every_edge_is_there_once(overlay: Overlay) -> None:
    root = parse(picture(overlay))
    labels = [text.text for text in root.iter(f"{SVG}text") if text.get("class") != "note"]
    assert sorted(labels) == sorted(overlay.groups)  # type: ignore[type-var]
    drawn = Counter(path.findtext(f"{SVG}title") for path in root.iterfind(f"{SVG}path"))
    assert drawn == Counter(f"{source} to {target}" for source, target in edges_of(overlay))


@given(overlays())
def test_nothing_overlaps_and_everything_is_inside(overlay: Overlay) -> None:
    root = parse(picture(overlay))
    labels = [label_box(text) for text in root.iter(f"{SVG}text")]
    boxes = [group_box(r) for r in root.iter(f"{SVG}rect") if r.get("class") == "group"]
    for drawn in (labels, boxes):
        assert not any(overlap(one, other) for one, other in combinations(drawn, 2))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for left, top, right, bottom in (*labels, *boxes):
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height


@given(overlays())
def test_the_same_overlay_gives_the_same_bytes(overlay: Overlay) -> None:
    assert picture(overlay).encode() == picture(overlay).encode()


@pytest.mark.parametrize("name", NAMED)
def test_a_picture_stands_alone(name: str) -> None:
    text = picture(NAMED[name])
    root = parse(text)
    assert root.findtext(f"{SVG}title")
    assert root.attrib["role"] == "img"
    background = root.find(f"{SVG}rect")
    assert background is not None
    assert (background.get("width"), background.get("fill")) == ("100%", "#ffffff")
    links = [key for node in root.iter() for key in node.attrib if key.endswith(("href", "src"))]
    assert links == []
    assert text.count("://") == 1, "the name of the format, and no address"


def test_titles() -> None:
    groups = ("a", "b", "c")
    titles = {
        "Tree of 3 groups, root a": Tree.star(groups),
        "Ranks of 3 groups, lowest c": Ranks(groups, "cab"),
        "Propagation graph of 3 groups, roots a, c": PropagationGraph.generate(groups, ["ab"]),
        "Ranks of 1 group, lowest a": Ranks("a"),
    }
    for title, overlay in titles.items():
        assert parse(picture(overlay)).findtext(f"{SVG}title") == title


def test_a_long_chain_can_be_drawn() -> None:
    groups = [f"g{number}" for number in range(3000)]
    assert picture(Tree.chain(groups)).count("</text>") == 3000


@pytest.mark.parametrize("name", NAMED)
def test_the_documentation_shows_this_picture(name: str, request: pytest.FixtureRequest) -> None:
    path = PICTURES / f"{name.lower()}.svg"
    drawn = picture(NAMED[name])
    if request.config.getoption("--rewrite"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn)
    assert path.read_text() == drawn, "run `make pictures` and look at the difference"


def test_there_are_no_other_pictures_of_overlays() -> None:
    drawn = {path.stem for path in PICTURES.glob("*.svg")}
    assert drawn == {name.lower() for name in NAMED}
