"""From an experiment to its runs: every combination once, refused early, the longest first."""

from __future__ import annotations

import re

import pytest

from amcast.core import InvalidInput
from amcast.lab.experiment import named, names, parse
from amcast.lab.plan import PlannedRun, messages_expected, plan
from amcast.scenarios import Run

RUN_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")
MESSAGES_MAX = 2000


def planned(text: str, seeds: int | None = None) -> list[PlannedRun]:
    return plan(parse(text, "mine").chosen(seeds=seeds))


def test_every_combination_and_seed_is_one_run() -> None:
    runs = planned(
        "seeds = [7, 9]\n[[sweep]]\nprotocol = ['skeen', 'tree']\nclients = [1, 2, 3]\n"
        "[[sweep]]\nprotocol = 'skeen'\nclients = 1\n"
    )
    # The second sweep repeats a part of the first.
    assert len(runs) == len({run.run for run in runs}) == 2 * 3 * 2
    assert {run.seed for run in runs} == {7, 9}
    assert {run.simulation.clients for run in runs} == {1, 2, 3}


def test_numbers_of_destinations_are_one_value_and_lists_of_them_an_axis() -> None:
    one = planned("[[sweep]]\nprotocol = 'skeen'\nsizes = [1, 2]")
    assert [run.simulation.sizes for run in one] == [(1, 2)]
    two = planned("[[sweep]]\nprotocol = 'skeen'\nsizes = [[1], [2]]")
    assert {run.simulation.sizes for run in two} == {(1,), (2,)}


def test_options_are_one_value_and_lists_of_them_an_axis() -> None:
    runs = planned("[[sweep]]\nprotocol = 'ang'\noptions = [{eta = '2', kappa = '4'}, {eta = '1'}]")
    assert sorted(run.simulation.options["eta"] for run in runs) == ["1", "2"]


def test_clients_can_be_counted_by_group() -> None:
    runs = planned("[[sweep]]\nprotocol = 'skeen'\ngroups = [3, 5]\nclients_per_group = 4")
    assert {run.simulation.clients for run in runs} == {12, 20}


def test_the_name_of_a_run_depends_on_what_it_computes_and_on_nothing_else() -> None:
    first = planned("[[sweep]]\nprotocol = 'skeen'\nclients = 3\nscenario = 'lan'")
    other_order = planned(
        "title = 'x'\n[common]\nclients = 3\n[[sweep]]\nscenario = 'lan'\nprotocol = 'skeen'"
    )
    default = planned(
        "[[sweep]]\nprotocol = 'skeen'\nclients = 3\nscenario = 'lan'\nlocality = 0.9"
    )
    assert first[0].run == other_order[0].run == default[0].run
    for changed in (
        "[[sweep]]\nprotocol = 'skeen'\nclients = 4\nscenario = 'lan'",
        "packets = 'off'\n[[sweep]]\nprotocol = 'skeen'\nclients = 3\nscenario = 'lan'",
        "seeds = [2]\n[[sweep]]\nprotocol = 'skeen'\nclients = 3\nscenario = 'lan'",
    ):
        assert planned(changed)[0].run != first[0].run


def test_the_longest_comes_first() -> None:
    runs = planned(
        "[[sweep]]\nprotocol = 'skeen'\nmessages = [10, 1000, 100]\n"
        "[[sweep]]\nprotocol = 'skeen'\nduration_s = 1000\nrate = 50.0\n"
    )
    assert [run.simulation.messages for run in runs] == [None, 1000, 100, 10]
    assert runs == planned(
        "[[sweep]]\nprotocol = 'skeen'\nduration_s = 1000\nrate = 50.0\n"
        "[[sweep]]\nprotocol = 'skeen'\nmessages = [10, 1000, 100]\n"
    )


WRONG = {
    "protocol = 'nope'": "no protocol 'nope'",
    "protocol = 'skeen'\nclints = 3": "no parameter 'clints': there is protocol",
    "clients = 3": "a sweep needs a protocol",
    "protocol = 'skeen'\nclients = 'many'": "wrong type: Expected `int`, got `str`",
    "protocol = 'skeen'\nclients = []": "clients = [] leaves nothing to run",
    "protocol = 'skeen'\nseed = 4": "write seeds = [...] at the top",
    "protocol = 'skeen'\nclients = [3, 0]": "0 clients are not possible",
    "kind = 'propagation-graphs'\nsites = 3": "propagation-graphs needs the parameter group_size",
    "kind = 'propagation-graphs'\nsties = 3": "has no parameter 'sties': it has sites, group_size",
}


@pytest.mark.parametrize("sweep", WRONG)
def test_what_is_not_possible_is_refused_before_anything_runs(sweep: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        planned(f"[[sweep]]\n{sweep}")
    assert WRONG[sweep] in str(refused.value)


@pytest.mark.parametrize("name", names())
def test_tiny_is_tiny(name: str) -> None:
    runs = plan(named(name).chosen("tiny"))
    assert all(RUN_ID.fullmatch(run.run) for run in runs)
    simulated = [run for run in runs if run.kind == "simulation"]
    assert sum(messages_expected(Run(run.simulation)) for run in simulated) <= MESSAGES_MAX
