"""The page, from tables alone: no Spark runs here."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from amcast.cli import main
from amcast.lab.published import NOT_REPRODUCED, REPRODUCED
from amcast.lab.report_compare import FEW, NOT_MEASURED, compare
from amcast.lab.report_data import Results, Setting
from amcast.lab.report_verdicts import verdict_sentence
from amcast.lab.report_write import write
from tests.lab.written_tables import DESCRIPTION, latency_row, write_latencies, write_table


def statuses(directory: Path, name: str = "flexcast-overlays") -> Counter[str]:
    compared = compare(Results(directory), name)
    return Counter(each.status for each in compared if hasattr(each.published, "value"))


def test_equal_numbers_are_reproduced(tmp_path: Path) -> None:
    write_latencies(tmp_path)
    assert statuses(tmp_path) == {REPRODUCED: 45}


def test_numbers_that_are_an_eighth_too_high_are_not(tmp_path: Path) -> None:
    write_latencies(tmp_path, factor=1.125)
    assert statuses(tmp_path) == {NOT_REPRODUCED: 45}
    surprises = compare(Results(tmp_path), "flexcast-overlays")
    deviations = {round(each.deviation, 6) for each in surprises if each.deviation is not None}
    assert deviations == {0.125}
    unexpected = [each for each in surprises if not each.as_expected]
    assert {each.published.expected for each in unexpected} >= {REPRODUCED}


def test_few_samples_prove_nothing(tmp_path: Path) -> None:
    write_latencies(tmp_path, samples=999)
    assert statuses(tmp_path) == {FEW: 45}


def test_what_was_not_run_is_not_measured(tmp_path: Path) -> None:
    write_latencies(tmp_path)
    rows = [latency_row({"protocol": "tree", "overlay": "T1", "locality": 0.9}, 229)]
    write_table(tmp_path / "metrics", "latency", rows)
    assert statuses(tmp_path) == {REPRODUCED: 1, NOT_MEASURED: 44}


def test_seeds_are_pooled_where_one_alone_has_too_few_samples(tmp_path: Path) -> None:
    where = {"protocol": "tree", "overlay": "T1", "locality": 0.9}
    write_latencies(tmp_path)
    row = latency_row(where, 500, samples_min=999, samples=1998, pooled_us=229_000.0)
    write_table(tmp_path / "metrics", "latency", [row])
    assert statuses(tmp_path)[REPRODUCED] == 1


def test_statements_follow_the_numbers(tmp_path: Path) -> None:
    """With the numbers that the paper printed, its text is refuted in the known places."""
    write_latencies(tmp_path)
    judged = {
        each.published.id: each.status
        for each in compare(Results(tmp_path), "flexcast-overlays")
        if not hasattr(each.published, "value")
    }
    assert judged == {
        "o1-better-than-o2": NOT_REPRODUCED,
        "t1-best-tree": NOT_REPRODUCED,
        "flexcast-more-sensitive": NOT_REPRODUCED,
    }


def test_the_statements_about_locality_follow_the_numbers(tmp_path: Path) -> None:
    write_latencies(tmp_path, name="flexcast-locality")
    judged = {
        each.published.id: each.status
        for each in compare(Results(tmp_path), "flexcast-locality")
        if not hasattr(each.published, "value")
    }
    assert judged == {
        "flexcast-first": REPRODUCED,
        "flexcast-second": NOT_REPRODUCED,
        "flexcast-third": REPRODUCED,
        "locality-helps": REPRODUCED,
    }


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("experiment")
    write_latencies(directory)
    write(directory)
    return directory


def test_the_page_stands_alone_and_is_small(directory: Path) -> None:
    text = (directory / "report" / "index.html").read_text("utf-8")
    assert len(text.encode()) < 1_000_000
    before, _, after = text.partition('const packed = "')
    without_library = before + after.partition('"')[2]
    assert "A &lt;title&gt; &amp; more" in without_library
    assert "48 published numbers and statements: 45 reproduced, 3 not reproduced" in without_library
    assert "every property that a protocol promises holds" in without_library
    assert "three replicas" in without_library
    addresses = re.findall(r'(?:src|href)="([^"]*)"', without_library)
    assert addresses
    assert all(re.fullmatch(r"data:,|[a-z0-9-]+\.(svg|csv)", each) for each in addresses)


def test_every_figure_is_also_a_picture_and_a_table(directory: Path) -> None:
    report = directory / "report"
    text = (report / "index.html").read_text("utf-8")
    found = re.search(r'<script type="application/json" id="specs">(.*?)</script>', text, re.S)
    assert found
    names = list(json.loads(found[1].replace("<\\/", "</")))
    assert names[:3] == [f"latency-overlay-{number}" for number in (1, 2, 3)]
    for name in names:
        assert (report / f"{name}.svg").read_text("utf-8").startswith("<svg")
        with (report / f"{name}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert rows
    published = {(row["label"], row["shade"]): row["published"] for row in _csv(report, names[0])}
    assert published["tree T1", "p90"] == "229"


def _csv(report: Path, name: str) -> list[dict[str, str]]:
    with (report / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_same_tables_make_the_same_bytes(directory: Path, tmp_path: Path) -> None:
    write_latencies(tmp_path)
    write(tmp_path)
    again = {path.name: path.read_bytes() for path in (tmp_path / "report").iterdir()}
    assert again == {path.name: path.read_bytes() for path in (directory / "report").iterdir()}


def test_a_page_needs_no_spark_and_no_pandas(directory: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from amcast.lab.report_write import write; "
        f"write(Path({str(directory)!r})); "
        "print([name for name in ('pyspark', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_violation_is_the_first_thing_to_say(tmp_path: Path) -> None:
    write_latencies(tmp_path)
    row = {"run": "r0-1", "property": "acyclic_order", "verdict": "violated", "required": True}
    write_table(tmp_path, "verdicts", [{**row, "witness": "c1:1 < c2:1 & c2:1 < c1:1"}])
    assert verdict_sentence(Results(tmp_path)) == (
        "One run was checked: a promised property is violated in 1 of them."
    )
    text = write(tmp_path).read_text("utf-8")
    assert "c1:1 &lt; c2:1 &amp; c2:1 &lt; c1:1" in text


def test_formulas_stand_apart_from_what_runs_reproduce(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_latencies(tmp_path)
    (tmp_path / "experiment.toml").write_text(DESCRIPTION.format(name="propagation-graphs"))
    counted = len(compare(Results(tmp_path), "propagation-graphs"))
    text = write(tmp_path).read_text("utf-8")
    assert f"Of {counted} published numbers and statements" in text
    assert (
        text.index("<h2>Statements") < text.index("<h2>Formulas") < text.index("depth + 1 delays")
    )
    main(["lab", "show", str(tmp_path), "--markdown"])
    assert "| check | ours |" in capsys.readouterr().out


def test_settings_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    write_latencies(tmp_path, name="flexcast-locality")
    assert Results(tmp_path).labels[:2] == (
        "flexcast O1, locality 0.9",
        "flexcast O1, locality 0.95",
    )
    assert Results(tmp_path).axis is None


def test_options_are_parameters_like_others() -> None:
    found = Setting('{"protocol": "ang", "options": "{\\"kappa\\": \\"60\\"}", "sizes": "[2]"}')
    assert found.matches({"protocol": "ang", "kappa": 60, "sizes": 2})
    assert not found.matches({"kappa": 20})
    assert not found.matches({"overlay": "T1"})


def test_a_result_can_be_kept_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_latencies(tmp_path, factor=1.125)
    assert main(["lab", "show", str(tmp_path), "--markdown"]) in (0, 1)
    text = capsys.readouterr().out
    assert "amcast lab run flexcast-overlays --size" in text
    assert re.search(r"\b45 not reproduced|\d+ not reproduced", text)
    assert text.count("| not reproduced |") >= 45
    assert "45 reproduced" not in text
