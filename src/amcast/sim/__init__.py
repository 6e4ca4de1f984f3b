"""The simulator: protocols in virtual time, deterministic from one seed."""

from amcast.sim.clients import ClientPlan
from amcast.sim.latency import Histogram, Latencies
from amcast.sim.network import Network, uniform_network
from amcast.sim.recorder import HistoryRecorder, Recorder
from amcast.sim.simulation import Outcome, Simulation, SimulationPlan

__all__ = [
    "ClientPlan",
    "Histogram",
    "HistoryRecorder",
    "Latencies",
    "Network",
    "Outcome",
    "Recorder",
    "Simulation",
    "SimulationPlan",
    "uniform_network",
]
