"""What can go wrong with a file. Every message is one sentence for a person."""

from __future__ import annotations


class Unreadable(Exception):
    """The bytes cannot be read as a session file."""


class Refused(Exception):
    """Nothing was written, because writing could lose something."""


class SaveFailed(Exception):
    """The system failed while saving; the text says which state the file is in."""
