"""One Spark session for all tests of a process, without any Java but the package's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def path_without_java(shadows: Path) -> str:
    """PATH, where a folder that has java is replaced by links to all else that it has."""
    places = []
    for place in dict.fromkeys(map(Path, os.environ["PATH"].split(os.pathsep))):
        if (place / "java").exists():
            shadow = shadows / str(place).strip("/").replace("/", "-")
            shadow.mkdir(parents=True)
            for entry in place.iterdir():
                if entry.name != "java":
                    (shadow / entry.name).symlink_to(entry)
            place = shadow
        places.append(str(place))
    return os.pathsep.join(places)


@pytest.fixture(scope="session")
def no_java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither PATH nor JAVA_HOME has a Java."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        patch.setenv("PATH", path_without_java(tmp_path_factory.mktemp("no-java")))
        yield


@pytest.fixture(scope="session")
def spark(no_java: None) -> Iterator[SparkSession]:
    """A session of two threads; a test marked `spark` may use it, none may stop it."""
    from amcast.lab import start

    session = start("local[2]", shuffle_partitions=2, memory="1g")
    yield session
    session.stop()
