"""Histories of groups that handled messages in the same order, but not equally many of them.

Idea        A message comes next in the merged order when all that handled it have nothing
            before it any more, and all others that it is for have nothing left at all: those
            must still append it.
Assumes     Histories of one run of propagation, in one graph after a common beginning.
Guarantees  One order that every group comes to by appending. There is one, because the others
            would have gone on in it, had no group failed.
Reference   Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988),
            section 5.2.1, where histories are only counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from amcast.core import GroupId, MessageId
from amcast.protocols.propagation import Data


def merged(histories: Mapping[GroupId, Sequence[Data]]) -> list[Data]:
    """One order that every group can come to by appending what it has not handled yet."""
    known = {group: ids_of(history) for group, history in histories.items()}
    rests = {group: [*reversed(history)] for group, history in histories.items()}

    def comes_next(data: Data) -> bool:
        """Whoever handled it is that far, and whoever must still append it is at its end."""
        id, dst = data.multicast.id, data.multicast.dst
        return all(
            bool(rest) and rest[-1].multicast.id == id
            if id in known[group]
            else not rest or group not in dst
            for group, rest in rests.items()
        )

    order: list[Data] = []
    while heads := [rest[-1] for rest in rests.values() if rest]:
        data = next(filter(comes_next, heads), None)
        assert data is not None, "the histories are not of one order"
        order.append(data)
        for group, rest in rests.items():
            if data.multicast.id in known[group]:
                rest.pop()
    return order


def completed(
    order: Sequence[Data],
    histories: Mapping[GroupId, Sequence[Data]],
    survivors: Sequence[GroupId],
) -> list[Data]:
    """The order with all that is in none but other histories: clients may not send it again.

    What a survivor must append comes at the end. All else stands where whoever handled it had
    it, so that no more than necessary is taken back.
    """
    known: dict[MessageId, None] = ids_of(order)
    after: dict[MessageId | None, list[Data]] = {}
    end: list[Data] = []
    for history in histories.values():
        before: MessageId | None = None
        for data in history:
            id, dst = data.multicast.id, data.multicast.dst
            if id not in known:
                known[id] = None
                appended = any(group in survivors for group in dst)
                (end if appended else after.setdefault(before, [])).append(data)
            before = id
    waiting = [*after.get(None, []), *order, *end][::-1]
    complete: list[Data] = []
    while waiting:
        complete.append(waiting.pop())
        waiting += reversed(after.get(complete[-1].multicast.id, []))
    return complete


def common_beginning(one: Iterable[Data], other: Iterable[Data]) -> int:
    """How many messages both begin with."""
    pairs = zip(ids_of(one), ids_of(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def ids_of(history: Iterable[Data]) -> dict[MessageId, None]:
    return dict.fromkeys(data.multicast.id for data in history)
