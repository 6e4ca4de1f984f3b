"""The simulator: protocols in virtual time, deterministic from one seed."""

from amcast.sim.clients import ClientPlan, FlushPlan
from amcast.sim.explore import Exploration, Explorer
from amcast.sim.faults import FaultPlan
from amcast.sim.fuzz import DrawSetup, Failure, Setup, fuzz_one
from amcast.sim.fuzz_faults import FaultFailure, fuzz_faults_one
from amcast.sim.latency import Histogram, Latencies
from amcast.sim.network import Network, uniform_network
from amcast.sim.plan import Outcome, SimulationPlan
from amcast.sim.recorder import HistoryRecorder, Recorder
from amcast.sim.replica_plan import ReplicaPlan
from amcast.sim.simulate_replicas import ReplicatedSimulation
from amcast.sim.simulation import Simulation
from amcast.sim.story import Story, play, tell
from amcast.sim.world import World

__all__ = [
    "ClientPlan",
    "DrawSetup",
    "Exploration",
    "Explorer",
    "Failure",
    "FaultFailure",
    "FaultPlan",
    "FlushPlan",
    "Histogram",
    "HistoryRecorder",
    "Latencies",
    "Network",
    "Outcome",
    "Recorder",
    "ReplicaPlan",
    "ReplicatedSimulation",
    "Setup",
    "Simulation",
    "SimulationPlan",
    "Story",
    "World",
    "fuzz_faults_one",
    "fuzz_one",
    "play",
    "tell",
    "uniform_network",
]
