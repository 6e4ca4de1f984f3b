"""The verdict on a trace directory, from Spark: what `amcast check --master` does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from amcast.check import Verdict
from amcast.core import InvalidInput
from amcast.lab.session import session_on
from amcast.lab.shipping import probe, ship
from amcast.lab.tables import committed, read_all
from amcast.lab.verify import verdicts
from amcast.traces import TABLES, check_directory, check_files, no_table, read_runs, table_paths

# Sorting spills to disk when it has to; a long run needs the memory in its Python worker.
MEMORY: Final = "1g"


def verify_directory(directory: Path, master: str) -> tuple[list[Verdict], list[str]]:
    """The verdicts on the listed runs, in the order of the list, and the runs left out."""
    directory = Path(directory)
    # Whatever can be wrong with the files is said before a JVM is started.
    check_directory(directory)
    names = [info.run for info in read_runs(directory)]
    unlisted = _check_tables(directory)
    try:
        with session_on(master, memory=MEMORY) as spark:
            ship(spark)
            probe(spark, directory)
            judged, in_flight = verdicts(spark, read_all(spark, directory, checked=True))
    except InvalidInput as error:
        raise InvalidInput(f"{directory}, {error}") from error
    place = {run: at for at, run in enumerate(names)}
    judged.sort(key=lambda verdict: place[verdict.run])
    return judged, unlisted + in_flight


def _check_tables(directory: Path) -> list[str]:
    """Refuse a directory that is no trace; the runs whose folders are not listed yet."""
    unlisted: dict[str, None] = {}
    for name in TABLES:
        paths = committed(directory, name)
        check_files(name, paths)
        left_out = set(table_paths(directory, name)) - set(paths)
        unlisted |= dict.fromkeys(sorted(path.parent.name for path in left_out))
        if name in ("multicasts", "deliveries") and not paths:
            raise no_table(directory, name)
    return [name.removeprefix("run=") for name in unlisted]
