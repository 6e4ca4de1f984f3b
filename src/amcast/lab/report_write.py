"""One page for an experiment, with its figures, from the tables that the stages wrote."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from amcast.lab.attempts import latest, read_attempts
from amcast.lab.directory import REPORT
from amcast.lab.directory import described as described_in
from amcast.lab.model import write_fits
from amcast.lab.provenance import together
from amcast.lab.report_charts import FILE_WIDTH, Plot
from amcast.lab.report_compare import compare
from amcast.lab.report_data import Results
from amcast.lab.report_findings import findings, tables
from amcast.lab.report_page import page
from amcast.lab.report_plots import plots
from amcast.lab.stages import software_of_stages

PAGE: Final = "index.html"


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
        about=made_with(directory),
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


def made_with(directory: Path) -> dict[str, str]:
    """What made the results: not what happens to be installed when the page is written."""
    attempts = latest(read_attempts(directory)).values()
    of_runs = [{"amcast": each.version, **json.loads(each.software or "{}")} for each in attempts]
    return together([*of_runs, *software_of_stages(directory)])


def as_csv(figure: Plot) -> str:
    """The rows of a figure, with a column for everything that any of them has."""
    names: Sequence[str] = list(dict.fromkeys(name for row in figure.rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(figure.rows)
    return text.getvalue()
