"""The content of one journal file, as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from msgspec import Struct

from toolpair.recipes.recipe import Options
from toolpair.session.decisions import Applied, Decision
from toolpair.source.file_bytes import Content
from toolpair.source.snapshot import Snapshot

if TYPE_CHECKING:
    from toolpair.rules.profiles import Profile
    from toolpair.session.opening import FileReader, OpenedState
    from toolpair.session.staged import Staged
    from toolpair.session.staging import Staging

_VERSION: Final = 1


class Journaled(Protocol):
    """A session, as far as it is recorded, and replayed on what its file holds later."""

    reader: FileReader
    file: OpenedState
    profile: Profile
    staging: Staging

    @property
    def staged(self) -> Sequence[Staged]: ...

    def set_profile(self, id_: str) -> None: ...


class DamagedEntry(Exception):
    """It cannot be understood."""


class Newer(Exception):
    """It was written by a later version of toolpair."""


class JournalRow(Struct, frozen=True):
    """A row of the review, as needed to apply it again."""

    conversation: int
    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, row: Applied) -> JournalRow:
        return cls(row.conversation, row.decisions)


Step = tuple[JournalRow, ...]
"""The number of its undo step."""


_END: Final = 1 << 16
"""Bytes at the beginning and at the end that are hashed."""
_DIGEST: Final = 16

Since = Literal["same", "grown", "changed"]


class Mark(Struct, frozen=True):
    """Size, modification time and a digest of both ends: whether a file has changed, and nothing of its content."""

    size: int
    mtime_ns: int
    """0 when not known."""
    ends: str

    @classmethod
    def of(cls, snapshot: Snapshot) -> Mark:
        """The mark of a snapshot. Raises Unreadable when the file is no longer the one that was opened."""
        content = snapshot.raw
        mtime = snapshot.identity.mtime_ns if snapshot.identity is not None else 0
        return cls(len(content), mtime, _ends(content, len(content)))

    def since(self, snapshot: Snapshot) -> Since:
        """What has happened to the file: at most appended to, or possibly anything."""
        now = Mark.of(snapshot)
        if now.size < self.size:
            return "changed"
        if now.size > self.size:
            return "grown" if _ends(snapshot.raw, self.size) == self.ends else "changed"
        # The ends of a small file are all of it.
        untouched = now.mtime_ns == self.mtime_ns != 0 or now.size <= 2 * _END
        return "same" if now.ends == self.ends and untouched else "changed"


def _ends(content: Content, size: int) -> str:
    first = content[: min(_END, size)]
    return blake2b(bytes(first) + bytes(content[max(0, size - _END) : size]), digest_size=_DIGEST).hexdigest()


class JournalEntry(Struct, frozen=True):
    """What was applied to a session but not saved, and the view the session was opened with."""

    path: str
    time: float
    """When it was applied, in seconds since the epoch."""
    fixes: int
    mark: Mark | None
    """The state of the file then; None if it could no longer be determined."""
    profile: str | None
    """What the user chose, such as the history ending at `leaf`; None for the file's default."""
    leaf: str | None
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, session: Journaled, time: float) -> JournalEntry:
        """Without the mark, which needs a look at the file."""
        fixes = sum(row.problems for row in session.staged)
        steps = tuple(tuple(map(JournalRow.of, step)) for step in session.staging.steps)
        return cls(
            str(session.file.address), time, fixes, None, session.reader.profile, session.reader.view.leaf, steps
        )

    def to_bytes(self) -> bytes:
        mark = self.mark
        return json.dumps(
            {
                "journal": _VERSION,
                "path": self.path,
                "time": round(self.time, 3),
                "fixes": self.fixes,
                "file": [mark.size, mark.mtime_ns, mark.ends] if mark is not None else None,
                "profile": self.profile,
                "leaf": self.leaf,
                "steps": [
                    [[row.conversation, [_written(decision) for decision in row.decisions]] for row in step]
                    for step in self.steps
                ],
            },
            separators=(",", ":"),
        ).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> JournalEntry:
        """Raises DamagedEntry or Newer."""
        try:
            value = json.loads(data)
            if isinstance(value, dict) and isinstance(version := value.get("journal"), int) and version > _VERSION:
                raise Newer
            file = value["file"]
            return cls(
                _a(str, value["path"]),
                float(_a((int, float), value["time"])),
                _a(int, value["fixes"]),
                Mark(_a(int, file[0]), _a(int, file[1]), _a(str, file[2])) if file is not None else None,
                _maybe(str, value["profile"]),
                _maybe(str, value["leaf"]),
                tuple(tuple(_row(*row) for row in step) for step in value["steps"]),
            )
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
            raise DamagedEntry from error


def _written(decision: Decision) -> list[Any]:
    """One decision. Rare fields come last, and only if present."""
    written: list[Any] = [decision.rule, decision.record, decision.call_id, decision.result_id, decision.fix_id]
    if decision.text is not None or decision.options is not None or decision.within is not None:
        written.append(decision.text)
    if decision.options is not None or decision.within is not None:
        options = decision.options
        written.append({"max_id_length": options.max_id_length} if options is not None else None)
    if decision.within is not None:
        written.append(list(decision.within))
    return written


def _row(conversation: Any, decisions: Any) -> JournalRow:
    if _a(int, conversation) < 0:
        raise DamagedEntry
    return JournalRow(conversation, tuple(_read(*decision) for decision in decisions))


def _read(
    rule: Any,
    record: Any,
    call: Any,
    result: Any,
    fix: Any,
    text: Any = None,
    options: Any = None,
    within: Any = None,
) -> Decision:
    return Decision(
        _a(str, rule),
        _maybe(int, record),
        _a(str, call),
        _a(str, result),
        _a(str, fix),
        _maybe(str, text),
        Options(_maybe(int, options["max_id_length"])) if options is not None else None,
        tuple(_a(int, number) for number in _a(list, within)[:2]) if within is not None else None,
    )


def _a(kind: Any, value: Any) -> Any:
    """The value, which must have this type. Raises DamagedEntry."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DamagedEntry
    return value


def _maybe(kind: Any, value: Any) -> Any:
    return None if value is None else _a(kind, value)
