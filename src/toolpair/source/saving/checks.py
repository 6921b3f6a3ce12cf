"""Checks before a save: whether the file can be replaced at all."""

from __future__ import annotations

import errno
import os
import stat

from toolpair.source.errors import Refused
from toolpair.source.system import keeps_names


def refuse_unwritable(path: str, shown: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Refused(changed(shown), "changed")
    if not found.st_mode & 0o222:
        raise Refused(f"{shown} is read-only; make it writable, or save under a new name.", "read-only")
    if not os.access(path, os.W_OK):
        raise Refused(f"You are not allowed to write to {shown}; save under a new name.", "read-only")
    refuse_folder(os.path.dirname(path), shown, "save under a new name in another folder")
    if keeps_names(path):
        raise Refused(
            f"{shown} is protected by an attribute (chattr), so it cannot be replaced; save under a new name.",
            "read-only",
        )
    if is_protected(os.stat(os.path.dirname(path)), found):
        raise Refused(
            f"{shown} belongs to another user, and in its folder only that user may replace it; save under a new name.",
            "read-only",
        )


def is_protected(folder: os.stat_result, found: os.stat_result) -> bool:
    """Whether only owners may rename and delete in the folder (sticky bit, as on /tmp), and this user is not one.

    A save would fail half way there, and the backup's hard link could not be removed again.
    """
    return (
        bool(folder.st_mode & stat.S_ISVTX)
        and hasattr(os, "geteuid")
        and os.geteuid() not in (0, found.st_uid, folder.st_uid)
    )


def refuse_folder(folder: str, shown: str, advice: str) -> None:
    if not os.path.isdir(folder):
        raise Refused(f"The folder of {shown} does not exist; create it or give another name.", "no-folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"You are not allowed to write to the folder of {shown}; {advice}.", "read-only")
    if keeps_names(folder):
        raise Refused(
            f"The folder of {shown} is protected by an attribute (chattr): no file in it can be replaced or removed; "
            f"{advice}.",
            "read-only",
        )


def refuse_name(shown: str) -> None:
    """Refuse a name of a folder, and one that is longer than the file system's."""
    if os.path.basename(shown) in ("", os.curdir, os.pardir):
        raise Refused(f"{shown} is the name of a folder; give the name of a file.", "not-regular")
    try:
        os.lstat(shown)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise Refused(f"The name of {shown} is too long; give a shorter one.", "name-too-long") from None


def refuse_links(shown: str, found: os.stat_result, allowed: bool) -> bool:
    """Whether the file has other hard links. Raises Refused if it has and they are not allowed."""
    if found.st_nlink > 1 and not allowed:
        raise Refused(
            f"{shown} has other names (hard links) that would keep the old content; save under a new name, or allow "
            "it.",
            "hard-links",
        )
    return found.st_nlink > 1


def changed(shown: str) -> str:
    return f"{shown} has changed since it was opened; open it again, or save under a new name."


def exists(shown: str) -> str:
    return f"{shown} already exists; give another name, or allow it to be replaced (--force)."
