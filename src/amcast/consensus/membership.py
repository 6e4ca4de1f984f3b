"""Which changes of members are possible: one replica more, or one fewer.

A change is an entry of the log that stands alone in its slot. The leader proposes it when no
other slot is open, and opens none behind it, so the members of a slot follow from the slots
below it. Whoever led up to there must win the new members before it goes on.
"""

from __future__ import annotations

from amcast.consensus.events import ChangeMembers
from amcast.consensus.memory import Memory
from amcast.consensus.values import Members


def objection(memory: Memory, change: ChangeMembers) -> str | None:
    """Why these members cannot change like that, whoever leads."""
    add, remove = change.add, change.remove
    if (add is None) == (remove is None):
        return "a change adds one replica or removes one: name one of the two"
    if add is not None and add < memory.next_id:
        return f"replica {add} cannot be added: ids are used once, the next is {memory.next_id}"
    if remove is not None and remove not in memory.members:
        return f"replica {remove} cannot be removed: the members are {memory.members}"
    if remove is not None and len(memory.members) == 1:
        return f"replica {remove} cannot be removed: it is the last one"
    return None


def members_after(memory: Memory, change: ChangeMembers) -> Members:
    kept = tuple(member for member in memory.members if member != change.remove)
    return kept if change.add is None else (*kept, change.add)
