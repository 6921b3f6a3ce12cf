"""The file to be replaced, held open: whether it has changed, whether somebody writes to it, what was appended."""

from __future__ import annotations

import errno
import os
import time
from typing import Final, Literal

from msgspec import Struct

from toolpair.source.byte_runs import OriginalRun
from toolpair.source.errors import Refused
from toolpair.source.fingerprint import Fingerprint, Identity
from toolpair.source.saving.checks import changed
from toolpair.source.saving.holders import Holder, writers
from toolpair.source.saving.leases import POLL, Leased
from toolpair.source.saving.made import Made
from toolpair.source.saving.opened_content import known
from toolpair.source.saving.streaming import Source, begins, last_line, read_at, same
from toolpair.source.saving.temporary import Temporary
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import O_NOFOLLOW, O_WAITLESS, Io, open_leased

_HELD: Final = 0.3
"""Seconds to wait for a writer to close the file before anything is done."""
_SETTLE: Final = 3.0
"""Seconds within which the file must stop changing once."""
_DRAIN: Final = 1.0
"""Seconds to wait for a writer of the old file after the rename."""
_UNGUARDED: Final = 0.05
"""The same where the system cannot tell when the writer is done."""


class Old(Struct, frozen=True):
    """What is known of the file from when it was read.

    `content` is what it held, or its fingerprint if that is not in memory; None when only the identity counts.
    `appendable`: what other programs append may also follow the new content, as records of their own.
    """

    path: str
    shown: str
    identity: Identity
    content: bytes | Fingerprint | None
    appendable: bool = False

    @classmethod
    def of(cls, snapshot: Snapshot, *, appendable: bool = False) -> Old:
        """The file that a snapshot was read from. Raises Refused if there is none."""
        if snapshot.path is None or snapshot.identity is None:
            raise Refused(
                "There is no file to save to, because it came from standard input; save it under a name.", "no-file"
            )
        return cls(str(snapshot.path), snapshot.shown, snapshot.identity, known(snapshot), appendable)


class Drained(Struct, frozen=True):
    """What happened to the old file while it was replaced.

    late: "none": nothing was written to it; "brought": what was written is in the new file; "left": it is only in the
    old one.
    held: somebody still has the old file open for writing; `holders` are those that this user can see.
    unseen: this user cannot see whether anybody has.
    """

    late: Literal["none", "brought", "left"] = "none"
    held: bool = False
    holders: tuple[Holder, ...] = ()
    unseen: bool = False


