"""One module a recipe. A new one is a module with NAME, TITLE and `pick`, and a line in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolpair.recipes import recommended
from toolpair.recipes.engine import Pick


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named way to choose fixes for a whole transcript."""

    name: str
    title: str
    pick: Pick


RECIPES: Final = {recipe.NAME: Recipe(recipe.NAME, recipe.TITLE, recipe.pick) for recipe in (recommended,)}
