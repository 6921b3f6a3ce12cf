"""Recipes: named ways to fix a whole transcript, one module each. A new one is a module with RECIPE, and a line here.

`careful.py` holds back recommended fixes that would make the agent send less. May use rules, dialects and transcript.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from toolpair.recipes.recipe import Recipe

_MODULES: Final = (
    "recommended",
    "keep",
    "drop",
    "minimal",
    "roo_code_sanitize",
    "roo_code",
    "roo_code_reorder",
    "roo_code_pre_send",
    "zoo_code",
    "docker_agent",
)


class _Registry(Mapping[str, Recipe]):
    """The recipes by name. A recipe's module is imported on first use."""

    def __init__(self) -> None:
        self._modules = {module.replace("_", "-"): module for module in _MODULES}

    def __getitem__(self, name: str) -> Recipe:
        recipe: Recipe = import_module(f"{__name__}.{self._modules[name]}").RECIPE
        return recipe

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


RECIPES: Final[Mapping[str, Recipe]] = _Registry()
