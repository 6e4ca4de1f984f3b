"""Benchmarks: every measure of one run against its bar."""

from amcast.bench.check import bench_check
from amcast.bench.lab import bench_lab
from amcast.bench.measure import Measure
from amcast.bench.sim import FULL, QUICK, Size, bench_sim, build

__all__ = ["FULL", "QUICK", "Measure", "Size", "bench_check", "bench_lab", "bench_sim", "build"]
