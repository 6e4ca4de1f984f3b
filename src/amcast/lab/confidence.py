"""95 % confidence of a mean over a few seeds, by Student's t."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import Final, NamedTuple

# Two-sided 95 % quantiles for 1 to 30 degrees of freedom.
T_95: Final = (
    12.70620, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814,
    2.20099, 2.17881, 2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596,
    2.07961, 2.07387, 2.06866, 2.06390, 2.05954, 2.05553, 2.05183, 2.04841, 2.04523, 2.04227,
)  # fmt: skip
NORMAL_95: Final = 1.959964


class Interval(NamedTuple):
    """A mean and where it lies with 95 % confidence; without bounds from a single value."""

    mean: float
    low: float | None
    high: float | None


def t_95(freedom: int) -> float:
    """The quantile; above 30 degrees of freedom by its expansion around the normal one."""
    if freedom < 1:
        raise ValueError("a single value has no deviation")
    if freedom <= len(T_95):
        return T_95[freedom - 1]
    z = NORMAL_95
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return z + first + second


def interval(values: Sequence[float]) -> Interval:
    """Of independent values, such as one percentile of several seeds."""
    count = len(values)
    if not count:
        raise ValueError("there are no values")
    mean = fsum(values) / count
    if count == 1:
        return Interval(mean, None, None)
    variance = fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_95(count - 1) * sqrt(variance / count)
    return Interval(mean, mean - half, mean + half)
