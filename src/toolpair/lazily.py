"""Names of a package that are loaded from their modules when they are first asked for (PEP 562)."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazily(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of `package`: `where` has the module of each name, or `module:name` where it is another one."""

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        module, _, there = where[name].partition(":")
        found = getattr(import_module(module), there or name)
        setattr(sys.modules[package], name, found)
        return found

    return find
