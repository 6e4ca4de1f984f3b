"""The equations beside metrics, from made-up metrics whose answer is known."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from amcast.lab.convoy import conflict_probability, latency_ms
from amcast.lab.model import fit, write_fits
from amcast.lab.published import NOT_REPRODUCED, REPRODUCED
from amcast.lab.report_compare import compare
from amcast.lab.report_data import Results
from amcast.lab.report_write import write
from tests.lab.written_tables import DESCRIPTION, latency_row, setting, write_table

DELAY_MS = 100
CLIENTS = 40
RATES = (2.0, 4.0, 8.0, 16.0, 32.0)


def asked_for(protocol: str, rate: float, **more: object) -> dict[str, object]:
    return {
        "protocol": protocol,
        "groups": 4,
        "sizes": "[2]",
        "clients": CLIENTS,
        "rate": rate,
        "latency_scale": 10.0,
        **more,
    }


def write_metrics(directory: Path, beta: float) -> None:
    """Latencies as the equations have them for a batch size, and the reply's way back."""
    conflict = conflict_probability(4, 2)
    (directory / "experiment.toml").write_text(DESCRIPTION.format(name="convoy-model"))
    rows = []
    for protocol, delays in (("skeen", 2), ("skeen-coordinator", 3)):
        for rate in RATES:
            model = latency_ms(rate * CLIENTS * 60, beta, DELAY_MS, conflict)
            ms = model + (delays - 2) * DELAY_MS + DELAY_MS
            rows += _replies(asked_for(protocol, rate), ms)
    for keys, wait in ((1, 80.0), (2, 40.0), (4, 20.0)):
        rows += _replies(asked_for("generic", 8.0, keys=keys), 3 * DELAY_MS + wait)
    write_table(directory / "metrics", "latency", rows)
    runs = {row["setting"] for row in rows}
    write_table(
        directory / "metrics",
        "runs",
        [{"run": text, "setting": text, "seed": 1, "protocol": "x"} for text in sorted(runs)],
    )


def _replies(where: dict[str, object], ms: float) -> list[dict[str, object]]:
    """The two destinations differ; their mean counts."""
    rows = [
        latency_row(where, ms + step, destination=number, order="arrival", statistic="mean")
        for number, step in ((1, -5), (2, 5))
    ]
    return [{**row, "setting": setting(scenario="uniform", **where)} for row in rows]


def test_the_batch_size_of_each_protocol_is_found(tmp_path: Path) -> None:
    write_metrics(tmp_path, beta=10)
    found = fit("convoy-model", tmp_path / "metrics")
    assert {row["protocol"]: row["points"] for row in found["beta"]} == {
        "skeen": 5,
        "skeen-coordinator": 5,
    }
    for row in found["beta"]:
        assert row["beta"] == pytest.approx(10, abs=1e-3)
        assert row["deviation_ms"] == pytest.approx(0, abs=1e-3)
        assert (row["delay_ms"], row["conflict"]) == (DELAY_MS, pytest.approx(5 / 6))
    for row in found["curve"]:
        assert row["fitted_ms"] == pytest.approx(row["simulated_ms"], abs=1e-3)
        assert row["model_ms"] > row["simulated_ms"]


def test_the_wait_falls_with_the_share_that_commutes(tmp_path: Path) -> None:
    write_metrics(tmp_path, beta=10)
    rows = fit("convoy-model", tmp_path / "metrics")["commuting"]
    simulated = {row["x"]: row["y"] for row in rows if row["label"] == "simulated"}
    assert simulated == pytest.approx({0.0: 1.0, 0.5: 0.5, 0.75: 0.25})
    model = {row["x"]: row["y"] for row in rows if row["label"] == "model"}
    assert model[0.5] == pytest.approx(0.5)
    assert model[1.0] == 0


def test_other_experiments_have_no_fits(tmp_path: Path) -> None:
    write_metrics(tmp_path, beta=1)
    assert fit("flexcast-overlays", tmp_path / "metrics") == {}
    write_fits(tmp_path, "flexcast-overlays")
    assert not (tmp_path / "fits").exists()


def test_the_page_judges_the_model_by_the_runs(tmp_path: Path) -> None:
    write_metrics(tmp_path, beta=10)
    page = write(tmp_path)
    assert page.exists()
    folders = sorted(path.name for path in (tmp_path / "fits").iterdir())
    assert folders == ["beta", "commuting", "conflict", "curve", "shares"]
    assert pq.read_table(tmp_path / "fits" / "beta").num_rows == 2
    judged = {each.published.id: each.status for each in compare(Results(tmp_path), "convoy-model")}
    assert judged["fitted-model-matches"] == REPRODUCED
    assert judged["model-is-a-lower-bound"] == NOT_REPRODUCED
    pictures = {path.name for path in (tmp_path / "report").glob("convoy-*.svg")}
    assert pictures == {
        f"convoy-{name}.svg" for name in ("commuting", "conflict", "curve", "shares")
    }


def test_the_delays_of_figure_1_are_those_of_a_message_alone(tmp_path: Path) -> None:
    rows = {row["protocol"]: row for row in fit("genuine-vs-nongenuine", tmp_path)["costs"]}
    assert {name: (row["delays_2"], row["delays_3"]) for name, row in rows.items()} == {
        "ring": (3, 4),
        "rodrigues": (4, 4),
        "age": (2, 2),
        "ang": (2, 2),
        "genuine-dt": (6, 6),
        "adt": (3, 3),
    }
    # k² - 1 packets, and a bundle from each group to each other.
    assert (rows["age"]["messages_2"], rows["age"]["messages_3"]) == (3, 8)
    assert rows["ang"]["messages_2"] == rows["ang"]["messages_3"] == 4 * 3
