"""Lists and dicts as printed by Python: single quotes, None, True, False, SDK objects. Nothing is evaluated."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any, Final

from toolpair.source.errors import UnreadableFile

_LIMIT: Final = 32 << 20
_DEPTH: Final = 90
_FIRST_WRONG = re.compile(rb"'|None\b|True\b|False\b|\(|[rubRUB]{1,2}['\"]|[A-Za-z_][\w.]*+\(")
_BRACKETS = re.compile(
    rb"[^'\"\[\](){}]*+(?:(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\")[^'\"\[\](){}]*+)*+([\[\](){}])",
    re.DOTALL,
)


def may_be_literal(data: bytes, wrong: int) -> bool:
    """Whether the text continues as Python's repr would from the place where it stopped being JSON."""
    return _FIRST_WRONG.match(data, wrong) is not None


def read_literal(data: bytes, start: int, end: int, wrong: int, shown: str) -> Any:
    """The value of a Python literal, or None when it is not one. `wrong` is the offset where it stopped being JSON."""
    if not may_be_literal(data, wrong):
        return None
    depth = deepest = 0
    pos = start
    while (match := _BRACKETS.match(data, pos, end)) is not None:
        pos = match.end()
        depth += 1 if data[pos - 1] in b"[({" else -1
        deepest = max(deepest, depth)
        if depth <= 0 or deepest > _DEPTH:
            break
    if depth != 0 or data[pos:end].strip():
        if deepest > _DEPTH:
            raise UnreadableFile(f"{shown} is nested too deeply to be read; give a file with messages.")
        return None
    if end - start > _LIMIT:
        raise UnreadableFile(f"{shown} is printed Python of more than 32 MB; write it as JSON and open that.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data[start:end].decode("utf-8").strip(), mode="eval")
        return _value(tree.body)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _value(node: ast.expr) -> Any:
    """The value of an expression, in JSON's types only. Raises ValueError for anything else.

    `TextBlock(text='hi', citations=None)` becomes the dict of its fields; a field that is None was not set. Any other
    call, such as a date, is kept as its source text.
    """
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, (bool, int, float, str)):
            return value
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(element) for element in elements]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _value(value) for key, value in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Call(args=[], keywords=[_, *_] as fields) if all(field.arg for field in fields):
            read = {str(field.arg): _value(field.value) for field in fields}
            return {name: value for name, value in read.items() if value is not None}
        case ast.Call():
            return ast.unparse(node)
    raise ValueError("not a plain value")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise ValueError("a key is not a string")
