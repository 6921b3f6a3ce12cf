"""An error text on standard input."""

from __future__ import annotations

import sys
from typing import Final

from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import is_terminal, say
from toolpair.rules.errors.pasted import LIMIT

_MOST: Final = 64 << 20
"""Bytes of standard input: no error text is longer."""


def pasted() -> str:
    """The text on standard input. Raises UsageError if there is none."""
    if is_terminal(sys.stdin):
        say("Paste the error text, then press enter and ctrl+d.")
    data = sys.stdin.buffer.read(_MOST + 1) if sys.stdin is not None else b""
    if not data.strip():
        raise UsageError("Standard input is empty: copy the error text first, or give it as an argument.")
    if len(data) > _MOST:
        raise UsageError(f"Standard input has more than {_MOST >> 20} MB, too long for an error text.")
    try:
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if wide else "utf-8-sig", "replace")
    except UnicodeError:
        text = ""
    if not text or "\0" in text or text.count("\ufffd") * 10 > len(text):
        raise UsageError(f"Standard input is not text ({len(data):,} bytes); copy the error as text.")
    if len(text) > LIMIT:
        say(f"Of {len(text):,} characters only the last {LIMIT:,} are read.")
    return text
