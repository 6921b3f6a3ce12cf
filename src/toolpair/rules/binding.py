"""Signed thinking is bound to what stands before it: a fix in front of it says so, and has a remedy beside it.

Newer Claude models check each thinking signature against the whole conversation up to it, so that a repair of an
earlier message can make them refuse a later block.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from toolpair.rules.base import Fix
from toolpair.rules.reasoning import signed
from toolpair.transcript.edits import Edit, InsertMessage, Remove, SetField
from toolpair.transcript.model import Transcript
from toolpair.transcript.words import plural

_NAMES = ("block", "call", "result", "message", "after")
"""The fields of an edit that name a block or a message."""


class SignedThinking:
    """The signed thinking blocks of a transcript, and where its blocks and messages stand. Indexed once."""

    def __init__(self, transcript: Transcript) -> None:
        blocks = [
            (number, block)
            for number, message in enumerate(transcript.messages)
            for block in message.blocks
            if block.kind == "thinking" and signed(block)
        ]
        self._messages = [number for number, _ in blocks]
        self._removals = tuple(Remove(block) for _, block in blocks)
        self._blocks = {id(block) for _, block in blocks}
        self._place: dict[int, int] = {}
        if blocks:
            for number, message in enumerate(transcript.messages):
                self._place[id(message)] = number
                self._place.update((id(block), number) for block in message.blocks)

    def note(self, fixes: Sequence[Fix]) -> tuple[Fix, ...]:
        """The fixes, with a word on each that touches what stands before signed thinking, and a remedy at the end."""
        if not self._removals:
            return tuple(fixes)
        noted = tuple(self._noted(fix) for fix in fixes)
        best = next((fix for fix in fixes if fix.recommended), None)
        removals = self._behind(best) if best is not None else ()
        return (*noted, _remedy(best, removals)) if best is not None and removals else noted

    def _noted(self, fix: Fix) -> Fix:
        count = len(self._behind(fix))
        if not count:
            return fix
        words = (
            f"changes what stands before {plural(count, 'signed thinking block')}; newer models (from Claude 5.1 on) "
            'may refuse them then: drop them, or send thinking.block_binding.prefix_mismatch_behavior "drop_block"'
        )
        return replace(fix, note=f"{fix.note}; {words}" if fix.note else words)

    def _behind(self, fix: Fix) -> tuple[Remove, ...]:
        """The removals of the signed blocks behind what the fix touches first, without those that it removes itself."""
        if all(isinstance(edit, SetField) for edit in fix.edits):
            return ()
        touched = [place for edit in fix.edits for place in self._places(edit)]
        if not touched:
            return ()
        removed = {id(edit.block) for edit in fix.edits if isinstance(edit, Remove)} & self._blocks
        later = self._removals[bisect_right(self._messages, min(touched)) :]
        return tuple(removal for removal in later if id(removal.block) not in removed) if removed else later

    def _places(self, edit: Edit) -> list[int]:
        if isinstance(edit, InsertMessage) and edit.after is None:
            return [0]
        named = (getattr(edit, name, None) for name in _NAMES)
        return [self._place[id(found)] for found in named if id(found) in self._place]


def _remedy(best: Fix, removals: tuple[Remove, ...]) -> Fix:
    """The recommended fix together with removing the thinking that it may invalidate."""
    lost = "the model's thinking behind this place"
    return replace(
        best,
        id=f"{best.id}+drop-thinking",
        title=f"{best.title}, and drop the {plural(len(removals), 'signed thinking block')} behind it",
        edits=(*best.edits, *removals),
        recommended=False,
        loses=f"{best.loses}, and {lost}" if best.loses else lost,
        several=f"{best.several or best.title}, and drop the signed thinking behind it",
    )
