"""Claude Code: `projects/<folder as a name>/<session id>.jsonl` under its configuration folder."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from toolpair.agents import peek
from toolpair.agents.found import Found
from toolpair.agents.machine import Machine

LONGEST_NAME: Final = 200
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")
_COMMAND: Final = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_NOT_WORDS: Final = ("<local-command-", "<task-notification>", "<system-reminder>", "[Request interrupted", "Caveat: ")


def folder_name(folder: str) -> str:
    """The name that Claude Code gives a project's folder: all but letters and digits as `-`.

    Behind 200 characters it adds a hash of its own making, which is left out here.
    """
    return _OTHER.sub("-", unicodedata.normalize("NFC", folder))[:LONGEST_NAME]


def is_name_of(name: str, folder: str) -> bool:
    """Whether `name` is what Claude Code calls `folder`."""
    wanted = folder_name(folder)
    return name == wanted or (len(wanted) == LONGEST_NAME and name.startswith(f"{wanted}-"))


class ClaudeCode:
    id = "claude-code"
    title = "Claude Code"

    def home(self, machine: Machine) -> Path:
        """Its configuration folder."""
        return machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "projects",)

    def sessions(self, machine: Machine) -> Iterator[Found]:
        for root in self.roots(machine):
            for project in peek.entries(root):
                if peek.is_folder(project):
                    yield from self._in(project.path)

    def _in(self, project: str) -> Iterator[Found]:
        for entry in peek.entries(project):
            name = entry.name
            if not name.endswith(".jsonl") or name.startswith("agent-"):
                continue
            found = peek.regular(entry)
            if found is not None:
                yield Found(self.id, self.title, entry.path, name[:-6], found.st_mtime, found.st_size)

    def belongs(self, found: Found, folder: str) -> bool:
        return is_name_of(os.path.basename(os.path.dirname(found.path)), folder)

    def describe(self, found: Found) -> tuple[str | None, str | None]:
        start = peek.head(found.path)
        words, folders = None, peek.folders_in(start)
        for size in peek.TAILS:
            end = peek.tail(found.path, size)
            folders += peek.folders_in(end)
            words = next((said for record in peek.records_backwards(end) if (said := user_words(record))), None)
            if words is not None or size >= found.size:
                break
        if words is None:
            words = next((said for record in peek.records_backwards(start) if (said := user_words(record))), None)
        # The file lies where the session began; the agent may have gone into other folders since.
        name = os.path.basename(os.path.dirname(found.path))
        return next((folder for folder in folders if is_name_of(name, folder)), next(iter(folders), None)), words


def user_words(record: dict[str, Any]) -> str | None:
    """What the user said in a record; None when it is none of theirs."""
    kind = record.get("type")
    if kind == "last-prompt":
        return peek.one_line(record.get("lastPrompt"))
    if kind != "user" or any(record.get(key) for key in ("isMeta", "isSidechain", "isCompactSummary")):
        return None
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        if any(isinstance(block, dict) and block.get("type") == "tool_result" for block in content):
            return None
        texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        content = " ".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str) or content.lstrip().startswith(_NOT_WORDS):
        return None
    command = _COMMAND.search(content[:2000])
    if command is not None:
        arguments = _ARGUMENTS.search(content[:2000])
        content = f"{command.group(1)} {arguments.group(1) if arguments else ''}"
    return peek.one_line(content)


AGENT: Final = ClaudeCode()
