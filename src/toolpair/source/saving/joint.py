"""What was appended to an old text, behind the new one, so that no two records are fused."""

from __future__ import annotations


def joint(old: bytes, new_end: bytes, added: bytes) -> bytes | None:
    """The bytes that belong between the new text and `added`; None when `added` has no place behind it.

    `old` is the text that `added` followed, `new_end` what stands behind the new text's last line end.
    """
    old_end = old[old.rfind(b"\n") + 1 :]
    if old_end == new_end:
        # Complete lines on both sides, or the same unfinished line that `added` goes on with.
        return b""
    if not old_end:
        return b"\n"
    if new_end and added.startswith((b"\n", b"\r\n")):
        return b""
    return None
