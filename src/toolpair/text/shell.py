"""File names as one word of a POSIX shell, safe to print and right when it is pasted."""

from __future__ import annotations

from pathlib import Path

from toolpair.shell.quoting import operand
from toolpair.text.safe import SafeText


def shell_word(path: str | Path) -> SafeText:
    """`path` quoted, and never an option; a name with characters that cannot be shown is made by `printf`."""
    return SafeText(operand(str(path)))
