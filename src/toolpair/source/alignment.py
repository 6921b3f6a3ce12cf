"""The common prefix and suffix of two texts."""

from __future__ import annotations

from collections.abc import Iterator


def against(new: bytes, old: bytes, place: int) -> Iterator[tuple[bytes, int | None]]:
    """`new` in three pieces, with old offsets: the prefix shared with `old`, what differs (None), the shared suffix."""
    start = _between_characters(new, common_start(new, old))
    room = min(len(new), len(old)) - start
    back = common_start(new[: -room - 1 : -1], old[: -room - 1 : -1]) if room else 0
    while back and new[len(new) - back] & 0xC0 == 0x80:
        back -= 1
    yield new[:start], place
    yield new[start : len(new) - back], None
    yield new[len(new) - back :], place + len(old) - back


def _between_characters(text: bytes, at: int) -> int:
    while 0 < at < len(text) and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def common_start(one: bytes, other: bytes) -> int:
    """The length of the common prefix, by bisection: comparing slices is faster than comparing bytes."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
