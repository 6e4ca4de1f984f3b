"""Each numbered claim of a paper has one test: beside this file, or elsewhere by reference."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAPERS = sorted(path for path in HERE.glob("test_*_[0-9]*.py"))


def names_of_tests(path: Path) -> list[str]:
    """The names of its tests, those of classes with the class in front."""
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.append(node.name)
        elif isinstance(node, ast.ClassDef):
            inside = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
            found += [f"{node.name}::{name}" for name in inside]
    return found


def exists(reference: str) -> bool:
    path, _, name = reference.partition("::")
    return (ROOT / path).exists() and (not name or name in names_of_tests(ROOT / path))


def has_a_test(claim: str, tests: list[str]) -> bool:
    start = "test_" + re.sub(r"[^a-z0-9]+", "_", claim.lower()) + "_"
    return any(name.startswith(start) for name in tests)


def test_there_is_a_file_for_each_of_the_five_papers() -> None:
    assert len(PAPERS) == 5


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.stem)
def test_every_claim_has_one_test(path: Path) -> None:
    paper = import_module(f"tests.papers.{path.stem}")
    tests, claims, elsewhere = names_of_tests(path), paper.CLAIMS, paper.ELSEWHERE
    assert [claim for claim in elsewhere if claim not in claims] == []
    for claim in claims:
        assert (claim in elsewhere) != has_a_test(claim, tests), claim
    assert [each for each in elsewhere.values() if not exists(each)] == []


FIGURES = {
    "tests/protocols/flexcast/stories/figure-3a.story": "Figure 3 (a)",
    "tests/protocols/flexcast/stories/figure-3b.story": "Figure 3 (b)",
    "tests/protocols/flexcast/stories/figure-3c.story": "Figure 3 (c)",
    "tests/protocols/propagation/figure3_paper_ties.story": "Figure 3 with the paper's ties",
    "tests/protocols/propagation/figure3_configuration_ties.story": "Figure 3 with ties in the",
    "tests/protocols/propagation/figure6_recovery.story": "Figure 6",
    "tests/stories/tree.story": "Figure 3.2 of the thesis on TreeCast",
}


@pytest.mark.parametrize(("path", "says"), FIGURES.items())
def test_a_story_that_is_a_figure_says_which(path: str, says: str) -> None:
    comments = [line for line in (ROOT / path).read_text().splitlines() if line.startswith("#")]
    assert says in "\n".join(comments)
