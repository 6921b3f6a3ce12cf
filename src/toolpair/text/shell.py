"""File names quoted for a POSIX shell, safe to print and right when pasted."""

from __future__ import annotations

from pathlib import Path

from toolpair.shell.quoting import operand
from toolpair.text.safe import SafeText


def shell_word(path: str | Path) -> SafeText:
    """`path` as one word that is never an option; characters that cannot be shown are produced by `printf`."""
    return SafeText(operand(str(path)))
