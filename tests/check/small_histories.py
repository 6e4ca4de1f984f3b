"""Small runs for tests, good ones and ones with faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from amcast.check import History

GROUPS = ("g1", "g2", "g3")


def run(
    multicasts: Mapping[str, str], deliveries: Mapping[str, str], *, complete: bool = True
) -> History:
    """`run({"c1:1": "g1 g2"}, {"g1/0": "c1:1", "g2/0": "c1:1"})`; all times are 0."""
    history = History(complete=complete)
    for msg, groups in multicasts.items():
        history.add_multicast(msg, msg.split(":")[0], tuple(groups.split()))
    for process, msgs in deliveries.items():
        deliver(history, process, msgs)
    return history


def deliver(history: History, process: str, msgs: str, first: int = 0, at_us: int = 0) -> None:
    """The messages that `process` delivers at positions from `first` on."""
    group = process.split("/")[0]
    history.add_process(process, group)
    for seq, msg in enumerate(msgs.split(), first):
        history.add_delivery(process, group, seq, msg, at_us)


KEYS = st.none() | st.lists(st.sampled_from("ab"), max_size=2).map(tuple)
TIMES = st.integers(0, 8)


@st.composite
def histories(draw: st.DrawFn, replicas: int = 2) -> History:
    """One order for all, cut into prefixes; then some groups may go their own way."""
    history = History(complete=draw(st.booleans()))
    msgs = [f"c1:{n}" for n in range(draw(st.integers(1, 6)))]
    dst = {m: tuple(draw(st.lists(st.sampled_from(GROUPS), min_size=1, unique=True))) for m in msgs}
    keyed = draw(st.booleans())
    for m in msgs:
        keys = draw(KEYS) if keyed else None
        history.add_multicast(m, "c1", dst[m], draw(TIMES), keys=keys)
    for group in GROUPS:
        order = [m for m in draw(st.permutations(msgs)) if group in dst[m]]
        if draw(st.integers(0, 2)):
            order.sort(key=msgs.index)
        for replica in range(draw(st.integers(1, replicas))):
            _replica(draw, history, f"{group}/{replica}", order)
    if draw(st.integers(0, 3)) == 0:
        history.add_fault("c1", "crash", 3)
    return history


def _replica(draw: st.DrawFn, history: History, process: str, order: Sequence[str]) -> None:
    own = list(order[: draw(st.integers(max(0, len(order) - 2), len(order)))])
    if draw(st.integers(0, 9)) == 0:
        own = list(draw(st.permutations(own)))
    history.add_process(process, process.split("/")[0])
    skipped = draw(st.integers(0, 1)) if draw(st.integers(0, 3)) == 0 else 0
    at_us = 0
    for seq, msg in list(enumerate(own))[skipped:]:
        at_us += draw(st.integers(0, 3))
        for _ in range(1 + (draw(st.integers(0, 9)) == 0)):
            history.add_delivery(process, process.split("/")[0], seq, msg, at_us)
    if draw(st.integers(0, 9)) == 0:
        other = draw(st.sampled_from(["c1:0", "c9:9"]))
        history.add_delivery(process, process.split("/")[0], len(own) - 1 if own else 0, other, 1)
    if draw(st.integers(0, 4)) == 0:
        history.add_fault(process, draw(st.sampled_from(["crash", "restart"])), at_us)
