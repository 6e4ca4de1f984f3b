"""A line between groups that is seconds behind: what waits in it must not be sent again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from amcast.scenarios import Parameters, Run


def test_nothing_comes_twice_though_acknowledgements_take_many_periods(tmp_path: Path) -> None:
    busy = Parameters(
        protocol="adt", options={"eta": "60", "kappa": "120"}, scenario="setup1", groups=4,
        replicas=3, workload="home", global_share=0.5, clients=4000, messages=6000, inside_ms=0.83,
    )  # fmt: skip
    outcome = Run(busy).write(tmp_path / "trace", packets="all", run="busy")
    assert outcome.drained
    assert outcome.completed == 6000
    sent = pq.read_table(tmp_path / "trace" / "packets.parquet").to_pylist()
    questions = [each for each in sent if each["kind"] == "question"]
    assert questions, "the lines are not slow enough for this test"
    bundles = Counter(
        (each["source_group"], each["target_group"], str(each["msgs"]))
        for each in sent
        if each["kind"] == "tell" and each["msgs"]
    )
    assert set(bundles.values()) == {1}
