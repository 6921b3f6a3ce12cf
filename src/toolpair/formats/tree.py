"""Putting a draft into records that hang on each other: each names its parent, and one path is sent.

The draft says in which order the records of the path stand; whatever comes after another one than before hangs on
that now. What hung on a record that is gone hangs on what that hung on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects.writer import Writer
from toolpair.formats.format import Item
from toolpair.formats.linear import Envelope, Linear
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Edit, Reidentify, Relink
from toolpair.transcript.model import Transcript


class TreeEnvelope(Envelope, frozen=True):
    """Records with ids. `new_record` leaves room for both keys where the agent writes them."""

    id_key: str = "id"
    parent_key: str = "parentId"
    first_of: tuple[str, ...] = ()
    """Fields that name the record which a stretch of the path begins with: the next one when that is gone."""

    def new_id(self, seed: str, attempt: int) -> str:
        """An id for a new record, the same on every run."""
        raise NotImplementedError


class Tree(Linear):
    """One batch of edits of one transcript. The path is that of the record `leaf`, the last one when None."""

    envelope: TreeEnvelope

    def __init__(
        self,
        items: Sequence[Item],
        transcript: Transcript,
        writer: Writer,
        envelope: TreeEnvelope,
        leaf: int | None = None,
    ) -> None:
        super().__init__(items, transcript, writer, envelope)
        self._by_id: dict[str, DraftMessage] = {}
        for message in self.draft:
            name = self._read(message, envelope.id_key)
            if name is not None:
                self._by_id.setdefault(name, message)
        path = set(map(id, self._path_to(leaf)))
        self._path = [message for message in self.draft if id(message) in path]
        """In the order of the file, which is that of the links but in odd files."""
        self._above = dict(zip(map(id, self._path[1:]), self._path, strict=False))
        """id() of a record of the path -> the one in front of it."""
        self._linked: set[int] = set()
        """uids of the records whose parents edits set."""

    def take(self, edit: Edit) -> None:
        match edit:
            case Relink(record=record, parent=parent):
                self._hang(self.draft.of_record(record), parent)
                self._linked.add(record)
            case Reidentify(record=record, id=id_, children=children):
                self.set_in_record(self.draft.of_record(record), (self.envelope.id_key,), id_)
                self._by_id[id_] = self.draft.of_record(record)
                for child in children:
                    self._hang(self.draft.of_record(child), id_)
            case _:
                super().take(edit)

    def new(self, value: Any, beside: DraftMessage) -> DraftMessage:
        made = super().new(value, beside)
        seed = f"{self._id(beside)}\0{len(self._by_id)}"
        attempt = 0
        while (name := self.envelope.new_id(seed, attempt)) in self._by_id:
            attempt += 1
        self._by_id[name] = made
        made.record = {**made.record, self.envelope.id_key: name, self.envelope.parent_key: None}
        return made

    def finish(self) -> None:
        """Hang records on what they come after now."""
        was = {id(message) for message in self._path}
        now = [message for message in self.draft if id(message) in was or message.source is None]
        above: DraftMessage | None = None
        for message in now:
            if message.uid not in self._linked and self._above.get(id(message)) is not above:
                self._hang(message, self._id(above) if above is not None else None)
            above = message
        if len(now) < len(self._path) or any(not self.draft.is_in(message) for message in self._by_id.values()):
            self._leave_what_is_gone(now)

    def _leave_what_is_gone(self, now: Sequence[DraftMessage]) -> None:
        """Nothing may name a record that is gone."""
        place = {id(message): number for number, message in enumerate(now)}
        for message in self.draft:
            if id(message) not in place and (parent := self._parent(message)) is not None:
                left = self._left(parent)
                if left != parent:
                    self._hang(message, left)
            for key in self.envelope.first_of:
                named = self._by_id.get(self._read(message, key) or "")
                if named is not None and not self.draft.is_in(named):
                    following = named.after
                    while following is not None and id(following) not in place:
                        following = following.after
                    self.set_in_record(message, (key,), self._id(following) if following is not None else None)

    def _left(self, name: str | None) -> str | None:
        """The record with this id, or what it hung on when it is gone."""
        passed: set[str] = set()
        while name is not None and name not in passed:
            message = self._by_id.get(name)
            if message is None or self.draft.is_in(message):
                return name
            passed.add(name)
            name = self._read(message, self.envelope.parent_key)
        return None

    # --- links -------------------------------------------------------------------------------------------

    def _path_to(self, leaf: int | None) -> list[DraftMessage]:
        """The records of the path, from the last one up."""
        named = list(self._by_id.values())
        last = self.draft.of_record(leaf) if leaf is not None else named[-1] if named else None
        path: list[DraftMessage] = []
        passed: set[int] = set()
        while last is not None and id(last) not in passed:
            passed.add(id(last))
            path.append(last)
            last = self._by_id.get(self._read(last, self.envelope.parent_key) or "")
        return path

    @staticmethod
    def _read(message: DraftMessage, key: str) -> str | None:
        found = message.record.get(key) if isinstance(message.record, dict) else None
        return found if isinstance(found, str) else None

    def _id(self, message: DraftMessage) -> str | None:
        found = self.in_record(message, (self.envelope.id_key,))
        return found if isinstance(found, str) else None

    def _parent(self, message: DraftMessage) -> str | None:
        found = self.in_record(message, (self.envelope.parent_key,))
        return found if isinstance(found, str) else None

    def _hang(self, message: DraftMessage, parent: str | None) -> None:
        if self._parent(message) != parent:
            self.set_in_record(message, (self.envelope.parent_key,), parent)
