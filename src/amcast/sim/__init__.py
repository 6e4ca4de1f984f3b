"""The simulator: protocols in virtual time, deterministic from one seed."""

from amcast.sim.clients import ClientPlan, FlushPlan
from amcast.sim.explore import Exploration, Explorer
from amcast.sim.fuzz import Failure, Setup, fuzz_one
from amcast.sim.latency import Histogram, Latencies
from amcast.sim.network import Network, uniform_network
from amcast.sim.recorder import HistoryRecorder, Recorder
from amcast.sim.simulation import Outcome, Simulation, SimulationPlan
from amcast.sim.story import Story, play, tell
from amcast.sim.world import World

__all__ = [
    "ClientPlan",
    "Exploration",
    "Explorer",
    "Failure",
    "FlushPlan",
    "Histogram",
    "HistoryRecorder",
    "Latencies",
    "Network",
    "Outcome",
    "Recorder",
    "Setup",
    "Simulation",
    "SimulationPlan",
    "Story",
    "World",
    "fuzz_one",
    "play",
    "tell",
    "uniform_network",
]
