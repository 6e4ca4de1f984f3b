"""How much memory a traced run takes at most, measured in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from amcast.scenarios import Parameters, Run


def peak_in_child(messages: int, directory: Path) -> int:
    """The peak in bytes of a run that streams its trace, with packets counted."""
    program = "from amcast.bench.memory import main; main()"
    child = [sys.executable, "-c", program, str(messages), str(directory)]
    done = subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout)


def standard_run(messages: int) -> Run:
    """What all measures of the simulator run: Skeen, 12 groups, 240 clients."""
    return Run(
        Parameters(
            protocol="skeen", scenario="aws12", workload="gtpcc", clients=240, messages=messages
        )
    )


def _peak_bytes() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: that begins with the memory of the parent that started us.
        words = status.read_text().partition("VmHWM:")[2].split()
        return int(words[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> None:
    """The child: a run of so many messages into a directory; prints its peak."""
    standard_run(int(sys.argv[1])).write(Path(sys.argv[2]), packets="counts")
    print(_peak_bytes())
