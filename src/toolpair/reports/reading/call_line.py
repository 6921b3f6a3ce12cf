"""A call in one line of the list: what its tool is called, and what tells it from its neighbours."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import arguments, call_summary
from toolpair.text.tool_calls import TODO_STATES, Todo, todo_in
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.transcript.model import Block

_MCP: Final = re.compile(r"mcp__(.{1,80}?)__(.+)", re.DOTALL)
_LINE_NUMBER: Final = re.compile(r" {0,8}(\d{1,7})(?:→|\t)")
_MOST: Final = 4000
"""Characters of an edit that are counted; of a longer one only the file is named."""


def tool_name(name: str) -> tuple[str, str]:
    """The tool, and the MCP server that it belongs to."""
    found = _MCP.fullmatch(name)
    return (found[2], found[1]) if found else (name, "")


def call_line(call: Block) -> tuple[str, str]:
    """The name of a call's tool and a summary of its input."""
    tool, server = tool_name(call.name or "(no name)")
    given = arguments(call)
    todo = todo_in(given)
    words = todo_words(todo) if todo is not None else call_summary(call) + _edit(given)
    if server:
        count = len(given) if isinstance(given, dict) else 0
        words = f"{server}  {words}" if words else f"{server}  {plural(count, 'argument')}"
    return tool, words


def output_line(first: str) -> str:
    """The first line of an output: the number that a tool wrote before it stands at the edge."""
    return _LINE_NUMBER.sub(r"\1  ", first, count=1) if _LINE_NUMBER.match(first) else first


def todo_words(todo: Todo) -> str:
    """`2 done, 1 doing`."""
    counts = Counter(state for state, _ in todo.items)
    return ", ".join(f"{counts[state]:,} {state}" for state in TODO_STATES if counts[state])


def _edit(given: Any) -> str:
    """ "  +2 -1" for an edit of a file."""
    if not isinstance(given, dict):
        return ""
    old, new = given.get("old_string"), given.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str) or len(old) + len(new) > _MOST:
        return ""
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    return f"  +{(after - before).total()} -{(before - after).total()}"
