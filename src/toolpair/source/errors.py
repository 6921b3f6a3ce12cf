"""What can go wrong with a file. Every message is one sentence for a person."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


class UnreadableFile(Exception):
    """The bytes cannot be read as a session file."""


class NotUnderstood(UnreadableFile):
    """Nothing in it is understood. The sentence is made when it is asked for: it tries what would understand it."""

    def __init__(self, sentence: Callable[[], str]) -> None:
        super().__init__()
        self._sentence = cache(sentence)

    def __str__(self) -> str:
        return self._sentence()


class OnlyShown(NotUnderstood):
    """It is an agent's, and what is known of its files was never compared with that agent: it can be looked at and
    exported by the table of this name, and nothing is said of whether it is sound.
    """

    def __init__(self, sentence: Callable[[], str], form: str) -> None:
        super().__init__(sentence)
        self.form = form


class UnknownForm(NotUnderstood):
    """No format and no form that is known fits it; a table may be drafted for it."""


class TooLarge(UnreadableFile):
    """It may be a session, but is larger than a limit, or than memory, allows."""


class IsDatabase(UnreadableFile):
    """It is a database, which may hold many sessions: it is read another way."""


class Refused(Exception):
    """Nothing was written, because writing could lose something.

    `reason` is for programs: "changed", "gone", "held", "hard-links", "read-only", "exists", "no-folder",
    "not-regular", "no-file", "name-too-long", "backups", "database", "in-the-way" (a record that cannot be read is),
    "form" (it cannot be written the way it was read).
    """

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason


class SaveFailed(Exception):
    """A system call failed during the save; the message says which state the file is in."""
