"""Real outputs that exist outside the history, and the fixes that bring them back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolpair.dialects.block_texts import is_output, is_real_output, result_content, result_text, text_of
from toolpair.dialects.block_values import same, text_part
from toolpair.rules.problem import Fix
from toolpair.transcript.edits import Edit
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import Block, Transcript
from toolpair.transcript.output_copies import Copy, copies_of_call

CAUTION: Final = "[Recorded while the call ran; it may be incomplete. Added by toolpair.]"
COPY: Final = "use-copy"
"""Prefix of the ids of fixes that insert an output found elsewhere: it is in the file, but not in the history."""
_CHOICES: Final = 5
_SHOWN: Final = 40
"""Characters of an output that distinguish it from others."""


class Elsewhere:
    """Where a call's output exists outside the history: in results that are not sent, else in copies."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._results: dict[str, list[Block]] = defaultdict(list)
        self._silent: dict[str, list[Block]] = defaultdict(list)
        """Empty results, as a tool may return: still more than a placeholder."""
        self._linked: dict[tuple[str, str | None], list[Block]] = defaultdict(list)
        self._calls: dict[str, list[Block]] = defaultdict(list)
        self._several: dict[str, bool] = {}
        active = (block for message in transcript.messages for block in message.blocks)
        for block in (*active, *transcript.inactive_blocks):
            if block.kind == "call" and usable(block.id):
                self._calls[block.id].append(block)
        for block in transcript.inactive_blocks:
            if block.kind != "result" or not usable(block.id):
                continue
            if not is_real_output(block):
                if is_output(block):
                    self._silent[block.id].append(block)
            else:
                self._results[block.id].append(block)
                if block.link is not None:
                    self._linked[block.id, block.link].append(block)
        self._compactions = [
            found.record for found in transcript.boundaries if found.cut is None and found.record is not None
        ]

    def of_call(self, call: Block, is_open: bool = False) -> Sequence[Copy]:
        """The most trusted outputs: one, or several different ones that a person must choose between. A call that
        `is_open` may be running still.
        """
        if not usable(call.id):
            return ()
        found = self._linked.get((call.id, call.link), [])
        if not found and not self._shared(call.id):
            found = self._results.get(call.id, [])
        results: dict[str, Copy] = {}
        for block in found:
            copy = Copy(result_content(block), self._place(block), is_error=block.is_error)
            results.setdefault(result_text(block), copy)
        return (
            list(results.values())[:_CHOICES]
            or copies_of_call(self._transcript.copies, call, is_open)
            or [Copy(result_content(block), self._place(block)) for block in self._said_nothing(call)]
        )

    def _said_nothing(self, call: Block) -> Sequence[Block]:
        silent = self._silent.get(call.id, ()) if isinstance(call.id, str) else ()
        shared = self._shared(str(call.id))
        return [block for block in silent if not shared or block.link == call.link][:1]

    def _shared(self, id_: str) -> bool:
        """Whether different calls have this id: then it does not identify the result."""
        if id_ not in self._several:
            calls = self._calls.get(id_, [])
            self._several[id_] = any(not same(other, calls[0]) for other in calls[1:])
        return self._several[id_]

    def _place(self, block: Block) -> str:
        number = f", line {block.record + 1:,}" if block.record >= 0 else ""
        if any(block.record < record for record in self._compactions):
            return f"before the compaction{number}"
        return f"on another branch{number}"


def fixes(copies: Sequence[Copy], edit: Callable[[Any, bool], Edit]) -> list[Fix]:
    """The fixes that insert an output. A certain one is recommended; of several a person chooses one."""
    certain = len(copies) == 1 and copies[0].certain
    found = []
    for number, copy in enumerate(copies, 1):
        title = f"use the real output found {copy.where}"
        content = copy.content
        if len(copies) > 1:
            title += f' ("{_beginning(content)}")'
        if copy.partial:
            title = f"use what was recorded while it ran, found {copy.where}"
            content = _with_caution(content)
        found.append(
            Fix(
                COPY if len(copies) == 1 else f"{COPY}-{number}",
                title,
                (edit(content, copy.is_error),),
                recommended=certain,
                certain=certain,
                note="it may be incomplete, and says so" if copy.partial else None,
                several="use the real outputs found elsewhere",
            )
        )
    return found


def _beginning(content: Any) -> str:
    words = " ".join(text_of(content)[:200].split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def _with_caution(content: Any) -> Any:
    if isinstance(content, list):
        return [*content, text_part(CAUTION)]
    return f"{content}\n\n{CAUTION}"
