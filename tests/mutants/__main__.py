"""`make mutants`: known bugs, what catches each, and how many seeds or states it took."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from amcast.cli.output import print_table, progress_bar
from tests.groups.group_mutants import GROUP_MUTANTS, GroupMutant
from tests.mutants.catalogue import MUTANTS, Mutant
from tests.mutants.errors import error_of_group_mutant
from tests.mutants.own_worlds import SPECIMENS
from tests.mutants.replicated_log import LOG_SPECIMENS
from tests.mutants.specimen import SCRIPT, Catch, Specimen

COLUMNS = ("protocol", "mutant", "error", "seeds", "states", "violates")
NOT_CAUGHT = "NOT CAUGHT"
ALL: tuple[Mutant | Specimen | GroupMutant, ...] = (
    *MUTANTS,
    *SPECIMENS,
    *GROUP_MUTANTS,
    *LOG_SPECIMENS,
)

Row = tuple[str, ...]


def row(mutant: Mutant | Specimen | GroupMutant) -> Row:
    """What it took to catch a mutant."""
    match mutant:
        case Mutant():
            return mutant_row(mutant)
        case Specimen():
            return specimen_row(mutant, mutant.hunt())
    return group_row(mutant)


def group_row(mutant: GroupMutant) -> Row:
    error = error_of_group_mutant(mutant)
    if mutant.script is not None:
        return (mutant.protocol, mutant.what, error, SCRIPT, "", _kind(mutant.replay()))
    failure = mutant.hunt()
    seed, violations = (str(failure.seed), failure.violations) if failure else ("", ())
    return (mutant.protocol, mutant.what, error, seed, "", _kind(violations))


def mutant_row(mutant: Mutant) -> Row:
    failure = mutant.hunt()
    states, violations = mutant.explore() if mutant.explored else (0, ())
    return (
        mutant.protocol,
        mutant.what,
        mutant.error,
        str(failure.seed) if failure else "",
        f"{states:,}" if violations else "",
        _kind(failure.violations if failure else violations),
    )


def specimen_row(specimen: Specimen, catch: Catch | None) -> Row:
    if catch is None:
        return (specimen.protocol, specimen.what, specimen.error, "", "", NOT_CAUGHT)
    seeds = SCRIPT if catch.seed is None else str(catch.seed)
    kind = _kind(catch.violations)
    return (specimen.protocol, specimen.what, specimen.error, seeds, "", kind)


def _kind(violations: Sequence[str]) -> str:
    """Which promise was broken first. A rule is told in full."""
    if not violations:
        return NOT_CAUGHT
    kind, _, details = violations[0].partition(": ")
    return details if kind == "rule" else kind.replace("_", " ")


def main() -> int:
    rows = []
    with progress_bar("hunting mutants") as progress:
        for mutant in ALL:
            rows.append(row(mutant))
            progress(len(rows) / len(ALL))
    if "--markdown" in sys.argv:
        print("\n".join(markdown(rows)))
    else:
        print_table(COLUMNS, rows, right=("seeds", "states"))
    missed = [each for each in rows if each[-1] == NOT_CAUGHT]
    print(f"{len(rows) - len(missed)} of {len(rows)} mutants caught", file=sys.stderr)
    return 1 if missed else 0


def markdown(rows: Sequence[Row]) -> list[str]:
    """The table as it stands in the README."""
    lines = [COLUMNS, ("---", "---", "---", "--:", "--:", "---"), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    sys.exit(main())
