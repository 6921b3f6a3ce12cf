"""Exit codes, the same words everywhere."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which is slow to load
if TYPE_CHECKING:
    from typing import Final

OK: Final = 0
PROBLEMS: Final = 1
"""check: error-level problems; fix: written, but some are left; explain: the text is not known."""
UNREADABLE: Final = 2
"""Not readable, not recognised, no transcript in it, or bad usage."""
REFUSED: Final = 3
"""Nothing was written: the file changed, the output exists, it is not permitted."""
READ_THE_NOTE: Final = 4
"""Written, but there is something to know; wins over PROBLEMS."""
IO_FAILED: Final = 5
"""The system failed in mid-work; the text says which state the file is in."""
INTERRUPTED: Final = 130
"""Ctrl+C."""


def by_signal(number: int) -> int:
    """The exit code of a program that a signal has ended, as a shell tells it."""
    return 128 + number
