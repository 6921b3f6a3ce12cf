"""Texts of the assistant that are gone, counted: of two that say the same, one may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator
from typing import Any

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.kept_texts import well_formed
from toolpair.history.losses.loss import Loss
from toolpair.transcript.model import Block


def assistant_texts(before: CheckedRecords, after: CheckedRecords, kept: Callable[[str], bool]) -> Iterator[Loss]:
    """Such texts of `before` that `after` does not have, whatever role they have now."""
    same = _same_records(before, after)
    old, new = (list(_text_blocks(state)) for state in (before, after))
    said = Counter(well_formed(block.text) for role, block in new if role != "user")
    missing = []
    for role, block in old:
        if role == "user":
            continue
        text = well_formed(block.text)
        if said[text] > 0:
            said[text] -= 1
        elif text.strip() and block.record not in same:
            missing.append((block, text))
    if not missing:
        return
    short = Counter(well_formed(block.text) for _, block in old)
    short.subtract(well_formed(block.text) for _, block in new)
    for block, text in missing:
        if short[text] > 0 and not kept(text):
            short[text] -= 1
            yield Loss("text", block.record, None, None, len(text.encode("utf-8", "replace")))


def _same_records(before: CheckedRecords, after: CheckedRecords) -> Container[int]:
    """uids of the records that are unchanged in the file."""
    there = {id(item.value) for item in after.items}
    return {item.uid for item in before.items if id(item.value) in there}


def _text_blocks(state: CheckedRecords) -> Iterator[tuple[Any, Block]]:
    for message in state.transcript.messages:
        if message.note is None:
            yield from ((message.role, block) for block in message.blocks if block.kind == "text")