class Replaced:
    """The old file, open for reading. Its methods raise Refused or OSError."""

    def __init__(self, old: Old, made: Made, io: Io) -> None:
        self._old = old
        self._known = old.identity
        self._io = io
        self._added = 0
        """Bytes appended after the old content that were carried over."""
        self._brought: tuple[int, int] | None = None
        """Descriptor of the new file that holds them too, and how many bytes further on they are there."""
        self.appended = 0
        """Bytes written after the new content: the appended ones, with a line end before them if one was needed."""
        try:
            self.descriptor = open_leased(lambda: io.open(old.path, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS))
        except FileNotFoundError:
            raise Refused(f"{old.shown} has disappeared since it was opened; save under a new name.", "gone") from None
        except BlockingIOError:
            raise Refused(f"{old.shown} is locked by another program; try again when that is done.", "held") from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise Refused(changed(old.shown), "changed") from None
            if error.errno == errno.EACCES:
                raise Refused(f"You are not allowed to read {old.shown}; check its permissions.", "read-only") from None
            raise
        made.descriptors.append(self.descriptor)
        self._lease = Leased(self.descriptor, io)
        self._at_rename: os.stat_result | None = None
        self._was_held = False
        """Whether somebody had the old file open for writing after the rename."""

    # --- before anything is written

    def lock(self) -> None:
        """Lock out other toolpair processes. Where locks do not work, the later comparisons must suffice."""
        try:
            self._io.flock(self.descriptor)
        except BlockingIOError:
            raise Refused(
                f"Another program has locked {self._old.shown}, most likely another toolpair that is saving it; try "
                "again when it is done.",
                "held",
            ) from None
        except OSError:
            pass

    def stat(self) -> os.stat_result:
        return self._io.fstat(self.descriptor)

    def names_removed(self, before: os.stat_result) -> None:
        """Allow for hard links removed since `before`, which changes one of the file's times.

        If the content is known it is compared, because an edit that keeps size and modification time changes that time
        as well.
        """
        found = self.stat()
        if self._old.content is not None or before.st_nlink == found.st_nlink:
            return
        same = (before.st_size, before.st_mtime_ns) == (found.st_size, found.st_mtime_ns)
        if same and Identity.of(before) == self._known:
            self._known = Identity.of(found)

    def refuse_writer(self) -> None:
        """Refuse while a process has the file open for writing."""
        deadline = time.monotonic() + _HELD
        while (state := self._lease.take("read")) == "held":
            if time.monotonic() > deadline:
                raise self._held()
            time.sleep(POLL)
        if state == "granted":
            self._lease.drop()
        elif writers(self._old.path, self.stat()):
            raise self._held()

    def refuse_changed(self) -> None:
        """Refuse a file that has changed since it was read, other than by appends that can be carried over."""
        found, there = self.stat(), self._stat_path()
        if (found.st_dev, found.st_ino) != (self._known.dev, self._known.ino) or not os.path.samestat(found, there):
            raise Refused(changed(self._old.shown), "changed")
        if Identity.of(found) != self._known:
            if not self._still_begins(found):
                raise Refused(changed(self._old.shown), "changed")
            self._known = Identity.of(found)

    def _stat_path(self) -> os.stat_result:
        try:
            return self._io.stat(self._old.path)
        except FileNotFoundError:
            raise Refused(
                f"{self._old.shown} has disappeared since it was opened; save under a new name.", "gone"
            ) from None

    @property
    def _size(self) -> int:
        """Bytes of the old file that the new one accounts for."""
        return self._old.identity.size + self._added

    def _still_begins(self, found: os.stat_result) -> bool:
        """Whether the file is what was read, followed by nothing or by something that can be carried over."""
        content = self._old.content
        if content is None or found.st_size < self._size:
            return False
        if found.st_size > self._size and not self._old.appendable:
            return False
        if isinstance(content, bytes):
            known = begins(self.descriptor, content, self._io)
        else:
            known = content.size == self._old.identity.size and content.begins(self._read)
        if not known or self._brought is None:
            return known
        new, shift = self._brought
        return same(self.descriptor, new, self._added, shift, self._io, self._old.identity.size)

    def _read(self, size: int, position: int) -> bytes:
        return read_at(self.descriptor, size, position, self._io)

    # --- catching up

    def settle(self, new: Temporary) -> None:
        """Carry over what was appended until nobody is writing. From then on a new writer waits, if leases work."""
        deadline = time.monotonic() + _SETTLE
        while True:
            self.refuse_changed()
            if self.stat().st_size > self._size and not self._bring_over(new):
                raise Refused(changed(self._old.shown), "changed")
            state = self._lease.take("read")
            if state != "held":
                self.refuse_changed()
                # Without a lease more may arrive at any time: everything seen last must be accounted for.
                if self._known.size == self._size:
                    return
            if state == "granted":
                self._lease.drop()
            if time.monotonic() > deadline:
                raise self._held()
            time.sleep(POLL)

    def _bring_over(self, new: Temporary, whole: bool = False) -> bool:
        """Write new bytes at the end of the old file to the new one; with `whole`, no unfinished line.

        False when some of it is missing afterwards, because it cannot follow the new content.
        """
        begin, end = self._size, self.stat().st_size
        rest = len(last_line(self.descriptor, end, self._io, begin)) if whole else 0
        end -= rest
        if end <= begin:
            return end == begin and not rest
        between = b""
        if not self._added:
            old_end = last_line(self.descriptor, begin, self._io)
            found = joint(old_end, new.last_line(), read_at(self.descriptor, 2, begin, self._io))
            if found is None:
                return False
            between = found
        size = new.size
        try:
            new.append([between, OriginalRun(begin, end)], Source(self.descriptor))
        except BaseException:
            new.cut_back(size, end - begin + 1)
            raise
        self._brought = self._brought or (new.descriptor, size + len(between) - begin)
        self._added += end - begin
        self.appended += new.size - size
        return not rest

    # --- the rename

    def just_before(self, backup: os.stat_result | None) -> os.stat_result:
        """The last check: the name still belongs to this file, and so does the hard-linked backup."""
        found = self.stat()
        if not os.path.samestat(found, self._stat_path()) or (
            backup is not None and not os.path.samestat(found, backup)
        ):
            raise Refused(changed(self._old.shown), "changed")
        # Linking the backup changed the file's ctime; everything else must be the same.
        if (found.st_size, found.st_mtime_ns) != (self._known.size, self._known.mtime_ns):
            raise Refused(changed(self._old.shown), "changed")
        self._at_rename = found
        return found

    def drain(self, new: Temporary, name: str) -> Drained:
        """Wait for those who opened the old file in time, and carry over what they wrote; `name` is its name now."""
        before = self._at_rename
        assert before is not None
        renamed = self.stat()  # the lease, if there is one, still holds every writer off
        held, holders = self._wait(name)
        found = self.stat()
        late: Literal["none", "brought", "left"] = "none"
        if (found.st_size, found.st_mtime_ns) != (before.st_size, before.st_mtime_ns) or self._is_edited(
            renamed, found
        ):
            late = "left"
            if self._old.appendable and found.st_size > self._size and self._still_begins(found):
                # Its writer may be completing a line: the rest would go to the old file, and the new one would keep
                # half a line.
                late = "brought" if self._bring_over(new, whole=held) else "left"
        return Drained(late, held, holders, not held and self._lease.blind(found))

    def _is_edited(self, renamed: os.stat_result, found: os.stat_result) -> bool:
        """Whether an edit has kept size and time, which its writer can set: the time of the change cannot be set."""
        is_touched = found.st_ctime_ns != renamed.st_ctime_ns
        content = self._old.content
        if content is None:
            return is_touched
        # Two changes may have one time. What is in memory is soon compared; a large file only where a writer was seen.
        looks = is_touched or self._was_held or not self._lease.supported or isinstance(content, bytes)
        return looks and not self._still_begins(found)

    def _wait(self, name: str) -> tuple[bool, tuple[Holder, ...]]:
        """Whether a writer is still there, and which ones can be seen."""
        self._lease.drop()
        deadline = time.monotonic() + _DRAIN
        while (state := self._lease.take("read")) == "held":
            self._was_held = True
            if time.monotonic() > deadline:
                return True, tuple(writers(name, self.stat()))
            time.sleep(POLL)
        if state == "granted":
            return False, ()
        time.sleep(_UNGUARDED)
        found = tuple(writers(name, self.stat()))
        return bool(found), found

    def _held(self) -> Refused:
        found = writers(self._old.path, self.stat())
        who = f"Another program ({found[0]})" if found else "Another program"
        return Refused(
            f"{who} has {self._old.shown} open for writing; quit it and try again, or save under a new name.", "held"
        )


def joint(old: bytes, new_end: bytes, added: bytes) -> bytes | None:
    """The bytes needed between the new text and `added`, so as not to fuse two records; None when it cannot follow.

    `old` is the text that `added` followed, `new_end` is what follows the last line end of the new text.
    """
    old_end = old[old.rfind(b"\n") + 1 :]
    if old_end == new_end:
        # Complete lines on both sides, or the same unfinished line, which `added` continues.
        return b""
    if not old_end:
        return b"\n"
    if new_end and added.startswith((b"\n", b"\r\n")):
        return b""
    return None
