"""Experiments as TOML: what a file may say, and what a size makes of it."""

from __future__ import annotations

import tomllib

import pytest

from amcast.core import InvalidInput
from amcast.lab.experiment import SIZES, named, names, parse
from amcast.lab.plan import plan

SMALL = """
title = "Small"
[common]
scenario = "lan"
duration_s = 5
[[sweep]]
protocol = ["skeen", "tree"]
clients = [2, 4]
[[sweep]]
at = ["full"]
protocol = "flexcast"
[sizes.tiny]
messages = 10
[sizes.full]
seeds = 3
"""

WRONG = {
    "": "it has no sweep",
    "sweep = 1": "sweep is no list of tables",
    "titel = 'x'\n[[sweep]]": "'titel' is not known: there is common",
    "name = 'No Name'\n[[sweep]]": "'No Name' is no name of an experiment",
    "packets = 'some'\n[[sweep]]": "packets = 'some' is not known: use all, counts, off",
    "[[sweep]]\nkind = 'magic'": "no kind of task 'magic': there is simulation, propagation-graphs",
    "[[sweep]]\nat = ['huge']": "at = ['huge'] lists no sizes",
    "[[sweep]]\n[sizes.huge]": "sizes are tiny, quick, full, not huge",
    "seeds = 0\n[[sweep]]": "0 seeds are not possible",
    "seeds = []\n[[sweep]]": "[] seeds are not possible",
    "[[sweep]]\n[[missing]]\nwhat = 'x'": "exactly `what` and `reason`",
    "common = 1\n[[sweep]]": "common is no table",
    "x =": "is no TOML",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse(text, "mine", "mine.toml")
    assert WRONG[text] in str(refused.value)
    assert str(refused.value).startswith("mine.toml")


def test_a_size_changes_parameters_and_the_command_line_changes_them_last() -> None:
    experiment = parse(SMALL, "small")
    tiny = experiment.chosen("tiny")
    # So many messages take the place of the duration.
    assert tiny.sweeps[0].values == {
        "scenario": "lan",
        "protocol": ["skeen", "tree"],
        "clients": [2, 4],
        "messages": 10,
    }
    assert (len(tiny.sweeps), tiny.seeds) == (1, (1,))
    full = experiment.chosen("full", seeds=2, settings={"clients": 8, "packets": "off"})
    assert [sweep.values.get("clients") for sweep in full.sweeps] == [8, 8]
    assert (full.seeds, full.packets) == ((1, 2), "off")
    assert experiment.chosen("full").seeds == (1, 2, 3)
    assert len(plan(full)) == 2 * 2 * 1 + 2 * 1


def test_without_a_word_the_size_is_quick_where_there_is_one() -> None:
    assert parse(SMALL, "small").chosen().size == "full"
    assert named("flexcast-overlays").chosen().size == "quick"
    with pytest.raises(InvalidInput, match="has no size 'quick': there is tiny, full"):
        parse(SMALL, "small").chosen("quick")


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("size", SIZES)
def test_what_is_written_down_gives_the_same_runs_again(name: str, size: str) -> None:
    chosen = named(name).chosen(size)
    text = chosen.to_toml()
    assert tomllib.loads(text)["name"] == name
    again = parse(text, "experiment").chosen()
    assert again == chosen
    assert again.to_toml() == text


@pytest.mark.parametrize("name", names())
def test_our_experiments_say_where_they_come_from(name: str) -> None:
    experiment = named(name)
    assert tuple(experiment.sizes) == SIZES
    assert experiment.title[0].isupper()
    assert experiment.source or name == "demo"


def test_an_unknown_experiment_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidInput, match="no experiment 'nope': there is basecast-vs-treecast"):
        named("nope")
    with pytest.raises(InvalidInput, match=r"no experiment '\.\./demo'"):
        named("../demo")
    with pytest.raises(InvalidInput, match=r"nowhere\.toml cannot be read"):
        named("nowhere.toml")


def test_a_plan_of_nothing_is_refused() -> None:
    experiment = parse("[[sweep]]\nat = ['full']\nprotocol = 'skeen'\n[sizes.tiny]", "mine")
    with pytest.raises(InvalidInput, match="has no sweep at size tiny"):
        plan(experiment.chosen("tiny"))
