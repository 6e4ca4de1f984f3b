"""The statements of the FlexCast paper (2023)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from amcast.lab.published_claims import (
    FLEXCAST,
    LOCALITIES,
    SKEEN,
    TREE,
    Judgement,
    NotMeasured,
    below,
    claim,
    listed,
    p90,
    the,
    throughput,
)
from amcast.lab.report_data import Results, Row, mean_over_groups, of_one_setting
from amcast.scenarios import scenario_named

# Of the computing times that throughput is measured with, the one that was chosen beforehand.
COST: Final = {"cpu_us": 100.0, "cpu_us_per_kb": 10.0}


@claim("flexcast-overlays", "o1-better-than-o2")
def _o1_better(results: Results) -> Judgement:
    pairs = {
        f"{overlay}/{destination}": p90(results, {**FLEXCAST, "overlay": overlay}, destination)
        for destination in (1, 2, 3)
        for overlay in ("O1", "O2")
    }
    better = all(pairs[f"O1/{each}"] < pairs[f"O2/{each}"] for each in (1, 2, 3))
    return better, listed(pairs, "ms")


@claim("flexcast-overlays", "t1-best-tree")
def _t1_best(results: Results) -> Judgement:
    found = {
        f"{overlay}/{destination}": p90(results, {**TREE, "overlay": overlay}, destination)
        for destination in (1, 2, 3)
        for overlay in ("T1", "T2", "T3")
    }
    best = all(
        found[f"T1/{each}"] < min(found[f"T2/{each}"], found[f"T3/{each}"]) for each in (1, 2, 3)
    )
    return best, listed(found, "ms")


@claim("flexcast-overlays", "flexcast-more-sensitive")
def _more_sensitive(results: Results) -> Judgement:
    ranks = [p90(results, {**FLEXCAST, "overlay": overlay}, 1) for overlay in ("O1", "O2")]
    trees = [p90(results, {**TREE, "overlay": overlay}, 1) for overlay in ("T1", "T2", "T3")]
    spread = {"tree": max(trees) / min(trees), "flexcast": max(ranks) / min(ranks)}
    rising, _ = below(spread, "")
    return rising, "highest over lowest first p90: " + listed(spread, "")


@claim("flexcast-locality", "flexcast-first")
def _first(results: Results) -> Judgement:
    return _compared(results, 1, lambda flexcast, tree, skeen: flexcast < min(tree, skeen))


@claim("flexcast-locality", "flexcast-second")
def _second(results: Results) -> Judgement:
    found = {
        name: p90(results, {**where, "locality": 0.9}, 2)
        for name, where in (("tree", TREE), ("flexcast", FLEXCAST), ("skeen", SKEEN))
    }
    return below(found, "ms")


@claim("flexcast-locality", "flexcast-third")
def _third(results: Results) -> Judgement:
    return _compared(results, 3, lambda flexcast, tree, skeen: flexcast > max(tree, skeen))


def _compared(
    results: Results, destination: int, holds: Callable[[float, float, float], bool]
) -> Judgement:
    """Whether it holds for every locality."""
    verdicts, shown = [], []
    for locality in LOCALITIES:
        found = {
            name: p90(results, {**where, "locality": locality}, destination)
            for name, where in (("flexcast", FLEXCAST), ("tree", TREE), ("skeen", SKEEN))
        }
        verdicts.append(holds(found["flexcast"], found["tree"], found["skeen"]))
        shown.append(f"{locality:.0%}: {listed(found, 'ms')}")
    return all(verdicts), "; ".join(shown)


@claim("flexcast-locality", "locality-helps")
def _locality_helps(results: Results) -> Judgement:
    gains = {}
    for name, where in (("tree", TREE), ("flexcast", FLEXCAST), ("skeen", SKEEN)):
        little, much = (p90(results, {**where, "locality": each}, 1) for each in (0.9, 0.99))
        gains[name] = 100 * (1 - much / little)
    rising, shown = below(gains, "%")
    return rising and min(gains.values()) > 0, f"lower by: {shown}"


@claim("flexcast-throughput", "same-throughput")
def _same_throughput(results: Results) -> Judgement:
    found = {
        name: throughput(results, {**where, **COST, "clients": 240})
        for name, where in (("flexcast", FLEXCAST), ("tree", TREE), ("skeen", SKEEN))
    }
    others = max(found["tree"], found["skeen"])
    return found["flexcast"] >= 0.8 * others, listed(found, "messages/s")


@claim("flexcast-throughput", "flexcast-bends-first")
def _bends_first(results: Results) -> Judgement:
    """From 960 to 1920 clients, twice the throughput would be no bend."""
    growth = {}
    for name, where in (("flexcast", FLEXCAST), ("tree", TREE), ("skeen", SKEEN)):
        few, many = (
            throughput(results, {**where, **COST, "clients": each}) for each in (960, 1920)
        )
        growth[name] = many / few
    bends = growth["flexcast"] < min(growth["tree"], growth["skeen"])
    return bends, "1920 clients over 960: " + listed(growth, "")


@claim("flexcast-traffic", "traffic-order")
def _traffic_order(results: Results) -> Judgement:
    found = {}
    for name, where in (("tree", TREE), ("skeen", SKEEN), ("flexcast", FLEXCAST)):
        rows = of_one_setting(results.where("traffic", where, direction="received", kind="all"))
        if not rows:
            raise NotMeasured
        found[name] = mean_over_groups(rows, "bytes_s") / 1000
    return below(found, "KB/s")


@claim("flexcast-traffic", "size-rises-with-rank")
def _size_rises(results: Results) -> Judgement:
    rows = of_one_setting(
        results.where("traffic", FLEXCAST, direction="received", peer="group", kind="all")
    )
    by_group = {row["group"]: row for row in rows}
    if len(by_group) < 3:
        raise NotMeasured
    # The lowest rank receives nothing from other groups.
    order = [group for group in rows[0]["setting"].order() if group in by_group]
    found, rates = (
        spearman([by_group[group][column] for group in order])
        for column in ("packet_bytes", "bytes_s")
    )
    return found > 0.8, f"Spearman {found:.2f} over {len(order)} ranks, {rates:.2f} of bytes/s"


def spearman(values: Sequence[float]) -> float:
    """The rank correlation of values with their position."""
    count = len(values)
    ranks = {index: rank for rank, index in enumerate(sorted(range(count), key=values.__getitem__))}
    squares = sum((ranks[index] - index) ** 2 for index in range(count))
    return 1 - 6 * squares / (count * (count**2 - 1))


@claim("flexcast-overhead", "t1-falls-with-locality")
def _t1_falls(results: Results) -> Judgement:
    found = {
        f"{locality:.0%}": 100 * the(_summary(results, "T1", locality))["mean"]
        for locality in reversed(LOCALITIES)
    }
    return below(found, "%")


@claim("flexcast-overhead", "star-burdens-its-root")
def _star(results: Results) -> Judgement:
    rows = {tree: the(_summary(results, tree, 0.9)) for tree in ("T1", "T2", "T3")}
    lowest = min(rows, key=lambda tree: float(rows[tree]["mean"]))
    highest = max(rows, key=lambda tree: float(rows[tree]["most"]))
    shown = "; ".join(
        f"{tree}: mean {row['mean']:.1%}, highest {row['most']:.1%}" for tree, row in rows.items()
    )
    return lowest == highest == "T3", shown


@claim("flexcast-overhead", "leaves-have-none")
def _leaves(results: Results) -> Judgement:
    rows = results.where("overhead", {"protocol": "tree"})
    if not rows:
        raise NotMeasured
    trees = scenario_named("aws12").trees
    of_leaves = [
        row["overhead"]
        for row in rows
        if not trees[row["setting"].values["overlay"].upper()].children(row["group"])
    ]
    return max(of_leaves) == 0, f"highest of {len(of_leaves)}: {max(of_leaves):.1%}"


def _summary(results: Results, tree: str, locality: float) -> list[Row]:
    return results.where("overhead_summary", {**TREE, "overlay": tree, "locality": locality})
