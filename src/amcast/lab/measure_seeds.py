"""From values of single runs to their mean over seeds, with 95 % confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from amcast.lab.confidence import t_95

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# More seeds than this are as good as infinitely many.
FREEDOM_MAX = 200


def over_seeds(
    values: DataFrame, keys: Sequence[str], *names: str, also: Sequence[Column] = ()
) -> DataFrame:
    """Keys, `seeds` (how many), and for each name its mean with `<name>_low`, `<name>_high`.

    A single seed has no bounds. Values are added up in their own order, so that the result
    does not depend on how Spark happened to spread them. `also` are further aggregates.
    """
    lists = [F.array_sort(F.collect_list(name)).alias(name) for name in names]
    gathered = values.groupBy(*keys).agg(F.count(names[0]).alias("seeds"), *also, *lists)
    for name in names:
        gathered = _with_interval(gathered, name)
    return gathered


def _with_interval(gathered: DataFrame, name: str) -> DataFrame:
    """The list of values replaced by its mean and bounds."""
    count, mean = F.size(name), F.col("_mean")
    means = gathered.withColumn("_mean", _sum(F.col(name)) / count)
    squares = _sum(F.transform(name, lambda x: (x - mean) * (x - mean)))
    half = F.when(count > 1, _t_95(count - 1) * F.sqrt(squares / (count - 1) / count))
    return (
        means.withColumn("_half", half)
        .withColumn(name, mean)
        .withColumn(f"{name}_low", mean - F.col("_half"))
        .withColumn(f"{name}_high", mean + F.col("_half"))
        .drop("_mean", "_half")
    )


def _sum(values: Column) -> Column:
    return F.aggregate(values, F.lit(0.0), lambda total, x: total + x)


def _t_95(freedom: Column) -> Column:
    quantiles = F.array(*(F.lit(t_95(number)) for number in range(1, FREEDOM_MAX + 1)))
    return F.element_at(quantiles, F.least(freedom, F.lit(FREEDOM_MAX)).cast("int"))
