"""Which published error is held by what: a mutant, a script, or the test of a formula."""

from __future__ import annotations

from tests.groups.group_mutants import GroupMutant

# As numbered in docs/errors.md; those of FlexCast are told by its stories.
ERRORS = (*(f"E{number}" for number in range(1, 30)), *(f"CE{number}" for number in range(1, 11)))

# "Resent by the new leader" needs what is resent to be kept until it is acknowledged.
RETENTION = "E22"
RETENTION_MUTANTS = (
    "An outbox entry is dropped when its message is delivered here.",
    "A new leader does not send again what the last one left.",
    "A snapshot lacks the outbox.",
    "Messages are acknowledged when they arrive, not from the log.",
)

# Errors of formulas and of statements, where no protocol goes wrong.
CONVOY = "tests/lab/test_convoy.py"
FORMULA_TESTS = {
    "E4": f"{CONVOY}::test_equation_2_equals_its_closed_form",
    "E5": f"{CONVOY}::test_equation_3_is_the_chance_of_a_common_destination",
    "E6": f"{CONVOY}::test_the_printed_equation_5_makes_the_batch_half_as_large_again",
    "E7": f"{CONVOY}::test_what_commutes_does_not_wait",
    "E8": f"{CONVOY}::test_the_model_is_no_lower_bound",
    "E9": (
        "tests/protocols/generic/test_generic.py"
        "::test_commuting_messages_may_close_a_cycle_through_conflicting_ones"
    ),
    "E10": "tests/groups/test_rounds.py::test_a_group_that_is_ahead_may_skip_a_round",
    "E16": "tests/workloads/test_thesis_sets.py::test_d3_is_every_set",
    "E17": "tests/groups/test_rounds.py::test_rounds_follow_delays_unless_messages_bypass_the_log",
    "E25": (
        "tests/overlays/test_propagation.py"
        "::test_ties_in_the_order_of_the_configuration_give_another_graph"
    ),
    "E29": "tests/protocols/test_costs.py::test_sequencer",
}


def error_of_group_mutant(mutant: GroupMutant) -> str:
    return RETENTION if mutant.what in RETENTION_MUTANTS else ""
