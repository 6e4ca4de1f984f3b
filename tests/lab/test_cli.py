"""`amcast lab`: what is printed, what is refused, and what the exit status says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amcast.cli import lab, main
from amcast.cli.lab_output import stage_bars
from amcast.cli.main import build_parser
from amcast.lab.attempts import DONE, FAILED, attempt_of, record
from amcast.lab.directory import committed_runs, forget_runs, opened
from amcast.lab.experiment import Experiment, named, names, parse
from amcast.lab.plan import plan
from amcast.lab.provenance import run_version
from amcast.lab.simulate import attempt_run

SMALL = "[[sweep]]\nprotocol = ['skeen', 'tree']\nmessages = 40\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def out(small: Path, tmp_path: Path) -> Path:
    """A directory in which one of two runs is finished and the other failed."""
    chosen = named(str(small)).chosen()
    with opened(tmp_path / "out", chosen):
        first, second = plan(chosen)
        attempt_run(first, tmp_path / "out", run_version())
        failed = attempt_of(second, 1, FAILED, "it broke", 0.1, "1")
        record(tmp_path / "out", failed)
    return tmp_path / "out"


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as exit:
        status = int(str(exit.code))
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def test_the_list_has_every_experiment_and_its_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "lab", "list", "--json")
    found = {each["name"]: each for each in json.loads(text)}
    assert (status, list(found)) == (0, names())
    assert found["flexcast-overlays"]["runs"] == {"tiny": 5, "quick": 5, "full": 25}
    assert all(each["unavailable"] is None for each in found.values())
    status, text = said(capsys, "lab", "list")
    assert all(name in text for name in names())


def test_an_experiment_that_cannot_run_is_listed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def future(name: str) -> Experiment:
        return parse("[[sweep]]\nprotocol = 'future'\n[sizes.tiny]", name)

    monkeypatch.setattr(lab, "named", future)
    found = json.loads(said(capsys, "lab", "list", "--json")[1])[0]
    assert "no protocol 'future'" in found["unavailable"]
    assert found["runs"] == {}


def test_a_dry_run_says_what_it_would_take_and_leaves_nothing(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("lab", "run", small, "--out", tmp_path / "none", "--dry-run")
    status, text = said(capsys, *command, "--json")
    found = json.loads(text)
    assert status == 0
    assert (found["runs"], found["missing"]) == (2, 2)
    assert 0 < found["minutes"] < 60
    assert 0 < found["megabytes"] < 100
    assert "2 runs, 2 to compute: about" in said(capsys, *command)[1]
    assert not (tmp_path / "none").exists()


def test_a_dry_run_leaves_out_what_is_finished(
    small: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(capsys, "lab", "run", small, "--out", out, "--dry-run", "--json")[1]
    assert json.loads(text)["missing"] == 1


def test_what_other_code_made_is_computed_again(
    small: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (finished,) = committed_runs(out)
    run = next(each for each in plan(named(str(small)).chosen()) if each.run == finished)
    record(out, attempt_of(run, 2, DONE, None, 0.1, "0.1.0+0123456789ab"))
    status, text = said(capsys, "lab", "run", small, "--out", out, "--dry-run")
    assert "One finished run was made by other code than this: computed again" in text
    assert (status, "2 runs, 2 to compute" in text) == (0, True)
    forget_runs(out, [finished])
    assert list((out / "trace").glob("*/run=*")) == []


def test_show_tells_what_is_finished_and_what_failed(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = said(capsys, "lab", "show", out, "--json")
    found = json.loads(text)
    assert status == 1
    assert (found["runs"], found["finished"], found["page"]) == (2, 1, None)
    assert [each["error"] for each in found["failed"]] == ["it broke"]
    status, text = said(capsys, "lab", "show", out)
    assert "1 of 2 runs are finished" in text
    assert "it broke" in text


@pytest.mark.parametrize(("required", "status"), [(True, 1), (False, 0)])
def test_a_broken_promise_is_named_and_counts(
    required: bool, status: int, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "other"
    with opened(out, named(str(small)).chosen()):
        verdict = {
            "run": ["r"],
            "property": ["prefix_order"],
            "verdict": ["violated"],
            "required": [required],
            "witness": ["c1:1 < c2:1 at g1/0"],
        }
        (out / "verdicts").mkdir()
        pq.write_table(pa.table(verdict), out / "verdicts" / "part-0.parquet")
    found, text = said(capsys, "lab", "show", out)
    assert found == status
    assert ("c1:1 < c2:1 at g1/0" in text) == required


def test_the_commands_in_the_readme_are_commands() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    commands = re.findall(r"^amcast (lab .*?)(?: +#.*)?$", readme, re.MULTILINE)
    assert len(commands) == 7
    for command in commands:
        options = build_parser().parse_args(command.split())
        assert options.run is lab.run
        if "experiment" in options:
            assert named(options.experiment).chosen(options.size)


WRONG = {
    "run nope --out x": "no experiment 'nope'",
    "run nope.toml --out x": "nope.toml cannot be read",
    "run demo": "--out",
    "run demo --out x --size huge": "invalid choice: 'huge'",
    "run demo --out x --set clients": "'clients' is no setting: write name=value",
    "run demo --out x --set clients=0": "0 clients are not possible",
    "run demo --out x --set clints=3": "no parameter 'clints'",
    "run demo --out x --seeds 0": "0 seeds are not possible",
    "run demo --out x --master sc://h:1": "is a Spark Connect server",
    "show nowhere": "nowhere holds no experiment",
    "report nowhere": "nowhere holds no experiment",
    "compare nowhere nowhere": "nowhere holds no experiment",
    "": "command",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said_in_one_line(
    wrong: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    status, text = said(capsys, "lab", *wrong.split())
    assert status == 2
    assert WRONG[wrong] in text
    assert text.count("\n") == 1


def test_settings_are_toml_or_else_text(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("lab", "run", small, "--out", "none", "--dry-run", "--json")
    settings = ("--set", "clients=[2,3,4]", "--set", "scenario=lan", "--set", "packets=off")
    assert json.loads(said(capsys, *command, *settings)[1])["runs"] == 6


METRICS = {
    "setting": ['{"protocol": "skeen", "clients": "3"}', '{"protocol": "tree", "clients": "3"}'],
    "scope": ["all", "all"],
    "seeds": [2, 2],
    "p90_ms": [10.0, 20.0],
    "p90_ms_low": [9.0, 19.0],
    "p90_ms_high": [11.0, 21.0],
}


def with_metrics(directory: Path, small: Path, metrics: dict[str, list[object]]) -> Path:
    with opened(directory, named(str(small)).chosen()):
        (directory / "metrics" / "latency").mkdir(parents=True)
        pq.write_table(pa.table(metrics), directory / "metrics" / "latency" / "part-0.parquet")
    return directory


def test_compare_finds_what_changed(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = with_metrics(tmp_path / "first", small, METRICS)
    changed = {
        **METRICS,
        "setting": [text.replace('"3"', '"5"') for text in METRICS["setting"]],
        "p90_ms": [10.0, 30.0],
        "p90_ms_low": [9.0, 29.0],
        "p90_ms_high": [11.0, 31.0],
    }
    second = with_metrics(tmp_path / "second", small, changed)
    status, text = said(capsys, "lab", "compare", first, second, "--json")
    found = json.loads(text)
    assert status == 0
    assert found["changed"] == {"clients": ["3", "5"]}
    assert (found["equal"], found["only_first"], found["only_second"]) == (1, 0, 0)
    (difference,) = found["differences"]
    assert (difference["first"], difference["second"], difference["clear"]) == (20, 30, True)
    assert "protocol=tree" in difference["key"]
    text = said(capsys, "lab", "compare", first, second)[1]
    assert "clients: 3 in the first, 5 in the second" in text
    assert "+50.0%" in text


def test_directories_that_have_nothing_in_common_are_not_compared(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = with_metrics(tmp_path / "first", small, METRICS)
    other = {**METRICS, "scope": ["global", "global"]}
    second = with_metrics(tmp_path / "second", small, other)
    status, text = said(capsys, "lab", "compare", first, second)
    assert (status, "have no parameters in common" in text) == (2, True)


def test_progress_in_a_log_is_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with stage_bars() as report:
        for done in range(101):
            report("simulate", done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"simulate: {done} of 100" for done in range(0, 101, 10)]
