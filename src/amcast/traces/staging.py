"""A directory that appears whole or not at all.

Files are written into a hidden sibling, which is renamed into place in one step.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path

from amcast.core import InvalidInput

LOCK = "lock"


class Staging:
    """The hidden sibling of `directory`, made now, until `commit` or `discard`.

    It holds a locked file. A killed writer's lock is free again, so that the next writer
    of the same directory can tell its leftovers from files that are being written.
    """

    def __init__(self, directory: Path) -> None:
        # A link is not replaced: what it points to is.
        self.directory = directory.resolve()
        _refuse_occupied(self.directory)
        self.path = self.directory.parent / f".{self.directory.name}.partial"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK, os.O_WRONLY | os.O_CREAT)
            self._take_over()
        except OSError as error:
            raise InvalidInput(
                f"{directory} cannot be written ({error.strerror}): choose another directory"
            ) from error

    def commit(self) -> None:
        """Put the files where they belong."""
        try:
            # Onto an empty directory this is one step as well; a filled one is an error.
            self.path.rename(self.directory)
        except OSError as error:
            self.discard()
            raise InvalidInput(
                f"{self.directory} was filled or taken away during the run "
                f"({error.strerror}): choose a directory that nothing else writes"
            ) from error
        # Not before the renaming: until then others must find the lock taken.
        with suppress(OSError):
            (self.directory / LOCK).unlink()
        os.close(self._lock)

    def discard(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)

    def _take_over(self) -> None:
        """Lock the sibling and remove what a killed writer left in it."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            if not isinstance(error, BlockingIOError):
                raise
            raise InvalidInput(
                f"{self.directory} is being written by another run: choose another directory"
            ) from error
        for entry in self.path.iterdir():
            if entry.name != LOCK:
                entry.unlink()


def _refuse_occupied(directory: Path) -> None:
    try:
        entries = sorted(entry.name for entry in directory.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise InvalidInput(f"{directory} is not a directory: choose another one") from error
    except OSError as error:
        raise InvalidInput(
            f"{directory} cannot be read ({error.strerror}): choose another directory"
        ) from error
    if {"runs", "runs.parquet"} & set(entries):
        raise InvalidInput(f"{directory} already holds a run: choose another directory")
    if entries:
        raise InvalidInput(
            f"{directory} is not empty, it holds {entries[0]}: choose a new directory"
        )
    if os.path.ismount(directory):
        # It cannot be replaced, and the end of a long run would be too late to say so.
        raise InvalidInput(f"{directory} is a mount point: choose a directory inside it")
