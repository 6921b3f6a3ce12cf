"""Quoting for a POSIX shell: each word passes exactly one argument, fits on one line, and can be shown as it is."""

from __future__ import annotations

import os
import shlex
from unicodedata import category

_SHAPELESS = "\u115f\u3164\uffa0"
"""Invisible letters."""
_PILED = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF), (0x1F3FB, 0x1F3FF))
"""Characters besides marks that terminals draw on top of the one before."""


def can_be_typed(text: str) -> bool:
    """Whether the text can be passed to a program at all: NUL ends an argument, half a surrogate pair has no bytes."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def word(text: str) -> str:
    """The text as one shell word, quoted only where necessary. It must pass `can_be_typed`."""
    if all(map(_is_plain, text)):
        return shlex.quote(text)
    if text.endswith("\n"):
        # Command substitution would strip line ends; only bash, zsh, ksh and newer shells know `$'…'`.
        return "$'" + "".join(_escaped(char, "\\'") for char in text) + "'"
    escaped = "".join(_escaped(char, "\\%'") for char in text)
    return f"\"$(printf '{_octal('-') + escaped[1:] if escaped.startswith('-') else escaped}')\""


def operand(path: str) -> str:
    """A file or folder name as one word that no program takes for an option."""
    return word(f"./{path}" if path.startswith(("-", "+")) else path)


def _is_plain(char: str) -> bool:
    if " " <= char <= "~":
        return True
    if not char.isprintable() or char in _SHAPELESS or category(char).startswith("M"):
        return False
    return not any(first <= ord(char) <= last for first, last in _PILED)


def _escaped(char: str, special: str) -> str:
    return char if " " <= char <= "~" and char not in special else _octal(char)


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char))
