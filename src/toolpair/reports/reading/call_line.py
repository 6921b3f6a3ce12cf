"""A call in one line of the list: what its tool is called, and what tells it from its neighbours."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import arguments, call_summary
from toolpair.text.tool_calls import TODO_STATES, Edits, Todo, path_of, todo_in, understood
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.transcript.model import Block

_MCP: Final = re.compile(r"mcp__(.{1,80}?)__(.+)", re.DOTALL)
_LINE_NUMBER: Final = re.compile(r" {0,8}(\d{1,7})(?:→|\t)")
_MOST: Final = 12_000
"""Characters of arguments that are compared for what an edit changes; of more only the file is named."""


def tool_name(name: str) -> tuple[str, str]:
    """The tool, and the MCP server that it belongs to."""
    found = _MCP.fullmatch(name)
    return (found[2], found[1]) if found else (name, "")


def call_line(call: Block, folder: str | None = None) -> tuple[str, str]:
    """The name of a call's tool and a summary of its input. Paths in the session's `folder` are shown from there."""
    tool, server = tool_name(call.name or "(no name)")
    given = arguments(call)
    todo = todo_in(given)
    words = todo_words(todo) if todo is not None else _edit(call, given, folder)
    if not words:
        words = call_summary(call)
        path = path_of(given)
        if path is not None and words == path:
            words = from_folder(path, folder)
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


def counts_words(added: int, removed: int) -> str:
    """`+2 -1`."""
    return f"+{added:,} -{removed:,}"


def from_folder(path: str, folder: str | None) -> str:
    """The path as one sees it from a folder above it, else as it is."""
    if not folder or not path.startswith(folder):
        return path
    rest = path[len(folder) :]
    return rest[1:] if rest[:1] in ("/", "\\") and len(rest) > 1 else path


def _edit(call: Block, given: Any, folder: str | None) -> str:
    """`src/app.py  +2 -1` for an edit of a file."""
    texts = given.values() if isinstance(given, dict) else (given,)
    if sum(len(text) for text in texts if isinstance(text, str)) > _MOST:
        return ""
    does = understood(call.name, given)
    if not isinstance(does, Edits):
        return ""
    where = from_folder(does.files[0].path, folder) if len(does.files) == 1 else plural(len(does.files), "file")
    return f"{where}  {counts_words(*counts_of(does))}"


def counts_of(edits: Edits) -> tuple[int, int]:
    """How many lines are added in all files, and how many removed."""
    return sum(file.counts[0] for file in edits.files), sum(file.counts[1] for file in edits.files)
