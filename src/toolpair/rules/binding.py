"""Signed thinking is bound to what stands before it: a fix in front of it says so, and has a remedy beside it.

Newer Claude models check each thinking signature against the whole conversation up to it, so that a repair of an
earlier message can make them refuse a later block.
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
"""How the ids of fixes end that drop all signed thinking behind them: one such fix reaches into what the next does."""
_NAMES = ("block", "call", "result", "message", "after")
"""The fields of an edit that name a block or a message."""


class SignedThinking:
    """The signed thinking blocks of a transcript, and where its blocks and messages stand. Indexed once."""

    def __init__(self, transcript: Transcript) -> None:
        blocks = [
            (number, block)
            for number, message in enumerate(transcript.messages)
            for block in message.blocks
            if block.kind == "thinking" and is_signed(block)
        ]
        self._beyond = transcript.edges.signed if transcript.edges is not None else 0
        last = next((message.records for message in reversed(transcript.messages) if message.records), ())
        self._further = (RemoveThinking(last[-1]),) if self._beyond and last else ()
        """What is to be removed beyond the window."""
        self._messages = [number for number, _ in blocks]
        self._removals = tuple(Remove(block) for _, block in blocks)
        self._blocks = {id(block) for _, block in blocks}
        self._place: dict[int, int] = {}
        if blocks or self._beyond:
            for number, message in enumerate(transcript.messages):
                self._place[id(message)] = number
                self._place.update((id(block), number) for block in message.blocks)

    def note(self, fixes: Sequence[Fix]) -> tuple[Fix, ...]:
        """The fixes, with a word on each that touches what stands before signed thinking, and a remedy at the end."""
        if not self._removals and not self._beyond:
            return tuple(fixes)
        noted = tuple(self._noted(fix) for fix in fixes)
        best = next((fix for fix in fixes if fix.recommended), None)
        removals, count = self._behind(best) if best is not None else ((), 0)
        if best is None or not count:
            return noted
        return (*noted, _remedy(best, (*removals, *self._further), count))

    def _noted(self, fix: Fix) -> Fix:
        _, count = self._behind(fix)
        if not count:
            return fix
        words = (
            f"changes what comes before {plural(count, 'signed thinking block')}; newer models (Claude 5.1 and later) "
            'may then reject them: drop them, or send thinking.block_binding.prefix_mismatch_behavior "drop_block"'
        )
        return replace(fix, note=f"{fix.note}; {words}" if fix.note else words)

    def _behind(self, fix: Fix) -> tuple[tuple[Remove, ...], int]:
        """The removals of the signed blocks behind what the fix touches first, without those that it removes itself.

        And how many there are, with those beyond the window that is judged, whose removals it does not know.
        """
        if all(isinstance(edit, SetField) for edit in fix.edits):
            return (), 0
        touched = [place for edit in fix.edits for place in self._places(edit)]
        if not touched:
            return (), 0
        removed = {id(edit.block) for edit in fix.edits if isinstance(edit, Remove)} & self._blocks
        later = self._removals[bisect_right(self._messages, min(touched)) :]
        left = tuple(removal for removal in later if id(removal.block) not in removed) if removed else later
        return left, len(left) + self._beyond

    def _places(self, edit: Edit) -> list[int]:
        if isinstance(edit, InsertMessage) and edit.after is None:
            return [0]
        named = (getattr(edit, name, None) for name in _NAMES)
        return [self._place[id(found)] for found in named if id(found) in self._place]


def with_removals(edits: Sequence[Edit], transcript: Transcript) -> list[Edit]:
    """The edits of a window as those of the whole, which knows what signed thinking there is."""
    found: list[Edit] = []
    for edit in edits:
        if isinstance(edit, RemoveThinking):
            at = next(n for n, message in enumerate(transcript.messages) if edit.record in message.records)
            behind = (block for message in transcript.messages[at + 1 :] for block in message.blocks)
            found += [Remove(block) for block in behind if block.kind == "thinking" and is_signed(block)]
        else:
            found.append(edit)
    return found


def _remedy(best: Fix, removals: tuple[Edit, ...], count: int) -> Fix:
    """The recommended fix together with removing the thinking that it may invalidate."""
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
