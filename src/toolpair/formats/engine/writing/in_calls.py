"""Records in which results stand inside their calls. For edits they are messages of the user's after these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import Struct

from toolpair.dialects.writer import Writer
from toolpair.formats.engine.writing.drafts.in_messages import ResultsInMessages
from toolpair.formats.engine.writing.linear import Linear
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftBlock, DraftMessage, Slot
from toolpair.transcript.edits import Edit, InsertResult, MoveResult
from toolpair.transcript.model import Block, Transcript

Key = tuple[int, Slot]
"""The place of a call in the file."""


class Piece(Struct, eq=False):
    """One message of the draft: what a record says, or the results in its calls."""

    record: int
    role: Any
    blocks: Sequence[Block]
    of: Any
    """What its format knows it by."""
    in_calls: bool
    value: Any = None
    slot: Slot = ()


class InCalls(Linear):
    """Applies one batch of edits. A subclass says which call a result was read in, and writes records of the draft."""

    strict: ClassVar[bool] = True
    """A call has one result at most, and results stand nowhere else. False: a message may hold some as well."""

    def __init__(self, items: Sequence[Item], transcript: Transcript, writer: Writer, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self._call_of: dict[int, DraftBlock] = {}
        """id() of a new or moved result -> the call that it was put to."""
        super().__init__(items, transcript, writer)

    def _messages(self) -> Sequence[DraftMessage]:
        records = {item.uid: DraftMessage(item.uid, item.value, (), None, item) for item in self.items}
        made: list[DraftMessage] = []
        for piece in self.pieces:
            record = records[piece.record]
            part = DraftMessage(piece.record, record.record, piece.slot, piece.value, piece)
            part.role, part.in_list = piece.role, record
            self.homes.update((block.key, part) for block in piece.blocks)
            made.append(part)
        return [*records.values(), *made]

    def take(self, edit: Edit) -> None:
        super().take(edit)
        if isinstance(edit, MoveResult):
            self._call_of[id(self.draft.block(edit.result))] = self.draft.block(edit.call)
        elif isinstance(edit, InsertResult):
            assert isinstance(self.drafter, ResultsInMessages)
            if (made := self.drafter.inserted(edit)) is not None:
                self._call_of[id(made)] = self.draft.block(edit.call)

    def spoken(self) -> list[DraftMessage]:
        """The messages of the draft, without records."""
        return [part for part in self.draft if part.in_list is not None]

    def place_of(self, block: DraftBlock) -> Key | None:
        """The call that a result was read in; None for any other block."""
        raise NotImplementedError

    def places(self, parts: Sequence[DraftMessage]) -> set[Key]:
        """The calls that are there and can hold a result."""
        blocks = (block for part in parts for block in self.draft.blocks_of(part))
        return {block.source.key for block in blocks if block.kind == "call" and block.source is not None}

    def given(self, parts: Sequence[DraftMessage]) -> tuple[dict[Key, list[DraftBlock]], dict[int, list[DraftBlock]]]:
        """The results of each call; and by id() of a message the ones in it that have no call any more.

        Where a call has one result, a new one takes the place of its own; else a new one has no place beside that.
        """
        places = self.places(parts)
        given: dict[Key, list[DraftBlock]] = {}
        strays: dict[int, list[DraftBlock]] = {}
        own = {id(part) for part in parts if part.source is not None and part.source.in_calls}
        for moved in (self.strict, not self.strict):
            for part in parts:
                for block in list(part.blocks):
                    if (id(block) in self._call_of) is not moved:
                        continue
                    key = self._moved_to(block) if moved else self.place_of(block)
                    if key is not None and key in places and not (key in given and (moved or self.strict)):
                        given.setdefault(key, []).append(block)
                        if id(part) not in own:
                            self.draft.take(block)
        put = {id(block) for blocks in given.values() for block in blocks}
        for part in parts:
            left = (block for block in part.blocks if id(block) not in put)
            strays[id(part)] = [b for b in left if id(part) in own or (self.strict and b.kind == "result")]
        return given, strays

    def _moved_to(self, result: DraftBlock) -> Key | None:
        """The call that it was put to. Where messages hold results as well, one with another id than that stays."""
        call = self._call_of[id(result)]
        if self.strict or repr(call.id) == repr(result.id):
            return call.source.key if call.source is not None else None
        return self.place_of(result)
