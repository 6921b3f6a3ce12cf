"""The modules of toolpair, read once for all tests that look at the code itself."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "toolpair"


class Module(NamedTuple):
    path: str
    """Below the package, with slashes."""
    text: str
    nodes: tuple[ast.AST, ...]
    """The module itself, and all that is in it."""

    @property
    def name(self) -> str:
        """As an import names it, without the package."""
        return self.path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


@cache
def modules() -> tuple[Module, ...]:
    """All of them, in the order of their names. Tests that ask for them do so by the fixture, which keeps them together."""
    found = ((path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py")))
    return tuple(Module(name, text, tuple(ast.walk(ast.parse(text)))) for name, text in found)
