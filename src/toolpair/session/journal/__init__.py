"""What is applied and not saved, kept beside the user's other state: a crash, a kill or a closed terminal loses none.

One small file for each open session, found by the session's path. It holds decisions: rules, ids, places, the names of
fixes, and what the person has typed; nothing else of the session. It goes when the session is saved or closed.
"""

from toolpair.session.journal.folder import Folder, Unsafe
from toolpair.session.journal.journal_entry import DamagedEntry, JournalEntry, JournalRow, Newer, Step
from toolpair.session.journal.keeper import Keeper
from toolpair.session.journal.left import UnsavedWork, left_for
from toolpair.session.journal.taking_up import TakenUp, since, take_up

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
