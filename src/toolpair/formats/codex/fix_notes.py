"""Notes on what a fix changes besides its title: ordinals of later records, reasoning removed with a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolpair.formats.codex.editing import Foreseen, is_numbered
from toolpair.formats.codex.frames import frame_of
from toolpair.formats.codex.rollout_lines import ordinal_of
from toolpair.formats.codex.sent_items import HISTORY
from toolpair.formats.format import Item
from toolpair.rules.problem import Fix
from toolpair.transcript.edits import (
    Edit,
    InsertMessage,
    InsertRecord,
    InsertResult,
    MoveResult,
    Remove,
    RemoveMessage,
    RemoveRecord,
    ReplaceWithText,
)
from toolpair.transcript.model import Block, Message, Transcript


class _Ground:
    """Positions of records, and how far a new record shifts the ordinals after it. Built once for all fixes."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self.place = {item.uid: number for number, item in enumerate(items)}
        self.numbered = is_numbered(item.value for item in items)
        self.foreseen = Foreseen(items, transcript)
        self.message_of: dict[int, tuple[Message, int]] = {}
        for message in transcript.messages:
            for rank, block in enumerate(message.blocks):
                self.message_of[id(block)] = (message, rank)
        frame = frame_of(transcript)
        numbers_after = frame.numbered if frame is not None else None
        self.pushed = [0] * (len(items) + 1)
        """Position -> how many records from there on are renumbered when one is inserted before it."""
        self.numbered_from = [0] * (len(items) + 1)
        """Position -> how many records from there on have a number."""
        self.numbers = numbers = [ordinal_of(item.value) for item in items]
        last: int | None = None
        gap_before: list[bool] = []
        for own in numbers:
            gap_before.append(own is not None and last is not None and own > last + 1)
            last = own if own is not None else last
        if numbers_after is not None and numbers_after[0]:
            # One extra position represents everything after the window.
            self.numbered_from = [0] * len(items) + [numbers_after[0], 0]
            self.pushed = [0] * len(items) + [numbers_after[1], 0]
        for number in range(len(items) - 1, -1, -1):
            counted = numbers[number] is not None
            self.numbered_from[number] = self.numbered_from[number + 1] + counted
            self.pushed[number] = 0 if gap_before[number] else self.pushed[number + 1] + counted


def notes_on_fixes(items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
    """A phrase for each fix that changes more than its title says."""
    if not fixes:
        return []
    ground = _Ground(items, transcript)
    notes = [_note(ground, fix) for fix in fixes]
    ground.foreseen.let_go()
    return notes


def _note(ground: _Ground, fix: Fix) -> str | None:
    words: list[str] = []
    reasoning = sum(_reasoning_with(ground, edit.block) for edit in fix.edits if isinstance(edit, Remove))
    if reasoning:
        words.append("the reasoning right before the call is removed with it")
    changed = _renumbered(ground, fix.edits) if ground.numbered else 0
    if changed:
        words.append(f"renumbers the {changed:,} records after it" if changed != 1 else "renumbers the record after it")
    return "; ".join(words) or None


def _reasoning_with(ground: _Ground, block: Block) -> int:
    if block.kind != "call" or id(block) not in ground.message_of:
        return 0
    message, rank = ground.message_of[id(block)]
    following = message.blocks[rank + 1 : rank + 2]
    if following and following[0].kind != "thinking":
        return 0
    return int(rank > 0 and message.blocks[rank - 1].kind == "thinking")


def _renumbered(ground: _Ground, edits: Sequence[Edit]) -> int:
    """How many records that stay in place get a new ordinal."""
    events: list[tuple[int, int]] = []
    """(position, shift of the numbers from there on)."""
    out: set[int] = set()
    for edit in edits:
        for place in _leaving(ground, edit):
            if place not in out:
                out.add(place)
                events.append((place + 1, -1))
        events.extend((place, 1) for place in _coming(ground, edit))
    if not events:
        return 0
    events.sort()
    changed = moved = 0
    for (start, by), (end, _) in zip(events, [*events[1:], (len(ground.numbered_from) - 1, 0)], strict=True):
        moved += by
        if not moved:
            continue
        last = end == len(ground.numbered_from) - 1
        changed += (
            ground.pushed[start] if last and moved == 1 else ground.numbered_from[start] - ground.numbered_from[end]
        )
        changed -= sum(start <= place < end and ground.numbers[place] is not None for place in out)
    return changed


def _leaving(ground: _Ground, edit: Edit) -> Iterator[int]:
    """The positions of records that the edit removes, or moves away."""
    match edit:
        case MoveResult(result=result, call=call) if HISTORY not in (*result.slot, *call.slot):
            yield _place(ground, result)
        case ReplaceWithText(block=block) if ground.foreseen.before_words(block) is not None:
            yield _place(ground, block)
        case Remove(block=block) if HISTORY not in block.slot:
            yield _place(ground, block)
            if _reasoning_with(ground, block):
                message, rank = ground.message_of[id(block)]
                yield _place(ground, message.blocks[rank - 1])
        case RemoveMessage(message=message):
            yield from (ground.place[uid] for uid in message.records if uid in ground.place)
        case RemoveRecord(record=record):
            yield ground.place.get(record, 0)


def _coming(ground: _Ground, edit: Edit) -> Iterator[int]:
    """The positions before which records are inserted."""
    match edit:
        case InsertResult(call=call) if HISTORY not in call.slot:
            yield _after(ground, ground.foreseen.before_result(call))
        case MoveResult(result=result, call=call) if HISTORY not in (*result.slot, *call.slot):
            yield _after(ground, ground.foreseen.before_result(call))
        case ReplaceWithText(block=block) if (anchor := ground.foreseen.before_words(block)) is not None:
            yield _after(ground, anchor)
        case InsertMessage(after=after):
            yield _after(ground, after.records[-1]) if after is not None else 1
        case InsertRecord(value=value, before=before) if ordinal_of(value) is None:
            yield ground.place.get(before, 0)


def _after(ground: _Ground, uid: int | None) -> int:
    return ground.place.get(uid, 0) + 1 if uid is not None else 0


def _place(ground: _Ground, block: Block) -> int:
    return ground.place.get(block.record, 0)
