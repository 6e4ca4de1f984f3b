"""The directory of an experiment: what is where, what is finished, and who may write there.

    experiment.toml   the experiment as it was run
    trace/            the trace tables, trace/<table>/run=<id>/part-0.parquet
    computed/         the same for runs that are no simulations: tables `runs` and `rows`
    attempts/         how each try of each run ended
    verdicts/ metrics/ fits/ report/   what the later stages made

A run counts when its `runs` file is there: that one is written last.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from amcast.core import InvalidInput
from amcast.lab.experiment import Chosen, parse

DESCRIPTION: Final = "experiment.toml"
TRACE: Final = "trace"
COMPUTED: Final = "computed"
STORES: Final = (TRACE, COMPUTED)
ATTEMPTS: Final = "attempts"
VERDICTS: Final = "verdicts"
METRICS: Final = "metrics"
FITS: Final = "fits"
REPORT: Final = "report"
# Where tasks write before they commit.
WRITING: Final = ".writing"
LOCK: Final = ".lock"


@contextmanager
def opened(directory: Path, chosen: Chosen) -> Iterator[Chosen]:
    """Hold the directory for this experiment alone; a killed holder holds nothing any more."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _refuse_others(directory, chosen)
        lock = os.open(directory / LOCK, os.O_WRONLY | os.O_CREAT)
    except OSError as error:
        raise InvalidInput(
            f"{directory} cannot be written ({error.strerror}): choose another directory"
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InvalidInput(
                f"{directory} is being written by another command: wait for it, or choose "
                "another directory"
            ) from error
        draft = directory / f".{DESCRIPTION}"
        draft.write_text(chosen.to_toml(), "utf-8")
        draft.replace(directory / DESCRIPTION)
        _remove_unfinished(directory)
        yield chosen
    finally:
        os.close(lock)


def described(directory: Path) -> Chosen:
    """The experiment that a directory holds."""
    path = Path(directory) / DESCRIPTION
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InvalidInput(
            f"{directory} holds no experiment: name a directory that `amcast lab run` wrote"
        ) from error
    return parse(text, "experiment", str(path)).chosen()


def committed_runs(directory: Path) -> set[str]:
    """The runs that are finished."""
    return {
        path.parent.name.removeprefix("run=")
        for store in STORES
        for path in (Path(directory) / store / "runs").glob("run=*/part-0.parquet")
    }


def in_flight(directory: Path) -> set[str]:
    """The runs that a task has begun and not ended; asked when no task is running."""
    return {
        path.name.partition(".")[0]
        for store in STORES
        for path in (directory / store / WRITING).glob("*.begun")
    }


def forget_runs(directory: Path, runs: Iterable[str]) -> None:
    """Take back what these runs left. `runs` goes first: without it they do not count."""
    for run in runs:
        for store in STORES:
            for name in ("runs", "*"):
                for folder in (directory / store).glob(f"{name}/run={run}"):
                    shutil.rmtree(folder, ignore_errors=True)


def _refuse_others(directory: Path, chosen: Chosen) -> None:
    if not (directory / DESCRIPTION).exists():
        found = sorted(path.name for path in directory.iterdir() if path.name != LOCK)
        if found:
            raise InvalidInput(
                f"{directory} is not empty, it holds {found[0]}: choose a new directory"
            )
        return
    held = described(directory)
    what = f"{directory} holds experiment {held.name} at size {held.size}"
    if (held.name, held.size) != (chosen.name, chosen.size):
        raise InvalidInput(f"{what}: choose another directory")
    if replace(held, seeds=()) != replace(chosen, seeds=()):
        raise InvalidInput(f"{what} with other parameters: choose another directory")
    if not set(held.seeds) <= set(chosen.seeds):
        raise InvalidInput(
            f"{what} with {len(held.seeds)} seeds: use as many or more, or another directory"
        )


def _remove_unfinished(directory: Path) -> None:
    """What killed tasks left: drafts, and tables of runs that were never committed."""
    finished = committed_runs(directory)
    for store in STORES:
        shutil.rmtree(directory / store / WRITING, ignore_errors=True)
        for folder in (directory / store).glob("*/run=*"):
            if folder.name.removeprefix("run=") not in finished:
                shutil.rmtree(folder, ignore_errors=True)
