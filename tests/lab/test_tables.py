"""Trace tables come into Spark as they were written, in both layouts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amcast.core import InvalidInput
from amcast.lab import read, write
from amcast.lab.tables import ddl
from amcast.scenarios import Parameters, Run
from amcast.traces import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Every character that a pattern of files could have.
AWKWARD = "out [a]*{b,c}?"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp(AWKWARD) / "trace"
    Run(Parameters(protocol="skeen", messages=50)).write(directory)
    return directory


def in_folders(trace: Path, directory: Path, run: str) -> Path:
    for name in TABLES:
        if (trace / f"{name}.parquet").exists():
            folder = directory / name / f"run={run}"
            folder.mkdir(parents=True)
            shutil.copy(trace / f"{name}.parquet", folder / "part-0.parquet")
    return directory


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_a_schema_in_sparks_words(table: str) -> None:
    assert ddl(table).startswith("`run` string")
    assert ddl(table).count(",") == len(TABLES[table].columns) - 1


@pytest.mark.spark
def test_both_layouts_read_alike(spark: SparkSession, trace: Path, tmp_path: Path) -> None:
    folders = in_folders(trace, tmp_path / AWKWARD, "other-name")
    for table in ("runs", "multicasts", "deliveries", "packets", "faults"):
        expected = pq.read_table(trace / f"{table}.parquet").to_pylist()
        for directory in (trace, folders):
            frame = read(spark, directory, table)
            assert frame is not None
            assert frame.columns == [column.name for column in TABLES[table].columns]
            found = [row.asDict() for row in frame.collect()]
            names = expected[0] if expected else ()
            assert sorted(
                ({name: row[name] for name in names} for row in found), key=repr
            ) == sorted(expected, key=repr)
    assert read(spark, trace, "traffic") is None


@pytest.mark.spark
def test_a_run_that_was_not_committed_is_left_out(
    spark: SparkSession, trace: Path, tmp_path: Path
) -> None:
    in_folders(trace, tmp_path, "whole")
    in_folders(trace, tmp_path, "half")
    shutil.rmtree(tmp_path / "runs" / "run=half")
    (tmp_path / "deliveries" / "run=half" / "part-0.parquet").write_bytes(b"PAR1 cut short")
    frame = read(spark, tmp_path, "deliveries")
    assert frame is not None
    assert frame.count() == pq.read_metadata(trace / "deliveries.parquet").num_rows


@pytest.mark.spark
def test_wider_and_narrower_integers_are_read(spark: SparkSession, tmp_path: Path) -> None:
    columns = {
        "run": ["r"],
        "process": ["g1/0"],
        "group": ["g1"],
        "seq": pa.array([3], pa.int16()),
        "msg": pa.array(["c1:1"], pa.large_string()),
        "at_us": pa.array([2**40], pa.int64()),
    }
    pq.write_table(pa.table(columns), tmp_path / "deliveries.parquet")
    frame = read(spark, tmp_path, "deliveries")
    assert frame is not None
    assert [tuple(row) for row in frame.collect()] == [("r", "g1/0", "g1", 3, "c1:1", 2**40, None)]


def test_a_file_that_lacks_a_column_is_refused_before_spark_sees_it(tmp_path: Path) -> None:
    pq.write_table(pa.table({"run": ["r"]}), tmp_path / "deliveries.parquet")
    with pytest.raises(InvalidInput, match="has no column process"):
        read(None, tmp_path, "deliveries")  # type: ignore[arg-type]


@pytest.mark.spark
def test_a_written_table_replaces_the_one_before(spark: SparkSession, tmp_path: Path) -> None:
    for count in (3, 2):
        write(spark.range(count), tmp_path / AWKWARD, "metrics/numbers")
        found = pq.read_table(tmp_path / AWKWARD / "metrics" / "numbers")
        assert sorted(found.column("id").to_pylist()) == list(range(count))
    assert [path.name for path in (tmp_path / AWKWARD / "metrics").iterdir()] == ["numbers"]
