"""User messages that Gemini CLI leaves out when it resumes: it takes them for commands, or for a context of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.engine.damage.own_problems import add_error, recommended
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause
from toolpair.transcript.edits import Edit, InsertRecord, SetInRecord

RULE: Final = "record.left_out"
NOTE: Final = "[The user wrote:]"
"""In front of such a message it is sent, with every word."""
_IGNORED: Final = ("/", "?", "<session_context>", "<hook_context>")
"""Beginnings of a user's text by which the agent leaves a message out."""
_OWN_CONTEXT: Final = re.compile(r"\s*<(session_context|hook_context)>.*?(?:</\1>|\Z)", re.DOTALL)
_SHOWN: Final = (
    "videoMetadata",
    "thought",
    "codeExecutionResult",
    "executableCode",
    "fileData",
    "functionCall",
    "functionResponse",
    "inlineData",
)
"""Fields of a part that the agent reads as words."""
COMMANDS: Final = {
    "about", "agents", "auth", "background", "bg", "bug", "bug-memory", "chat", "checkpoint", "clear", "commands",
    "compact", "compress", "copy", "corgi", "dir", "directory", "docs", "editor", "exit", "export-session",
    "extensions", "footer", "gemma", "help", "hooks", "ide", "init", "load", "login", "logout", "mcp", "memory",
    "model", "new", "oncall", "permissions", "plan", "policies", "privacy", "quit", "restore", "resume", "rewind",
    "settings", "setup-github", "shells", "shortcuts", "skills", "stats", "statusline", "summarize", "tasks",
    "terminal-setup", "theme", "tools", "upgrade", "usage", "vim", "voice",
}  # fmt: skip
"""The agent's own commands, which are not for the model. It records none of them; what else begins with `/` is sent."""


def is_left_out(content: Any) -> bool:
    text = _words(content).strip()
    return not text or text.startswith(_IGNORED)


def typed_words(content: Any) -> str:
    """What a person wrote to the model in a message that is left out."""
    text = _words(content).strip()
    while (context := _OWN_CONTEXT.match(text)) is not None:
        text = text[context.end() :].strip()
    command = re.match(r"/([a-z-]+)(?:\s|\Z)", text)
    is_command = command is not None and command[1] in COMMANDS
    return "" if is_command or not any(map(str.isalnum, text)) else text


Slot = tuple[str | int, ...]


class UnsentWords(Struct, eq=False):
    """A message of the user."""

    record: int
    slot: Slot
    value: Mapping[str, Any]
    missing: tuple[int, Slot] | None = None
    """For one that an earlier resume left out of the list of messages: the record and the place in its list."""


def check(context: Context, messages: Sequence[UnsentWords]) -> None:
    """Report a user's words that are not sent."""
    for message in messages:
        content = message.value.get("content")
        if not is_left_out(content) or not (words := typed_words(content)):
            continue
        noted = list(_with_note(content))
        if message.missing is None:
            edit: Edit = SetInRecord(message.record, (*message.slot, "content"), noted)
            says, title = "Gemini CLI leaves out what you wrote here", f'put "{NOTE}" before it, so that it is sent'
        else:
            edit = InsertRecord({**message.value, "content": noted}, *message.missing)
            says = "At an earlier resume Gemini CLI left out what you wrote here"
            title = f'bring it back, with "{NOTE}" before it'
        cause = Cause(RULE, f"the message begins as {'a command' if words[0] in '/?' else 'one of the agent'} does")
        fix = recommended("note-in-front", title, edit)
        add_error(context, RULE, f"{says}{_reason(words)}.", message.record, "loses", cause, fix)


def _reason(words: str) -> str:
    return f', because it begins with "{words[0]}"' if words[0] in "/?" else ""


def _with_note(content: Any) -> Iterator[Any]:
    yield {"text": NOTE}
    if isinstance(content, list):
        yield from content
    else:
        yield {"text": content} if isinstance(content, str) else content


def _words(content: Any) -> str:
    """A content as the agent reads it to tell what it is."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(_words, content))
    if not isinstance(content, dict):
        return ""
    if any(key in content for key in _SHOWN):
        return "[…]"
    text = content.get("text")
    return "" if text is None else str(text)
