"""`amcast overlay`: the same picture as in the documentation, text, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amcast.cli import main

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["overlay", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["O1", "t1"])
def test_a_named_overlay_is_drawn_as_in_the_documentation(name: str, tmp_path: Path) -> None:
    out = tmp_path / "drawn.svg"
    assert main(["overlay", name, "--scenario", "aws12", "--out", str(out)]) == 0
    assert out.read_text() == (PICTURES / f"{name.lower()}.svg").read_text()


@pytest.mark.parametrize(
    ("overlay", "text"),
    [
        ("g2>g1,g2>g3", "g2\n  g1\n  g3\n"),
        ("chain", "g1\n  g2\n    g3\n"),
        ("star:g3", "g3\n  g1\n  g2\n"),
        ("g3,g1,g2", "0 g3\n1 g1\n2 g2\n"),
        ("g1+g2:g2", "g2\n  g1\ng3\ng1+g2 enters at g2\n"),
    ],
)
def test_any_overlay_as_text(capsys: pytest.CaptureFixture[str], overlay: str, text: str) -> None:
    assert printed(capsys, overlay) == text


def test_groups_on_the_way_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "g1+g2,g1+g3,g1+g4,g2+g5,g3+g5", "--groups", "5")
    assert text.startswith("g1\n  g2\n    g5\n      g3\n  g4\n")
    assert "g1+g3 enters at g1, through g2, g5\n" in text


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, "g3,g1,g2", "--json")) == {"ranks": ["g3", "g1", "g2"]}
    tree = json.loads(printed(capsys, "chain", "--json"))
    assert tree == {"parents": {"g1": None, "g2": "g1", "g3": "g2"}}
    sets = json.loads(printed(capsys, "g1+g2", "--json"))
    assert sets["sets"] == [["g1", "g2"]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            "T9 --scenario aws12",
            "'T9' is not known: scenario aws12 names T1, T2, T3, O1, O2",
        ),
        ("T1", "overlay 'T1' is not known: scenario uniform names none; or write star"),
        ("g1>g2,g2>g3,g3>g1", "the tree has a cycle"),
        ("star:g9", "'g9', which is no group"),
        ("g1,g2", "group 'g3' is missing from the order"),
        ("g1+g9", "destination 'g9' is no group"),
        ("chain --scenario nope", "no scenario 'nope'"),
        ("chain --groups 0", "0 groups are not possible"),
        ("chain --out /nowhere/o.svg", "/nowhere/o.svg cannot be a file"),
        ("chain --out .", ". cannot be a file"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: str, sentence: str
) -> None:
    assert main(["overlay", *arguments.split()]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("amcast overlay: ")
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
