"""File names as one word of a POSIX shell, safe to print and right when it is pasted."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from toolpair.text.safe import SafeText, visible


def shell_word(path: str | Path) -> SafeText:
    """`path` quoted; with characters that cannot be shown as `$'...'`, which bash, zsh and ksh understand."""
    name = str(path)
    if name.startswith("-"):
        name = f"./{name}"
    if visible(name) == name:
        return SafeText(shlex.quote(name))
    return SafeText("$'" + "".join(map(_escaped, name)) + "'")


def _escaped(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if " " <= char <= "~":
        return char
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char))
