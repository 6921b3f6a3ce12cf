"""The examples of docs/recipes/ show what the pages say: where a recipe does harm, and that the default does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import toolpair
from toolpair.recipes import RECIPES

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def examples() -> Any:
    sys.path.insert(0, str(SCRIPTS))
    try:
        from recipe_examples import EXAMPLES
    finally:
        sys.path.remove(str(SCRIPTS))
    return EXAMPLES


def test_every_recipe_has_one(examples: Any) -> None:
    assert set(examples) == set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_the_default_mends_it_and_loses_nothing(examples: Any, name: str) -> None:
    example = examples[name]
    default = toolpair.repair(example.messages, profile=example.profile)
    assert not default.losses
    assert all(problem.guess for problem in default.left), "a guess is left to a person"
    assert default.changed or default.left


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if recipe.copies is not None])
def test_a_copy_does_the_harm_that_its_page_speaks_of(examples: Any, name: str) -> None:
    example = examples[name]
    copied = toolpair.repair(example.messages, profile=example.profile, recipe=name)
    assert copied.changed
    assert copied.losses or copied.left
    expected = {"roo-code": "2 outputs given to another call", "roo-code-pre-send": "7 words from the user"}
    if name in expected:
        assert copied.losses.text == expected[name]
