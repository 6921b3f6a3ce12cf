"""Suggestions for a mistyped name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

COMMANDS_ELSEWHERE: Final = {
    "version": "--version",
    "open": "FILE",
    "view": "FILE",
    "show": "FILE",
    "list": "sessions",
    "ls": "sessions",
    "lint": "check",
    "validate": "check",
    "verify": "check",
    "repair": "fix",
    "heal": "fix",
    "undo": "restore",
    "samples": "demo",
    "examples": "demo",
}
"""What other programs call our commands."""


def closest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The name most similar to what was typed; None when none is."""
    import difflib

    names = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold().strip(), names, n=1, cutoff=cutoff)
    return names[found[0]] if found else None


def command_meant(word: str, commands: Iterable[str]) -> str | None:
    """The command or option that was meant by an unknown word."""
    return COMMANDS_ELSEWHERE.get(word.casefold()) or closest(word, commands)
