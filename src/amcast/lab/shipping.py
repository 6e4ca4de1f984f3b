"""Our package on other machines: sent along, and asked after before the work begins."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Final

import amcast
from amcast.core import InvalidInput
from amcast.lab.session import is_local, reason

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What our tasks need besides our own package, which has no compiled parts of its own.
NEEDED: Final = ("msgspec", "pyarrow")
SHIPPED: Final = {".py", ".toml", ".csv", ".json", ".typed"}


def ship(spark: SparkSession) -> None:
    """Send the package to executors elsewhere. Those of this machine have it already."""
    if is_local(spark.sparkContext.master or ""):
        return
    archive = Path(mkdtemp(prefix="amcast-")) / "amcast.zip"
    spark.sparkContext.addPyFile(str(pack(archive)))


def pack(archive: Path) -> Path:
    """The package as one file that Python can import from."""
    source = Path(amcast.__file__).parent
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(source.rglob("*")):
            if path.suffix in SHIPPED and "__pycache__" not in path.parts:
                file.write(path, Path("amcast") / path.relative_to(source))
    return archive


def probe(spark: SparkSession, directory: Path) -> None:
    """Ask one task whether executors can do our work; say in a sentence what is missing."""
    if is_local(spark.sparkContext.master or ""):
        return
    mark = directory / f".probe-{token_hex(4)}"
    mark.touch()
    try:
        answers = spark.sparkContext.parallelize([str(mark.absolute())], 1)
        there = dict(answers.mapPartitions(_questions()).collect())
    except Exception as error:
        raise InvalidInput(
            f"the executors of {spark.sparkContext.master} cannot run a task of ours "
            f"({reason(error)}): make them like this machine"
        ) from error
    finally:
        mark.unlink()
    wrong = complaint(there, versions())
    if wrong is not None:
        raise InvalidInput(f"the executors of {spark.sparkContext.master} {wrong}")


def _questions() -> Callable[[Iterable[str]], Iterator[tuple[str, str]]]:
    """What an executor says about itself, by a function that needs nothing of ours there."""
    needed = NEEDED

    def answers(places: Iterable[str]) -> Iterator[tuple[str, str]]:
        import os
        import platform
        from importlib.metadata import PackageNotFoundError, version

        yield "python", ".".join(platform.python_version_tuple()[:2])
        for package in needed:
            try:
                yield package, version(package)
            except PackageNotFoundError:
                yield package, ""
        for place in places:
            yield "directory", "seen" if os.path.exists(place) else "unseen"

    return answers


def versions() -> dict[str, str]:
    """The versions here; those of packages that are not installed are empty."""
    return dict(_questions()([]))


def complaint(there: dict[str, str], here: dict[str, str]) -> str | None:
    """What is wrong with the executors, and what to do."""
    if there["python"] != here["python"]:
        return (
            f"run Python {there['python']}, but this is {here['python']}: set PYSPARK_PYTHON to "
            f"a Python {here['python']} that they have"
        )
    for package in NEEDED:
        if not there[package]:
            return f"have no {package}: install version {here[package]} there"
        if there[package].split(".")[0] != here[package].split(".")[0]:
            return (
                f"have {package} {there[package]}, but this is {here[package]}: "
                "install the same version there"
            )
    if there["directory"] != "seen":
        return "do not see the output directory: choose one that all machines share"
    return None
