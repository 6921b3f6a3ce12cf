"""What a tool call does, read from its name and arguments: a command, edits of files, a to-do list, or none of these.

`understood` knows the tools of the agents by the names of their arguments, so that a new agent's tools are often
understood too. What it returns is data; nothing in it has been made safe to show.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.text.file_diffs import FileDiff, of_apply_patch, of_search_replace, of_strings

TodoState = Literal["done", "doing", "to do"]
TODO_STATES: Final[tuple[TodoState, ...]] = ("done", "doing", "to do")
_DONE: Final = ("completed", "complete", "done")
_DOING: Final = ("in_progress", "doing")
_COMMAND_KEYS: Final = ("command", "cmd", "script")
_PATH_KEYS: Final = ("file_path", "path", "filePath", "notebook_path", "target_file", "filename")
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "powershell", "pwsh"})
_SHELL_TOOL: Final = re.compile(r"bash|shell|exec|command|terminal|run", re.IGNORECASE)
_PATCH: Final = re.compile(r"\*\*\* Begin Patch\n.*?(?:\*\*\* End Patch|\Z)", re.DOTALL)
_LARGEST: Final = 1 << 17
"""Longer texts are not compared: they are shown as arguments."""
_CHECKBOX: Final = re.compile(r"^\s*(?:[-*]\s*)?\[([ xX~-])\]\s*(.+)$")


class Command(Struct, frozen=True):
    """A command for a shell. `used` are the arguments that it was read from, here and below."""

    line: str
    used: tuple[str, ...] = ()


class Edits(Struct, frozen=True):
    """Changes to files."""

    files: tuple[FileDiff, ...]
    used: tuple[str, ...] = ()


class Todo(Struct, frozen=True):
    """A list of things to do."""

    items: tuple[tuple[TodoState, str], ...]
    used: tuple[str, ...] = ()


Understood = Command | Edits | Todo


def understood(name: str | None, arguments: Any) -> Understood | None:
    """What the call does; None where only its arguments can be shown."""
    name = name or ""
    if _size_of(arguments) > _LARGEST:
        return _command(name, arguments) if isinstance(arguments, dict) else None
    if isinstance(arguments, str):
        return _patches(arguments, ())
    if not isinstance(arguments, dict):
        return None
    return todo_in(arguments) or _edits(name, arguments) or _command(name, arguments)


def _size_of(arguments: Any) -> int:
    """About how much text there is in the arguments."""
    if isinstance(arguments, dict):
        return sum(map(_size_of, arguments.values()))
    if isinstance(arguments, list):
        return sum(map(_size_of, arguments[:1000]))
    return len(arguments) if isinstance(arguments, str) else 8


def path_of(arguments: Any) -> str | None:
    """The file that a call is about."""
    if not isinstance(arguments, dict):
        return None
    return next((arguments[key] for key in _PATH_KEYS if isinstance(arguments.get(key), str)), None)


def _command(name: str, given: dict[str, Any]) -> Command | Edits | None:
    for key in _COMMAND_KEYS:
        line = given.get(key)
        if isinstance(line, list) and line and all(isinstance(word, str) for word in line):
            return _patches(line[-1], (key,)) or Command(_joined(line), (key,))
        if isinstance(line, str) and line.strip() and (_SHELL_TOOL.search(name) or key == "cmd"):
            return _patches(line, (key,)) or Command(line, (key,))
    return None


def _joined(words: Sequence[str]) -> str:
    """The words as one line; of `bash -lc SCRIPT` the script."""
    if len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1].startswith("-"):
        return words[2]
    return shlex.join(words)


def _patches(text: str, used: tuple[str, ...]) -> Edits | None:
    found = _PATCH.search(text)
    if found is None:
        return None
    files = tuple(of_apply_patch(found.group()))
    return Edits(files, used) if files else None


def _edits(name: str, given: dict[str, Any]) -> Edits | None:
    for key in ("input", "patch", "patchText"):
        if isinstance(given.get(key), str) and (patch := _patches(given[key], (key,))) is not None:
            return patch
    path = path_of(given)
    if path is None:
        return None
    used = tuple(key for key in _PATH_KEYS if given.get(key) == path)
    if isinstance(given.get("diff"), str):
        hunks = of_search_replace(given["diff"])
        return Edits((FileDiff(path, "edited", hunks),), (*used, "diff")) if hunks else None
    edits = given.get("edits")
    if isinstance(edits, list) and edits:
        parts = [_replacement(edit) for edit in edits]
        hunks = tuple(hunk for part in parts if part is not None for hunk in of_strings(part[0], part[1]))
        if all(part is not None for part in parts):
            return Edits((FileDiff(path, "edited", hunks),), (*used, "edits"))
    replaced = _replacement(given)
    if replaced is not None:
        return Edits((FileDiff(path, "edited", of_strings(replaced[0], replaced[1])),), (*used, *replaced[2]))
    for key in ("content", "file_text", "contents"):
        if isinstance(given.get(key), str) and re.search(r"write|create|new", name, re.IGNORECASE):
            return Edits((FileDiff(path, "written", of_strings("", given[key])),), (*used, key))
    return None


def _replacement(given: Any) -> tuple[str, str, tuple[str, ...]] | None:
    """The text before, the text after, and which arguments have them."""
    if not isinstance(given, dict):
        return None
    for old, new in (
        ("old_string", "new_string"),
        ("old_str", "new_str"),
        ("oldText", "newText"),
        ("oldString", "newString"),
        ("search", "replace"),
    ):
        if isinstance(given.get(old), str) and isinstance(given.get(new), str):
            return given[old], given[new], (old, new)
    return None


def todo_in(given: Any) -> Todo | None:
    """The list of things to do that a call's arguments are."""
    if not isinstance(given, dict):
        return None
    for key in ("todos", "plan", "items"):
        items = given.get(key)
        if isinstance(items, str):
            boxes = [found for line in items.split("\n") if (found := _CHECKBOX.match(line)) is not None]
            if boxes and len(boxes) == sum(bool(line.strip()) for line in items.split("\n")):
                return Todo(tuple((_box(box.group(1)), box.group(2)) for box in boxes), (key,))
        if not isinstance(items, list) or not items:
            continue
        read = [_item(item) for item in items]
        if all(item is not None for item in read):
            return Todo(tuple(item for item in read if item is not None), (key,))
    return None


def _item(item: Any) -> tuple[TodoState, str] | None:
    if not isinstance(item, dict) or not isinstance(item.get("status"), str):
        return None
    words = next(
        (item[key] for key in ("content", "step", "text", "title", "task") if isinstance(item.get(key), str)), None
    )
    return (
        None
        if words is None
        else ("done" if item["status"] in _DONE else "doing" if item["status"] in _DOING else "to do", words)
    )


def _box(sign: str) -> TodoState:
    return "done" if sign in "xX" else "to do" if sign == " " else "doing"
