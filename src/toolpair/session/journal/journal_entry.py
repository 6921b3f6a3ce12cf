"""What one file of the journal says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from toolpair.recipes.recipe import Options
from toolpair.session.decisions import Applied, Decision
from toolpair.source.mark import Mark

if TYPE_CHECKING:
    from toolpair.session.journal.journaled import Journaled

_VERSION: Final = 1


class DamagedEntry(Exception):
    """It cannot be understood."""


class Newer(Exception):
    """A later version of toolpair has written it."""


class JournalRow(Struct, frozen=True):
    """A row of the review, as far as it can be applied again."""

    conversation: int
    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, row: Applied) -> JournalRow:
        return cls(row.conversation, row.decisions)


Step = tuple[JournalRow, ...]
"""What is undone together."""


class JournalEntry(Struct, frozen=True):
    """What was applied to a session and not saved, and how the session was looked at."""

    path: str
    time: float
    """When it was applied, in seconds since the epoch."""
    fixes: int
    mark: Mark | None
    """What the file was then; None where nobody could tell any more."""
    profile: str | None
    """What was asked for, as with the history that ends at `leaf`; None for what the file suggests."""
    leaf: str | None
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, session: Journaled, time: float) -> JournalEntry:
        """Without the mark, for which the file is looked at."""
        fixes = sum(row.problems for row in session.staged)
        steps = tuple(tuple(map(JournalRow.of, step)) for step in session.staging.steps)
        return cls(str(session.path), time, fixes, None, session.reader.profile, session.reader.view.leaf, steps)

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
        """Raises Damaged, or Newer."""
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
    """One decision. What few of them have stands at the end, and only there."""
    written: list[Any] = [decision.rule, decision.record, decision.call_id, decision.result_id, decision.fix_id]
    if decision.text is not None or decision.options is not None:
        written.append(decision.text)
    if decision.options is not None:
        written.append({"max_id_length": decision.options.max_id_length})
    return written


def _row(conversation: Any, decisions: Any) -> JournalRow:
    if _a(int, conversation) < 0:
        raise DamagedEntry
    return JournalRow(conversation, tuple(_read(*decision) for decision in decisions))


def _read(rule: Any, record: Any, call: Any, result: Any, fix: Any, text: Any = None, options: Any = None) -> Decision:
    return Decision(
        _a(str, rule),
        _maybe(int, record),
        _a(str, call),
        _a(str, result),
        _a(str, fix),
        _maybe(str, text),
        Options(_maybe(int, options["max_id_length"])) if options is not None else None,
    )


def _a(kind: Any, value: Any) -> Any:
    """The value, which has to be of this type. Raises Damaged."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DamagedEntry
    return value


def _maybe(kind: Any, value: Any) -> Any:
    return None if value is None else _a(kind, value)
