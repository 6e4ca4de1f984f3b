"""The order of the groups, and what is refused as one."""

from __future__ import annotations

import pytest

from amcast.core import InvalidInput
from amcast.overlays import Ranks, parse_ranks

ABC = ("a", "b", "c")


def test_ranks_follow_the_configuration_by_default() -> None:
    ranks = Ranks(ABC)
    assert ranks.order == ABC
    assert [ranks.rank(group) for group in ABC] == [0, 1, 2]


def test_a_text_names_the_lowest_first() -> None:
    ranks = parse_ranks("c, a,b", ABC)
    assert ranks.groups == ABC
    assert ranks.order == ("c", "a", "b")
    assert str(ranks) == "c,a,b"
    assert ranks.rank("c") == 0
    assert ranks.ranks(("b", "c")) == (0, 2)
    assert ranks.lowest(("a", "b")) == "a"
    assert ranks.lowest(("a", "b", "c")) == "c"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "a,b,d",
            "the order names 'd', which is no group: write each of a, b, c once, lowest rank first",
        ),
        (
            "",
            "the order names '', which is no group: write each of a, b, c once, lowest rank first",
        ),
        ("a,b,a", "the order names 'a' twice: a group has one rank"),
        ("c,a", "group 'b' is missing from the order: give it a rank"),
    ],
)
def test_what_is_no_order_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_ranks(text, ABC)
    assert str(refused.value) == sentence


def test_a_stranger_has_no_rank() -> None:
    with pytest.raises(InvalidInput, match="'d' has no rank: the groups are a, b, c"):
        Ranks(ABC).lowest(("d",))
