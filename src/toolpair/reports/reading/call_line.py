"""A call in one line of the list: what its tool is called, and what tells it from its neighbours."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import arguments, call_summary
from toolpair.text.tool_calls import TODO_STATES, Command, Edits, Todo, Understood, path_of, todo_in, understood
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.transcript.model import Block

_MCP: Final = re.compile(r"(?:mcp__)?([^_\s]\S{0,79}?)__(.+)", re.DOTALL)
"""`mcp__SERVER__TOOL`; goose leaves the first part out."""
_LINE_NUMBER: Final = re.compile(r" {0,8}(\d{1,7})(?:→|\t)")
_ASKED: Final = ("question", "prompt", "title", "text")
_IN_JSON: Final = ('{"output"', '{"query"')
_AROUND: Final = re.compile(
    r"(?:(?:Chunk ID|Wall time|Process|Exit code|Original token count|Total output lines)\b[^\n]*\n)+Output:\n"
    r"|(?:<untrusted_context>\n)?(?:Command: [^\n]*\nDirectory: [^\n]*\n)?Output: "
    r"|<path>[^\n]*</path>\n<type>[^\n]*</type>\n<content>\n"
    r"|\[[^\n\]]{1,200}\] Result:\s*\n"
    r"|Content of [^\n]{1,1000}:\n"
    r"|<tool_use_error>(?:Error: )?"
)
"""What agents write before an output: Codex; Gemini CLI and Qwen Code; opencode; Cline; Continue; Claude Code."""
_ENDED: Final = re.compile(r"^(?:Process|Exit code)\b[^\n]*", re.MULTILINE)
"""How a command without output ended, or that it runs."""
_GOES_ON: Final = re.compile(r"(?:[;&|({]|\b(?:do|then|else|in))$")
"""The end of a line of a script after which the command goes on."""
_SPAN: Final = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
"""What in a script has no end of a command in it: an escaped character, a quoted text."""
_MOST: Final = 12_000
"""Characters of arguments that are compared for what an edit changes; of more only the file is named."""


def tool_name(name: str) -> tuple[str, str]:
    """The tool, and the MCP server that it belongs to."""
    found = _MCP.fullmatch(name)
    return (found[2], found[1]) if found else (name, "")


def call_line(
    call: Block, folder: str | None = None, known: tuple[Any, Understood | None] | None = None
) -> tuple[str, str]:
    """The name of a call's tool and a summary of its input. Paths in the session's `folder` are shown from there.

    `known`: its arguments and what it does, where both were asked before.
    """
    tool, server = tool_name(call.name or "(no name)")
    given = known[0] if known is not None else arguments(call)
    todo = todo_in(given)
    words = todo_words(todo) if todo is not None else _does(call, given, folder, known)
    if not words and (asked := _first_words(given)):
        words = " ".join(asked.split())
    if not words:
        words = _values(given) or call_summary(call)
        path = path_of(given)
        if path is not None and words == path:
            words = from_folder(path, folder)
    if server:
        count = len(given) if isinstance(given, dict) else 0
        words = f"{server}  {words}" if words else f"{server}  {plural(count, 'argument')}"
    return tool, words


def _values(given: Any) -> str:
    """`session_id: 1`, of a call whose arguments have no words."""
    if not isinstance(given, dict) or any(isinstance(value, str | dict | list) and value for value in given.values()):
        return ""
    return ", ".join(f"{key}: {json.dumps(value)}" for key, value in given.items() if value not in ("", [], {}, None))


def _first_words(given: Any) -> str:
    """The first question of a call that asks several."""
    lists = [value for value in given.values() if isinstance(value, list)] if isinstance(given, dict) else []
    first = lists[0][0] if len(given or ()) == len(lists) == 1 and lists[0] else None
    texts = (first.get(key) for key in _ASKED) if isinstance(first, dict) else ()
    return next((text for text in texts if isinstance(text, str)), "")


def output_line(first: str) -> str:
    """The first line of an output: the number that a tool wrote before it stands at the edge."""
    return _LINE_NUMBER.sub(r"\1  ", first, count=1) if _LINE_NUMBER.match(first) else first


def output_words(text: str) -> str:
    """An output without what its agent wraps around it: what the command wrote, what the file holds."""
    if text.startswith(_IN_JSON) and len(text) <= _MOST:
        try:
            kept = json.loads(text)
        except (ValueError, RecursionError):
            return text
        said = next((kept[key] for key in ("output", "result") if isinstance(kept.get(key), str)), None)
        return text if said is None else said
    found = _AROUND.match(text)
    if found is None:
        return text
    if found.end() == len(text) and (ended := _ENDED.search(text)) is not None:
        return ended[0]
    return text[found.end() :].removesuffix("</tool_use_error>") or text


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


def _does(call: Block, given: Any, folder: str | None, known: tuple[Any, Understood | None] | None) -> str:
    """`src/app.py  +2 -1` for an edit of a file; the script of a shell's arguments."""
    texts = given.values() if isinstance(given, dict) else (given,)
    if sum(len(text) for text in texts if isinstance(text, str)) > _MOST:
        return ""
    does = known[1] if known is not None else understood(call.name, given)
    if isinstance(does, Command):
        words = in_one_line(does.line)
        # Agents go to the session's folder again and again; a row has no room for it.
        return words.removeprefix(f"cd {folder} && ") if folder else words
    if not isinstance(does, Edits):
        return ""
    where = from_folder(does.files[0].path, folder) if len(does.files) == 1 else plural(len(does.files), "file")
    return f"{where}  {counts_words(*counts_of(does))}"


def in_one_line(script: str) -> str:
    """The script of a shell on one line, as one would type it there."""
    script = script.replace("\\\r\n", " ").replace("\\\n", " ").strip()
    if "\n" not in script or "<<" in script:  # What a document says is no command.
        return " ".join(script.split())
    whole = _SPAN.sub(lambda found: found.group().replace("\n", " "), script)
    lines = [" ".join(line.split()) for line in whole.split("\n") if line.strip()]
    ends = (" " if _GOES_ON.search(line) else "; " for line in lines[:-1])
    return "".join(part for both in zip(lines, (*ends, ""), strict=True) for part in both)


def counts_of(edits: Edits) -> tuple[int, int]:
    """How many lines are added in all files, and how many removed."""
    return sum(file.counts[0] for file in edits.files), sum(file.counts[1] for file in edits.files)
