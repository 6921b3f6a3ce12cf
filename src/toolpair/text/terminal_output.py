"""What a command printed, as a terminal would show it in the end: without control sequences."""

from __future__ import annotations

import re
from typing import Final

_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_OVERWRITTEN: Final = re.compile(r"[^\r\n]*\r+(?=[^\r\n])")
"""The start of a line that a progress bar then writes over."""
_OVERSTRUCK: Final = re.compile(r"[^\n\x08]\x08")


def as_shown(text: str) -> str:
    """`text` without colours and other sequences; of a line that was written over only its last state."""
    if "\x1b" in text or "\x9b" in text:
        text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text).replace("\r\n", "\n")
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    return text
