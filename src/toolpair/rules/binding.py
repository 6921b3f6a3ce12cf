"""Signed thinking depends on everything before it: a fix of earlier messages says so, and comes with a remedy.

Newer Claude models check each thinking signature against the whole conversation up to it, so repairing an earlier
message can make them refuse a later block.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects.anthropic import is_signed
from toolpair.rules.problem import Fix
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, InsertMessage, Remove, RemoveThinking, SetField
from toolpair.transcript.model import Transcript

DROPS_THINKING: Final = "+drop-thinking"
"""Suffix of the ids of fixes that drop all signed thinking after them: such a fix overlaps with the next one."""
_NAMES = ("block", "call", "result", "message", "after")
"""The fields of an edit that hold a block or a message."""


_BEFORE: Final = "changes what comes before "


def without_thinking(note: str | None) -> tuple[str, int]:
    """A fix's note without what it says of signed thinking, and how many blocks of that it comes before."""
    words, _, rest = (note or "").partition(_BEFORE)
    count = rest.partition(" ")[0].replace(",", "")
    return (words.removesuffix("; "), int(count)) if count.isdecimal() else (note or "", 0)


class SignedThinking:
    """The signed thinking blocks of a transcript, and the positions of its blocks and messages. Indexed once."""

    def __init__(self, transcript: Transcript) -> None:
        blocks = [
            (number, block)
            for number, message in enumerate(transcript.messages)
            for block in message.blocks
            if block.kind == "thinking" and is_signed(block)
        ]
        self._signed_outside = transcript.edges.signed if transcript.edges is not None else 0
        last = next((message.records for message in reversed(transcript.messages) if message.records), ())
        self._further = (RemoveThinking(last[-1]),) if self._signed_outside and last else ()
        """Whatever must be removed beyond this window."""
        self._messages = [number for number, _ in blocks]
        self._removals = tuple(Remove(block) for _, block in blocks)
        self._blocks = {id(block) for _, block in blocks}
        self._place: dict[int, int] = {}
        if blocks or self._signed_outside:
            for number, message in enumerate(transcript.messages):
                self._place[id(message)] = number
                self._place.update((id(block), number) for block in message.blocks)

    def note(self, fixes: Sequence[Fix]) -> tuple[Fix, ...]:
        """The fixes, with a note on each one that touches anything before signed thinking, and a remedy as the last
        fix.
        """
        if not self._removals and not self._signed_outside:
            return tuple(fixes)
        noted = tuple(self._noted(fix) for fix in fixes)
        best = next((fix for fix in fixes if fix.recommended), None)
        removals, count = self._removals_after(best) if best is not None else ((), 0)
        if best is None or not count:
            return noted
        return (*noted, _remedy(best, (*removals, *self._further), count))

    def _noted(self, fix: Fix) -> Fix:
        _, count = self._removals_after(fix)
        if not count:
            return fix
        words = (
            f"{_BEFORE}{plural(count, 'signed thinking block')}; newer models (Claude 5.1 and later) "
            'may then reject them: drop them, or send thinking.block_binding.prefix_mismatch_behavior "drop_block"'
        )
        return replace(fix, note=f"{fix.note}; {words}" if fix.note else words)

    def _removals_after(self, fix: Fix) -> tuple[tuple[Remove, ...], int]:
        """Removals of the signed blocks after the first thing that the fix touches, except those that it removes
        itself.

        And their number, including those beyond the window being judged, whose removals are not known here.
        """
        if all(isinstance(edit, SetField) for edit in fix.edits):
            return (), 0
        touched = [place for edit in fix.edits for place in self._places(edit)]
        if not touched:
            return (), 0
        removed = {id(edit.block) for edit in fix.edits if isinstance(edit, Remove)} & self._blocks
        later = self._removals[bisect_right(self._messages, min(touched)) :]
        left = tuple(removal for removal in later if id(removal.block) not in removed) if removed else later
        return left, len(left) + self._signed_outside

    def _places(self, edit: Edit) -> list[int]:
        if isinstance(edit, InsertMessage) and edit.after is None:
            return [0]
        named = (getattr(edit, name, None) for name in _NAMES)
        return [self._place[id(found)] for found in named if id(found) in self._place]


def with_removals(edits: Sequence[Edit], transcript: Transcript) -> list[Edit]:
    """The edits of a window as edits of the whole, where all signed thinking is known."""
    found: list[Edit] = []
    for edit in edits:
        if isinstance(edit, RemoveThinking):
            at = next(n for n, message in enumerate(transcript.messages) if edit.record in message.records)
            following = (block for message in transcript.messages[at + 1 :] for block in message.blocks)
            found += [Remove(block) for block in following if block.kind == "thinking" and is_signed(block)]
        else:
            found.append(edit)
    return found


def _remedy(best: Fix, removals: tuple[Edit, ...], count: int) -> Fix:
    """The recommended fix combined with removing the thinking that it may invalidate."""
    lost = "the model's thinking after this place"
    return replace(
        best,
        id=f"{best.id}{DROPS_THINKING}",
        title=f"{best.title}, and drop the {plural(count, 'signed thinking block')} after it",
        edits=(*best.edits, *removals),
        recommended=False,
        loses=f"{best.loses}, and {lost}" if best.loses else lost,
        several=f"{best.several or best.title}, and drop the signed thinking after it",
    )
