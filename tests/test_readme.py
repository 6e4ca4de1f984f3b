"""The README is true: its commands run, its Python runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from amcast.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text()
COMMANDS = re.findall(r"^    (amcast .*)$", README, re.MULTILINE)


@pytest.mark.slow
def test_the_commands_run_in_the_order_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) >= 8
    for command in COMMANDS:
        _, *arguments = shlex.split(command)
        if arguments[0] == "bench":
            # Its bars are for a quiet machine.
            arguments.append("--quick")
        assert main(arguments) == 0, capsys.readouterr().err
    assert (tmp_path / "trace" / "runs.parquet").exists()


def test_the_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(snippet, {})
    assert "is about" in capsys.readouterr().out


def test_every_file_that_is_linked_exists() -> None:
    root = Path(__file__).parent.parent
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (root / link).exists()] == []


def test_every_target_of_the_makefile_that_is_named_exists() -> None:
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    named = set(re.findall(r"(?:`|^    )make ([a-z]+)", README, re.MULTILINE))
    assert {"demo", "test", "setup"} <= named
    assert [target for target in named if f"\n{target}:" not in makefile] == []
