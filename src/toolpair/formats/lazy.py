"""What a format's record names and a start should not load: imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazy:
    """The function or value `name` of a module, written `module:name`. Called like the function that it stands for."""

    __slots__ = ("_found", "where")

    def __init__(self, where: str) -> None:
        self.where = where
        self._found: Any = None

    @property
    def found(self) -> Any:
        """What it stands for. Raises AttributeError or ImportError when there is no such thing."""
        if self._found is None:
            module, _, name = self.where.partition(":")
            self._found = getattr(import_module(module), name)
        return self._found

    def __call__(self, *arguments: Any) -> Any:
        return self.found(*arguments)

    def __repr__(self) -> str:
        return f"Lazy({self.where!r})"


def lazy(where: str) -> Any:
    """A `Lazy`, for a field of any type: what stands behind it has that type (a test compares their parameters)."""
    return Lazy(where)
