"""Benchmarks: every measure of one run against its bar."""

from amcast.bench.measure import Measure
from amcast.bench.sim import FULL, QUICK, Size, bench_sim, build

__all__ = ["FULL", "QUICK", "Measure", "Size", "bench_sim", "build"]
