"""Which code and which software makes a result: what is written down beside it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DIGITS: Final = 12
SOURCES: Final = (".py", ".csv", ".json")
# What only starts things or shows them may change, and no result is out of date.
SHOWING: Final = (
    "bench/",
    "cli/",
    "lab/report",
    "lab/published",
    "lab/compare",
    "lab/experiments/",
)
# These look at runs; but for a few files that make them.
LOOKING: Final = ("check/", "lab/")
RUNNING: Final = ("lab/computed.py", "lab/model_graphs.py", "lab/simulate.py")

OF_RUNS: Final = ("msgspec", "pyarrow")
OF_TABLES: Final = ("pyspark", "pyarrow", "pandas")


@cache
def run_version() -> str:
    """Our version with a digest of the code that makes runs."""
    return _version(lambda name: name in RUNNING or not name.startswith((*SHOWING, *LOOKING)))


@cache
def table_version() -> str:
    """The same of the code that verifies and measures them, too."""
    return _version(lambda name: not name.startswith(SHOWING))


def software(packages: Iterable[str] = OF_RUNS) -> dict[str, str]:
    """The versions of Python and of these packages, in this process."""
    found = {"Python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def software_of_tables(spark: SparkSession) -> dict[str, str]:
    """What a stage on Spark needs."""
    java = spark.sparkContext._jvm.System.getProperty("java.version")  # type: ignore[union-attr]
    return {"amcast (tables)": table_version(), **software(OF_TABLES), "Java": str(java)}


def together(several: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Each name with all that it was, where results were made in more than one place."""
    found: dict[str, set[str]] = {}
    for each in several:
        for name, value in each.items():
            found.setdefault(name, set()).add(value)
    return {name: " and ".join(sorted(values)) for name, values in found.items()}


def _version(counts: Callable[[str], bool]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(_sources(files("amcast"), "")):
        if counts(name):
            digest.update(f"{name} {len(content)} ".encode() + content)
    return f"{version('amcast')}+{digest.hexdigest()[:DIGITS]}"


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """Every source file below, by its name in the package."""
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(SOURCES):
            yield path + entry.name, entry.read_bytes()
