"""Saving, such that at any instant the file is either the old one or the new one.

The new bytes go to a temporary file next to the target, are flushed and read back, and take over the target's name by
an atomic rename. No file that toolpair leaves besides the output ends in .json or .jsonl: agents list those.
"""

from toolpair.source.saving.backups import Backup, asides, backups, limit_of_backups
from toolpair.source.saving.in_place import FileSave
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.opened_content import remembered, source_of
from toolpair.source.saving.restoring import restore
from toolpair.source.saving.save_result import SaveResult
from toolpair.source.saving.streaming import Progress, Source
from toolpair.source.saving.sweeping import Leftover, leftovers

__all__ = [
    "Backup",
    "FileSave",
    "Leftover",
    "Progress",
    "SaveResult",
    "Source",
    "asides",
    "backups",
    "leftovers",
    "limit_of_backups",
    "remembered",
    "restore",
    "save_as",
    "source_of",
]
