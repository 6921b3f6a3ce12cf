"""What stands in a block's value is the dialects' affair: rules and recipes ask them."""

import ast
from pathlib import Path

import toolpair

_SOURCE = Path(toolpair.__file__).parent
_OF_RECORDS = {"recipes/measuring.py"}
"""Whose `.value` is a record's, not a block's."""


def test_no_rule_and_no_recipe_reads_a_raw_value() -> None:
    paths = [path for room in ("rules", "recipes") for path in (_SOURCE / room).rglob("*.py")]
    assert len(paths) > 50
    found = [
        f"{name}:{node.lineno}"
        for path in paths
        if (name := path.relative_to(_SOURCE).as_posix()) not in _OF_RECORDS
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr == "value") or _is_looked_up(node)
    ]
    assert not found


def _is_looked_up(node: ast.AST) -> bool:
    """getattr(block, "value"), or the same as a pattern of a match."""
    if isinstance(node, ast.MatchClass):
        return "value" in node.kwd_attrs
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and any(isinstance(given, ast.Constant) and given.value == "value" for given in node.args)
    )
