"""Joining what was appended to the old text onto the new one, without fusing two records."""

from __future__ import annotations


def joint(old: bytes, new_end: bytes, added: bytes) -> bytes | None:
    """The bytes needed between the new text and `added`; None when `added` cannot follow it.

    `old` is the text that `added` followed, `new_end` is what follows the last line end of the new text.
    """
    old_end = old[old.rfind(b"\n") + 1 :]
    if old_end == new_end:
        # Complete lines on both sides, or the same unfinished line, which `added` continues.
        return b""
    if not old_end:
        return b"\n"
    if new_end and added.startswith((b"\n", b"\r\n")):
        return b""
    return None
