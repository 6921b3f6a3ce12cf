"""The list of changes that tests must notice is one of this code: each can be made, and every promise has some."""

from __future__ import annotations

from collections import Counter

from scripts import mutants


def test_each_change_can_be_made_and_names_tests_that_are_there() -> None:
    found = mutants.mutants()
    for one in found:
        assert mutants.broken(one, mutants.ROOT)  # raises where the code is not as the list says
        for test in one["tests"]:
            path, _, name = test.partition("::")
            assert f"def {name}" in (mutants.ROOT / path).read_text("utf-8"), test
    assert len({one["name"] for one in found}) == len(found) >= 30


def test_every_promise_has_three() -> None:
    counted = Counter(one["promise"] for one in mutants.mutants())
    assert sorted(counted) == [*range(10)] and min(counted.values()) >= 3
