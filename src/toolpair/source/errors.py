"""What can go wrong with a file. Every message is one sentence for a person."""

from __future__ import annotations


class UnreadableFile(Exception):
    """The bytes cannot be read as a session file."""


class TooLarge(UnreadableFile):
    """They may be a session, but are more than a limit allows, or than memory holds."""


class Refused(Exception):
    """Nothing was written, because writing could lose something.

    `reason` is for programs: "changed", "gone", "held", "hard-links", "read-only", "exists", "no-folder",
    "not-regular", "no-file", "name-too-long", "backups", "form" (it cannot be written as it was read).
    """

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason


class SaveFailed(Exception):
    """The system failed while saving; the text says which state the file is in."""
