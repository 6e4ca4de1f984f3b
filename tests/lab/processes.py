"""Commands and daemons in processes of their own, which the tests start and end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = """\
import faulthandler, signal, sys
from amcast.cli import main
faulthandler.register(signal.SIGUSR1)
# A shell may have started the tests with interrupts switched off.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""


@contextmanager
def started(
    *arguments: str | Path, log: Path, variables: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process group, ended at the latest when the test is; what it says is in `log`."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            [str(each) for each in arguments],
            stdout=said,
            stderr=said,
            env={**os.environ, **(variables or {})},
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)


def amcast(*arguments: str | Path) -> tuple[str | Path, ...]:
    """The command line, in a new interpreter."""
    return (sys.executable, "-c", COMMAND, *arguments)


def end_of(process: subprocess.Popen[bytes], log: Path, seconds: float = 60) -> int:
    """The exit status of a command; if it does not end, where it hangs."""
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGUSR1)
        time.sleep(1.0)
        raise AssertionError(f"the command goes on:\n{log.read_text()}") from None


def jvm_of(process: subprocess.Popen[bytes]) -> int:
    """The Java process that a command started."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,comm="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    (found,) = (
        int(pid) for pid, group, name in rows if int(group) == process.pid and "java" in name
    )
    return found


def wait_for(happened: Callable[[], bool], log: Path, seconds: float = 120) -> None:
    """Wait, and show what the process said if nothing happens."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
