"""The `amcast` command: parse, call, print."""

from amcast.cli.main import main

__all__ = ["main"]
