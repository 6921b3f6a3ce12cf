"""Exit codes, their names, and what ends in one."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which is slow to import
if TYPE_CHECKING:
    from typing import Final

OK: Final = 0
PROBLEMS: Final = 1
"""check: there are errors; fix: written, but some are left; explain: the text is not known."""
UNREADABLE: Final = 2
"""Unreadable, unrecognised, no transcript in it, or bad usage."""
REFUSED: Final = 3
"""Nothing was written: the file changed, the output exists, or it is not permitted."""
READ_THE_NOTE: Final = 4
"""Written, but with a note that matters; takes precedence over PROBLEMS."""
IO_FAILED: Final = 5
"""A system call failed half way; the message says which state the file is in."""
INTERRUPTED: Final = 130
"""Ctrl+C."""


def by_signal(number: int) -> int:
    """The exit code that a shell reports for a program ended by a signal."""
    return 128 + number


class UsageError(Exception):
    """The command was used in a way that cannot be carried out. One sentence; exit code 2."""
