"""Mutants are in place for as long as they are wanted; what catches each is in tests/mutants."""

from __future__ import annotations

from tests.consensus.mutants import MUTANTS, mutated


def test_mutants_put_back_what_they_replace() -> None:
    owner, attribute, replacement = MUTANTS["quorum of f"]
    original = owner.__dict__[attribute]
    with mutated("quorum of f"):
        assert owner.__dict__[attribute] is replacement
    assert owner.__dict__[attribute] is original
