"""What a run was asked for: its setting, and where its groups stand in the overlay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F

from amcast.lab.overlay_order import overlay_order
from amcast.protocols import PROTOCOLS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PLACES = pa.schema([("run", pa.string()), ("group", pa.string()), ("place", pa.int64())])
PLACES_DDL = "run string, `group` string, place bigint"
UNKNOWN_PLACE = 1 << 30


def described(runs: DataFrame) -> DataFrame:
    """Run, protocol, seed, and the setting: its parameters without the seed, as JSON.

    Runs that differ in nothing but the seed have the same setting.
    """
    parameters = F.from_json("parameters", "map<string, string>")
    without_seed = F.map_filter(
        parameters, lambda name, value: (name != "seed") & value.isNotNull()
    )
    setting = F.to_json(F.map_from_entries(F.array_sort(F.map_entries(without_seed))))
    return runs.select(
        "run",
        "protocol",
        F.coalesce("seed", F.lit(0)).alias("seed"),
        F.coalesce(setting, F.lit("{}")).alias("setting"),
        flush_client(F.col("protocol")).alias("flush_client"),
    )


def flush_client(protocol: Column) -> Column:
    """The sender whose messages serve the protocol alone, so that no metric counts them."""
    chosen = F.lit("")
    for known in PROTOCOLS.values():
        if known.flush_client:
            chosen = F.when(protocol == known.name, known.flush_client).otherwise(chosen)
    return chosen


def places(runs: DataFrame) -> DataFrame:
    """Run, group and its place in the overlay's order, for runs whose set-up we know."""

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found = [
                {"run": row["run"], "group": group, "place": place}
                for row in batch.to_pylist()
                for place, group in enumerate(overlay_order(_parsed(row["parameters"])))
            ]
            yield pa.RecordBatch.from_pylist(found, schema=PLACES)

    return runs.select("run", "parameters").mapInArrow(rows, PLACES_DDL)


def _parsed(parameters: str) -> Mapping[str, Any]:
    try:
        found = json.loads(parameters)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
