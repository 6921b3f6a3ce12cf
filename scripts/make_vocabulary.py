"""Write down the names that toolpair itself compares a session with: `reports/redaction/data/read.json`.

    python scripts/make_vocabulary.py

Redaction keeps them, because a copy in which they are others is no session any more. They are taken from the code of
the rooms that read sessions: every string that something is compared with or looked up by. A test fails while the file
is out of date. What agents write and toolpair does not read is in `written.json` beside it, by hand.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).resolve().parent.parent / "src" / "toolpair"
OUT: Final = _PACKAGE / "reports" / "redaction" / "data" / "read.json"
_ROOMS: Final = ("dialects", "formats", "rules", "transcript")
_NOT_READ: Final = ("pages", "errors")
"""Folders whose strings are for people."""
_FOR_PEOPLE: Final = ("title", "where", "read_only")
_IN_TABLE: Final = re.compile(r"(?<![$\w])[A-Za-z_][\w-]*\w")
_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:[-./][A-Za-z0-9_]+)*")


def _nodes(path: Path) -> Iterable[ast.AST]:
    return ast.walk(ast.parse(path.read_bytes()))


def main() -> None:
    """Write the file."""
    OUT.write_text(text(), encoding="utf-8")
    print(f"{OUT}: {len(names()):,} names")


def text(nodes: Callable[[Path], Iterable[ast.AST]] = _nodes) -> str:
    """What the file contains; `nodes` gives all that is in a module."""
    found = sorted(names(nodes))
    lines = (", ".join(map(json.dumps, found[at : at + 8])) for at in range(0, len(found), 8))
    return "[\n " + ",\n ".join(lines) + "\n]\n"


def names(nodes: Callable[[Path], Iterable[ast.AST]] = _nodes) -> set[str]:
    """The names in the code, and in the tables of forms."""
    code = {name for path in _modules() for name in _strings(nodes(path)) if _NAME.fullmatch(name)}
    tables = (tomllib.loads(path.read_text("utf-8")) for path in (_PACKAGE / "formats").rglob("*.toml"))
    return code | {name for table in tables for text in _texts(table) for name in _IN_TABLE.findall(text)}


def _texts(table: Any) -> Iterator[str]:
    """What a table says of elements: paths, conditions, and the keys and values of new ones."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, list):
        yield from (text for part in table for text in _texts(part))
    elif isinstance(table, dict):
        for key, part in table.items():
            if key not in _FOR_PEOPLE:
                yield key
                yield from _texts(part)


def _modules() -> Iterator[Path]:
    for room in _ROOMS:
        for path in sorted((_PACKAGE / room).rglob("*.py")):
            if not set(path.parts) & set(_NOT_READ):
                yield path


def _strings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The strings that something is compared with or looked up by."""
    for node in nodes:
        match node:
            case ast.Compare():
                parts = [node.left, *node.comparators]
            case ast.Subscript():
                parts = [node.slice]
            case ast.Dict():
                parts = [key for key in node.keys if key is not None]
            case ast.Set() | ast.List() | ast.Tuple():
                parts = node.elts
            case ast.MatchValue() | ast.AnnAssign() | ast.Assign() if node.value is not None:
                parts = [node.value]
            case ast.Call(func=ast.Attribute(attr="get" | "pop")):
                parts = node.args
            case ast.Call(func=ast.Name(id="frozenset" | "get" | "field_of" | "text_or_none" | "string")):
                parts = node.args
            case _:
                continue
        for part in parts:
            match part:
                case ast.Constant(value=str() as found):
                    yield found
                case ast.Constant(value=bytes() as raw):
                    yield from re.findall(r"[\w$-]{2,}", raw.decode("utf-8", "replace"))


if __name__ == "__main__":
    main()
