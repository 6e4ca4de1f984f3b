"""The stages as functions, as in the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import amcast.lab

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "results" / "README.md"
STAGES = ("simulate", "verify", "measure", "fit", "report")


def test_names_mean_functions_whatever_is_imported_and_nothing_loads_spark() -> None:
    code = f"""
import amcast.lab, pkgutil, sys
assert not {{"pyspark", "pandas", "altair"}} & set(sys.modules)
for module in pkgutil.iter_modules(amcast.lab.__path__, "amcast.lab."):
    __import__(module.name)
print(all(callable(getattr(amcast.lab, name)) for name in {STAGES!r}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.spark
def test_the_documented_notebook_runs(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert found
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(amcast.lab, "start", lambda: spark)
    exec(compile(found[1], str(PAGE), "exec"), {})
    printed = capsys.readouterr().out
    assert "acyclic_order" in printed
    assert "violated" not in printed
