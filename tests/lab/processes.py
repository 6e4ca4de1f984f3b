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
import signal, sys
from amcast.cli import main
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


def wait_for(happened: Callable[[], bool], log: Path, seconds: float = 120) -> None:
    """Wait, and show what the process said if nothing happens."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
