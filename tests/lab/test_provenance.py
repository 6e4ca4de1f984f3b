"""What made a result: code and software, as it was then."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from amcast.lab import attempts, provenance, stages
from amcast.lab.attempts import DONE, attempt_of, outdated_runs, record
from amcast.lab.directory import committed_runs, opened
from amcast.lab.experiment import parse
from amcast.lab.plan import PlannedRun, plan
from amcast.lab.provenance import run_version, software, table_version, together
from amcast.lab.report_write import made_with
from amcast.lab.simulate import attempt_run
from amcast.lab.stages import STAMPS, Stages

SMALL = parse("[[sweep]]\nprotocol = 'skeen'\nmessages = 20\n", "mine").chosen()


def a_package(folder: Path, **sources: str) -> Path:
    for name, text in sources.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("changed", "runs", "tables"),
    [
        ("sim__network", True, True),
        ("lab__simulate", True, True),
        ("check__order", False, True),
        ("lab__measure", False, True),
        ("lab__report_page", False, False),
        ("cli__sim", False, False),
    ],
)
def test_a_version_changes_with_the_code_that_counts(
    changed: str, runs: bool, tables: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("sim__network", "lab__simulate", "check__order", "lab__measure", "lab__report_page")
    before = a_package(tmp_path / "a", **dict.fromkeys((*names, "cli__sim"), "x = 1"))
    after = a_package(tmp_path / "b", **dict.fromkeys((*names, "cli__sim"), "x = 1"))
    a_package(after, **{changed: "x = 2"})
    found = []
    for folder in (before, after):
        monkeypatch.setattr(provenance, "files", lambda name, folder=folder: folder)
        found.append([each.__wrapped__() for each in (run_version, table_version)])
    assert [one != other for one, other in zip(*found, strict=True)] == [runs, tables]


def test_a_version_is_ours_with_a_digest() -> None:
    assert run_version().startswith("0.")
    assert len(run_version().partition("+")[2]) == 12


@pytest.fixture
def out(tmp_path: Path) -> Path:
    with opened(tmp_path / "out", SMALL):
        attempt_run(plan(SMALL)[0], tmp_path / "out", run_version())
    return tmp_path / "out"


def test_a_run_of_other_code_is_out_of_date(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outdated_runs(out) == set()
    monkeypatch.setattr(attempts, "run_version", lambda: "0.1.0+other")
    assert outdated_runs(out) == committed_runs(out) != set()


def stamp(out: Path, **software: str) -> None:
    (out / STAMPS).mkdir(exist_ok=True)
    for name in ("verify", "measure"):
        made = {"of": Stages(out)._digest(), "software": software}
        (out / STAMPS / name).write_text(json.dumps(made))


def test_a_stage_is_done_again_by_other_code_or_for_other_runs(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp(out)
    assert Stages(out).pending() == []
    with monkeypatch.context() as patch:
        patch.setattr(stages, "table_version", lambda: "0.1.0+other")
        assert Stages(out).pending() == ["verify", "measure"]
    record(out, again(plan(SMALL)[0], version="0.1.0+other"))
    assert Stages(out).pending() == ["verify", "measure"]
    (out / STAMPS / "verify").write_text("as it was written before")
    assert Stages(out).pending() == ["verify", "measure"]


def again(run: PlannedRun, *, version: str, **software: str) -> attempts.Attempt:
    return replace(attempt_of(run, 2, DONE, None, 0.1, version), software=json.dumps(software))


def test_the_page_shows_what_the_runs_were_made_with(out: Path) -> None:
    stamp(out, Java="17.0.1", pyspark="1.2.3")
    here = {"amcast": run_version(), **software(), "Java": "17.0.1", "pyspark": "1.2.3"}
    assert made_with(out) == here
    record(out, again(plan(SMALL)[0], version="0.0.9+abc", Python="3.9.1"))
    assert made_with(out) == {
        **{"amcast": "0.0.9+abc", "Python": "3.9.1"},
        **{"Java": "17.0.1", "pyspark": "1.2.3"},
    }


def test_several_versions_are_all_named() -> None:
    assert together([{"a": "2", "b": "1"}, {"a": "1"}, {"a": "2"}]) == {"a": "1 and 2", "b": "1"}
