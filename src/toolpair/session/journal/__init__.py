"""The journal: applied but unsaved fixes, kept in the user's state folder so that a crash or a closed terminal loses
none.

One small file per open session, found by the session's path. It holds decisions: rules, ids, places, fix names, and
what the user typed; nothing else of the session. It is deleted when the session is saved or closed.
"""

from toolpair.session.journal.folder import Folder, Unsafe
from toolpair.session.journal.journal_entry import DamagedEntry, JournalEntry, JournalRow, Newer, Step
from toolpair.session.journal.keeper import Keeper
from toolpair.session.journal.left import TakenUp, UnsavedWork, left_for, since, take_up

__all__ = [
    "DamagedEntry",
    "Folder",
    "JournalEntry",
    "JournalRow",
    "Keeper",
    "Newer",
    "Step",
    "TakenUp",
    "Unsafe",
    "UnsavedWork",
    "left_for",
    "since",
    "take_up",
]
