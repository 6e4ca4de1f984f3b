"""Trace tables as Spark frames, and the tables that the stages leave behind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from amcast.core import InvalidInput
from amcast.traces import TABLES, check_files, table_paths

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Integers of any width are read as the widest, because files of other systems have them so.
SPARK_TYPES = {
    "string": "string",
    "int64": "bigint",
    "int32": "bigint",
    "bool": "boolean",
    "list<element: string>": "array<string>",
    "list<item: string>": "array<string>",
}


def ddl(table: str) -> str:
    """The schema of a trace table in Spark's words, optional columns included."""
    return ", ".join(
        f"`{column.name}` {SPARK_TYPES[str(column.type)]}" for column in TABLES[table].columns
    )


def read(
    spark: SparkSession, directory: Path, table: str, *, checked: bool = False
) -> DataFrame | None:
    """One table of a trace, or None if the trace does not have it.

    A column that the files lack is all null. Runs that were never committed are left out.
    Every file is compared with the schema first, unless it was `checked` already.
    """
    paths = committed(Path(directory), table)
    if not paths:
        return None
    if not checked:
        check_files(table, paths)
    # The folder names are no columns: `run` is in the files.
    reader = spark.read.schema(ddl(table)).option("recursiveFileLookup", "true")
    return reader.parquet(*map(_pattern, paths))


def read_all(
    spark: SparkSession, directory: Path, *, checked: bool = False
) -> dict[str, DataFrame]:
    """All tables that a trace has."""
    found = {table: read(spark, directory, table, checked=checked) for table in TABLES}
    return {table: frame for table, frame in found.items() if frame is not None}


def committed(directory: Path, table: str) -> list[Path]:
    """The files of a table. A run's folders count when it is also in `runs`: that comes last."""
    paths = table_paths(directory, table)
    if not (directory / "runs").is_dir():
        return paths
    return [
        path
        for path in paths
        if not path.parent.name.startswith("run=")
        or (directory / "runs" / path.parent.name / path.name).exists()
    ]


def write(frame: DataFrame, directory: Path, name: str) -> Path:
    """Leave `frame` as the Parquet folder `name`; what was there before stays until it is done."""
    target = Path(directory) / name
    draft = target.parent / f".{target.name}.partial"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(draft, ignore_errors=True)
    frame.write.parquet(_address(draft))
    if not draft.is_dir():
        raise InvalidInput(
            f"{draft} was written by the executors, but is not here: choose a directory that "
            "all machines share"
        )
    before = target.parent / f".{target.name}.before"
    shutil.rmtree(before, ignore_errors=True)
    if target.exists():
        target.rename(before)
    draft.rename(target)
    shutil.rmtree(before, ignore_errors=True)
    return target


def _address(path: Path) -> str:
    return f"file:{Path(path).absolute()}"


def _pattern(path: Path) -> str:
    """What Spark reads may be a pattern: this one matches nothing but the path itself."""
    return re.sub(r"([\\{}\[\]*?,^])", r"\\\1", _address(path))
