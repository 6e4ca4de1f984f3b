"""A standalone master with two workers, started from the Python package."""

from __future__ import annotations

import socket
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from amcast.lab import session
from amcast.lab.run import state
from amcast.lab.shipping import NEEDED, complaint, pack, versions
from tests.lab.processes import started, wait_for

EXPERIMENT = "[[sweep]]\nprotocol = ['skeen', 'tree']\nmessages = 40\n"

# As `amcast lab run`, without the stages after the verification.
JOB = """\
import sys
from pathlib import Path
from amcast.lab import start
from amcast.lab.directory import opened
from amcast.lab.experiment import named
from amcast.lab.plan import plan
from amcast.lab.progress import silent
from amcast.lab.shipping import probe, ship
from amcast.lab.simulate import simulate
from amcast.lab.stages import verify

master, file, out = sys.argv[1:]
chosen, out = named(file).chosen(), Path(out)
with opened(out, chosen):
    spark = start(master)
    ship(spark)
    probe(spark, out)
    simulate(spark, plan(chosen), out, version="1", progress=silent)
    verify(spark, out)
    spark.stop()
"""

# It does not read the installed packages' path files, so it has ours only if it is sent along.
BARE_PYTHON = """\
#!/bin/sh
PYTHONPATH="{packages}:$PYTHONPATH" exec "{python}" -S "$@"
"""


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@pytest.fixture
def master(tmp_path: Path, no_java: None) -> Iterator[str]:
    """The address of a master that has two workers."""
    import pyspark

    home = Path(pyspark.__file__).parent
    variables = {
        "JAVA_HOME": str(session.java_home()),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
    }
    daemon = (home / "bin" / "spark-class", "org.apache.spark.deploy")
    port, *others = free_ports(6)
    address = f"spark://127.0.0.1:{port}"
    log = tmp_path / "master.log"
    with ExitStack() as stack:
        here = ("--host", "127.0.0.1")
        web = ("--webui-port", str(others.pop()))
        command = (daemon[0], f"{daemon[1]}.master.Master", *here, "--port", str(port), *web)
        stack.enter_context(started(*command, log=log, variables=variables))
        wait_for(lambda: "started at" in log.read_text() or "ALIVE" in log.read_text(), log)
        for number in (1, 2):
            web = ("--webui-port", str(others.pop()), "--work-dir", str(tmp_path / f"w{number}"))
            size = ("--cores", "1", "--memory", "1g")
            command = (daemon[0], f"{daemon[1]}.worker.Worker", *here, *size, *web, address)
            worker = started(*command, log=tmp_path / f"worker{number}.log", variables=variables)
            stack.enter_context(worker)
        wait_for(lambda: log.read_text().count("Registering worker") == 2, log)
        yield address


@pytest.mark.spark
@pytest.mark.slow
def test_two_workers_run_a_sweep_and_a_verification(master: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    packages = sysconfig.get_path("purelib")
    python = tmp_path / "python"
    python.write_text(BARE_PYTHON.format(packages=packages, python=sys.executable))
    python.chmod(0o755)
    out, log = tmp_path / "out", tmp_path / "log"
    command = (sys.executable, "-c", JOB, master, tmp_path / "mine.toml", out)
    with started(*command, log=log, variables={"PYSPARK_PYTHON": str(python)}) as process:
        wait_for(lambda: process.poll() is not None, log, 240)
    assert process.returncode == 0, log.read_text()
    found = state(out)
    assert (found.runs, found.finished, found.verified) == (2, 2, 2)
    for number in (1, 2):
        assert "Asked to launch executor" in (tmp_path / f"worker{number}.log").read_text()


def test_the_package_is_whole_when_it_is_sent(tmp_path: Path) -> None:
    with zipfile.ZipFile(pack(tmp_path / "amcast.zip")) as packed:
        held = packed.namelist()
    for name in ("core/__init__.py", "scenarios/data/aws12_latency_ms.csv", "lab/simulate.py"):
        assert f"amcast/{name}" in held
    assert not [name for name in held if "__pycache__" in name]


def test_executors_that_lack_something_are_told_what() -> None:
    here = versions()
    same = {**here, "directory": "seen"}
    assert set(here) == {"python", *NEEDED}
    assert complaint(same, here) is None
    for there, sentence in (
        ({**same, "python": "3.9"}, "run Python 3.9, but this is"),
        ({**same, "msgspec": ""}, "have no msgspec: install version"),
        ({**same, "pyarrow": "1.0"}, "have pyarrow 1.0, but this is"),
        ({**same, "directory": "unseen"}, "do not see the output directory"),
    ):
        assert sentence in (complaint(there, here) or "")
