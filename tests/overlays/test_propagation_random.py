"""How deep random propagation graphs are, and how many extra groups they need."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from amcast.overlays import PropagationGraph

SETS = 20

# (groups, destinations of a set) -> mean depth, mean number of extra groups.
TABLE = {
    (20, 5): (3.28, 1.83),
    (50, 5): (3.96, 2.84),
    (100, 5): (2.96, 1.84),
    (200, 5): (1.50, 0.44),
    (500, 5): (1.01, 0.01),
    (1000, 5): (1.00, 0.00),
    (200, 10): (4.72, 3.50),
    (200, 20): (4.43, 3.15),
    (200, 40): (3.23, 1.76),
}


def means(sites: int, size: int, graphs: int) -> tuple[float, float]:
    groups = [f"g{number}" for number in range(sites)]
    random = Random(f"{sites} {size}")
    depths: list[int] = []
    extras: list[int] = []
    for _ in range(graphs):
        graph = PropagationGraph.generate(
            groups, [random.sample(groups, size) for _ in range(SETS)]
        )
        assert graph.sets is not None
        depths += [graph.depth(dst) for dst in graph.sets]
        extras += [len(graph.extra(dst)) for dst in graph.sets]
    return fmean(depths), fmean(extras)


@pytest.mark.slow
@pytest.mark.parametrize(("sites", "size"), TABLE)
def test_mean_depth_and_extra_groups(sites: int, size: int) -> None:
    depth, extra = means(sites, size, graphs=100)
    expected_depth, expected_extra = TABLE[sites, size]
    assert depth == pytest.approx(expected_depth, abs=0.03 + 0.06 * expected_depth)
    assert extra == pytest.approx(expected_extra, abs=0.03 + 0.1 * expected_extra)


def test_both_rise_and_then_fall_as_sets_meet_less_often() -> None:
    """The paper's explanation of its graphs: short and bushy, then long, then many and sparse."""
    for index in (0, 1):
        few, some, many = (means(sites, 5, graphs=30)[index] for sites in (20, 50, 500))
        assert few < some
        assert many < few
