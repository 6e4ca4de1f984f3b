"""`make demo` tells its story, twice in the same place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# In a process of its own: the demo starts Spark, and ends it.
TINY = "import sys; from amcast.cli import demo; demo.SIZE = 'tiny'; sys.exit(demo.main())"


@pytest.mark.spark
@pytest.mark.slow
def test_demo_sweeps_verifies_and_prints_where_the_page_is(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "left-over").touch()
    variables = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", TINY],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in ("skeen", "tree T1", "flexcast O1"):
        assert name in done.stdout
    assert "all promises hold in the 3 runs" in done.stdout
    assert "the page is demo/report/index.html" in done.stdout
    assert (tmp_path / "demo" / "report" / "index.html").is_file()
    assert not (tmp_path / "demo" / "left-over").exists()
