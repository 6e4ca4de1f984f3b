"""The trace of a run: a directory with one Parquet file or folder per table.

`TraceWriter` writes one while the run goes on, `read_histories` makes of any trace, ours
or another system's, what the checker needs.
"""

from amcast.traces.files import check_directory, check_files, no_table, table_paths
from amcast.traces.loader import load
from amcast.traces.reader import RunInfo, Trace, parse_parameters, read_histories, read_runs
from amcast.traces.schema import TABLES
from amcast.traces.writer import TraceWriter

__all__ = [
    "TABLES",
    "RunInfo",
    "Trace",
    "TraceWriter",
    "check_directory",
    "check_files",
    "load",
    "no_table",
    "parse_parameters",
    "read_histories",
    "read_runs",
    "table_paths",
]
