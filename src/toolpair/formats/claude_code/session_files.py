"""Claude Code's session files on disk: finding them, their project folder, the user's last text."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from toolpair.formats.claude_code.record_kinds import SUB_AGENT_FILES
from toolpair.source import peek

LONGEST_NAME: Final = 200
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")
_COMMAND: Final = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_NOT_WORDS: Final = ("<local-command-", "<task-notification>", "<system-reminder>", "[Request interrupted", "Caveat: ")


def folder_name(folder: str) -> str:
    """Claude Code's name for a project's folder: everything but letters and digits becomes `-`.

    After 200 characters it adds a hash of its own, which is left out here.
    """
    return _OTHER.sub("-", unicodedata.normalize("NFC", folder))[:LONGEST_NAME]


def is_name_of(name: str, folder: str) -> bool:
    """Whether `name` is Claude Code's name for `folder`."""
    wanted = folder_name(folder)
    return name == wanted or (len(wanted) == LONGEST_NAME and name.startswith(f"{wanted}-"))


def files_below(roots: Iterable[Path]) -> Iterator[tuple[str, str, os.stat_result]]:
    """Each session's path, id and stat; sub-agents' files do not count as sessions."""
    for root in roots:
        for project in peek.entries(root):
            if peek.is_folder(project):
                yield from _in(project.path)


def _in(project: str) -> Iterator[tuple[str, str, os.stat_result]]:
    for entry in peek.entries(project):
        name = entry.name
        if not name.endswith(".jsonl") or name.startswith(SUB_AGENT_FILES):
            continue
        found = peek.regular(entry)
        if found is not None:
            yield entry.path, name[:-6], found


def is_in_folder_of(path: str, folder: str) -> bool:
    """Whether the file is where Claude Code keeps the sessions of this working folder."""
    return is_name_of(os.path.basename(os.path.dirname(path)), folder)


def working_folder_called(name: str, records: Iterable[Any]) -> str | None:
    """The working folder, among those in the records, for which Claude Code uses this name."""
    if not (name.startswith("-") or name[1:3] == "--"):
        return None  # not the name of an absolute path: nothing is read for it
    tried: set[str] = set()
    for record in records:
        folder = record.get("cwd") if isinstance(record, dict) else None
        if isinstance(folder, str) and folder not in tried:
            tried.add(folder)
            if is_name_of(name, folder):
                return folder
    return None


def described(path: str, size: int) -> tuple[str | None, str | None]:
    """The project folder and the user's last text."""
    start = peek.head(path)
    words, pieces = None, [start]
    for length in peek.TAILS:
        end = peek.tail(path, length)
        pieces.append(end)
        words = next((said for record in peek.records_backwards(end) if (said := user_words(record))), None)
        if words is not None or length >= size:
            break
    if words is None:
        words = next((said for record in peek.records_backwards(start) if (said := user_words(record))), None)
    # The file is stored where the session began; the agent may have changed folders since.
    folders: list[str] = []
    for piece in pieces:
        folders += peek.folders_in(piece)
        if (own := next((folder for folder in folders if is_in_folder_of(path, folder)), None)) is not None:
            return own, words
    return next(iter(folders), None), words


def user_words(record: dict[str, Any]) -> str | None:
    """The user's text in a record; None when it is not the user's."""
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
