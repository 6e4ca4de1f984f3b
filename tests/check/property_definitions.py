"""The properties word for word, by trying all pairs; only for small histories."""

from __future__ import annotations

from itertools import combinations, product

from amcast.check import History

Pairs = dict[tuple[int, int], bool]


def positions(history: History, process: str) -> dict[int, int]:
    """What a process delivered where: its first row counts, then what a snapshot brought."""
    own = dict(reversed(_rows(history, process)))
    group = history.logs[process].group
    for other, log in history.logs.items():
        if log.group == group:
            for seq, m in _rows(history, other):
                if seq < max(own, default=-1):
                    own.setdefault(seq, m)
    return dict(sorted(own.items()))


def _rows(history: History, process: str) -> list[tuple[int, int]]:
    log = history.logs[process]
    return list(zip(log.seqs, log.msgs, strict=True))


def orders(history: History) -> dict[str, tuple[str, list[int]]]:
    """Each process's group and messages, each message where it is delivered first."""
    return {
        process: (log.group, list(dict.fromkeys(positions(history, process).values())))
        for process, log in history.logs.items()
    }


def delivered_before(history: History) -> Pairs:
    return {pair: True for _, order in orders(history).values() for pair in combinations(order, 2)}


def has_cycle(pairs: Pairs) -> bool:
    """Whether the transitive closure has a message before itself."""
    nodes = sorted({node for pair in pairs for node in pair})
    closure = set(pairs)
    for via, one, other in product(nodes, repeat=3):
        if (one, via) in closure and (via, other) in closure:
            closure.add((one, other))
    return any((node, node) in closure for node in nodes)


def conflict(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> bool:
    if one == () or other == ():
        return False
    return one is None or other is None or bool(set(one) & set(other))


def acyclic_order(history: History) -> bool:
    return not has_cycle(delivered_before(history))


def conflict_order(history: History) -> bool:
    keys = history.keys
    before = delivered_before(history)
    return not has_cycle({(m, n): True for m, n in before if conflict(keys[m], keys[n])})


def genuineness(history: History) -> bool:
    return all(
        end is None or end in history.dst[m] or end == history.homes[m]
        for ends, about in history.packets.items()
        for end, m in product(ends, about)
    )


def minimality(history: History) -> bool:
    """In the words of the paper: of every end of a packet there is a message."""
    return all(
        end is None or any(end in groups for groups in history.dst) or end in history.homes
        for ends, about in history.packets.items()
        for end in ends
        if about
    )


def global_order(history: History) -> bool:
    before = delivered_before(history)
    for log in history.logs.values():
        for m, at_us in zip(log.msgs, log.times, strict=True):
            for n, groups in enumerate(history.dst):
                if groups and at_us < history.multicast_us[n]:
                    before[m, n] = True
    return not has_cycle(before)


def prefix_order(history: History) -> bool:
    return not any(
        _breaks_prefix(history, *p, *q) for p, q in product(orders(history).values(), repeat=2)
    )


def _breaks_prefix(
    history: History, group: str, order: list[int], other_group: str, other_order: list[int]
) -> bool:
    both = [m for m, dst in enumerate(history.dst) if group in dst and other_group in dst]
    return any(
        m in order
        and n in other_order
        and n not in order[: order.index(m)]
        and m not in other_order[: other_order.index(n)]
        for m, n in product(both, repeat=2)
        if m != n
    )


def delivered(history: History, process: str) -> set[int]:
    return {*positions(history, process).values(), *history.logs[process].msgs}


def correct_processes(history: History) -> dict[str, list[str]]:
    """Of each group in which they are a majority."""
    members: dict[str, list[str]] = {}
    for process, log in history.logs.items():
        members.setdefault(log.group, []).append(process)
    last = {
        fault.process: fault.kind for fault in sorted(history.faults, key=lambda one: one.at_us)
    }
    up = {group: [p for p in every if last.get(p) != "crash"] for group, every in members.items()}
    return {group: alive for group, alive in up.items() if 2 * len(alive) > len(members[group])}


def _reaches_all(history: History, m: int) -> bool:
    correct = correct_processes(history)
    return all(
        m in delivered(history, process)
        for group in history.dst[m]
        for process in correct.get(group, ())
    )


def validity(history: History) -> bool:
    crashed = {fault.process for fault in history.faults if fault.kind == "crash"}
    return all(
        _reaches_all(history, m)
        for m, sender in enumerate(history.senders)
        if sender not in crashed
    )


def agreement(history: History) -> bool:
    for process in history.logs:
        found = positions(history, process)
        if [*found] != [*range(len(found))]:
            return False
        if not all(_reaches_all(history, m) for m in delivered(history, process)):
            return False
    return True


def integrity(history: History) -> bool:
    for process, log in history.logs.items():
        found = positions(history, process)
        if len({*found.values()}) < len(found):
            return False
        if any(found[seq] != m for seq, m in _rows(history, process)):
            return False
        if any(log.group not in history.dst[m] for m in found.values()):
            return False
    return True
