"""Who gets the next message: destination sets as experiments and benchmarks draw them."""

from amcast.workloads.catalogue import WORKLOAD_NAMES, make_workload
from amcast.workloads.draw import Draw, WithKeys, Workload
from amcast.workloads.fixed import FixedSets, thesis_sets
from amcast.workloads.gtpcc import GtpccEvaluation, GtpccPaper
from amcast.workloads.home import HomeMix
from amcast.workloads.tpcc import TpccMix
from amcast.workloads.uniform import UniformSets

__all__ = [
    "WORKLOAD_NAMES",
    "Draw",
    "FixedSets",
    "GtpccEvaluation",
    "GtpccPaper",
    "HomeMix",
    "TpccMix",
    "UniformSets",
    "WithKeys",
    "Workload",
    "make_workload",
    "thesis_sets",
]
