"""One page for an experiment, with its figures, from the tables that the stages wrote."""

from __future__ import annotations

import csv
import io
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from amcast.lab.directory import REPORT
from amcast.lab.directory import described as described_in
from amcast.lab.model import write_fits
from amcast.lab.report_charts import FILE_WIDTH, Plot
from amcast.lab.report_compare import compare
from amcast.lab.report_data import Results
from amcast.lab.report_findings import findings, tables
from amcast.lab.report_page import page
from amcast.lab.report_plots import plots

PAGE: Final = "index.html"
PACKAGES: Final = ("amcast", "pyspark", "pyarrow", "altair", "vl-convert-python")


def write(directory: Path) -> Path:
    """Write `report/` of an experiment's directory; no JVM is needed. The page's path."""
    import vl_convert

    chosen = described_in(directory)
    # Equations take no time: they are fitted anew whenever the page is written.
    write_fits(directory, chosen.name)
    results = Results(directory)
    figures = plots(results, chosen.name)
    draft = directory / f".{REPORT}.partial"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    text = page(
        chosen,
        results,
        compare(results, chosen.name),
        figures,
        findings=findings(results, chosen.name),
        tables=tables(results),
        about=software(),
    )
    (draft / PAGE).write_text(text, "utf-8")
    for figure in figures:
        picture = vl_convert.vegalite_to_svg(figure.spec(FILE_WIDTH))
        (draft / f"{figure.name}.svg").write_text(picture, "utf-8")
        (draft / f"{figure.name}.csv").write_text(as_csv(figure), "utf-8")
    target = directory / REPORT
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)
    return target / PAGE


def software() -> dict[str, str]:
    """What made the results, as far as it is installed here."""
    found = {"Python": ".".join(map(str, sys.version_info[:3]))}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def as_csv(figure: Plot) -> str:
    """The rows of a figure, with a column for everything that any of them has."""
    names: Sequence[str] = list(dict.fromkeys(name for row in figure.rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(figure.rows)
    return text.getvalue()
