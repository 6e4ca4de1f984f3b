"""`make mutants`: known bugs, what catches each, and how many seeds or states it took."""

from __future__ import annotations

import sys

from amcast.cli.output import print_table, progress_bar
from tests.consensus.test_consensus_mutants import CAUGHT_BY, CAUGHT_BY_RULE
from tests.groups.group_mutants import GROUP_MUTANTS, GroupMutant
from tests.mutants.catalogue import MUTANTS, Mutant

COLUMNS = ("protocol", "mutant", "error", "seeds", "states", "violates")


def row(mutant: Mutant) -> tuple[str, ...]:
    """What it took to catch a mutant."""
    failure = mutant.hunt()
    states, violations = mutant.explore() if mutant.explored else (0, ())
    broken = failure.violations if failure else violations
    return (
        mutant.protocol,
        mutant.what,
        mutant.error,
        str(failure.seed) if failure else "script" if mutant.scripted else "",
        f"{states:,}" if violations else "",
        _violated(mutant, broken),
    )


def group_row(mutant: GroupMutant) -> tuple[str, ...]:
    """The same for a bug of replicated groups, which bad times must show."""
    failure = mutant.hunt()
    broken = failure.violations[0].split(":")[0] if failure else "NOT CAUGHT"
    return (mutant.protocol, mutant.what, "", str(failure.seed) if failure else "", "", broken)


def log_rows() -> list[tuple[str, ...]]:
    """The bugs of the replicated log; its own tests hunt them."""
    by_seed = [("the log", name, "", str(seed), "", "the log") for name, seed in CAUGHT_BY.items()]
    by_rule = [
        ("the log", name, "", "script", "", "see tests/consensus") for name in CAUGHT_BY_RULE
    ]
    return by_seed + by_rule


def _violated(mutant: Mutant, broken: tuple[str, ...]) -> str:
    if mutant.scripted:
        return f"see {mutant.scripted}"
    return broken[0].split(":")[0].replace("_", " ") if broken else "NOT CAUGHT"


def main() -> int:
    rows = []
    count = len(MUTANTS) + len(GROUP_MUTANTS)
    with progress_bar("hunting mutants") as progress:
        for mutant in MUTANTS:
            rows.append(row(mutant))
            progress(len(rows) / count)
        for group_mutant in GROUP_MUTANTS:
            rows.append(group_row(group_mutant))
            progress(len(rows) / count)
    rows += log_rows()
    if "--markdown" in sys.argv:
        print("\n".join(markdown(rows)))
    else:
        print_table(COLUMNS, rows, right=("seeds", "states"))
    missed = [each for each in rows if each[-1] == "NOT CAUGHT"]
    print(f"{len(rows) - len(missed)} of {len(rows)} mutants caught", file=sys.stderr)
    return 1 if missed else 0


def markdown(rows: list[tuple[str, ...]]) -> list[str]:
    """The table as it stands in the README."""
    lines = [COLUMNS, ("---", "---", "---", "--:", "--:", "---"), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    sys.exit(main())
