"""Edits of links: a record's uuid with the links to it, and records of the chain in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.formats.claude_code.record_kinds import text_or_none
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Reidentify

LINKS: Final = ("parentUuid", "sourceToolAssistantUUID", "logicalParentUuid")


def reidentify(work: Working, line: DraftMessage, edit: Reidentify) -> None:
    old = work.uuid(line)
    work.rename(line, edit.id)
    for uid in edit.children:
        child = work.lines.get(uid)
        if child is None or not work.stands(child) or old is None:
            continue
        for key in LINKS:
            if text_or_none(work.get(child, key)) == old:
                if key == "parentUuid":
                    work.hang(child, edit.id)
                else:
                    work.set(child, key, edit.id)


def permute(work: Working, lines: Sequence[DraftMessage]) -> None:
    """Put records of the chain into this order, each in the place of another: in the chain and in the file."""
    slots = sorted(lines, key=lambda line: work.chain_index.get(line.uid, -1))
    kept = {None, *work.history.preserved}
    if any(line.uid not in work.on_chain or work.uuid(line) in kept for line in lines):
        return
    above = [work.parent_of(slot) for slot in slots]
    below = [work.chain_children_of(slot) for slot in slots]
    indexes = [work.chain_index[slot.uid] for slot in slots]
    own = {line.uid for line in lines}
    now = {work.uuid(slot): work.uuid(line) for slot, line in zip(slots, lines, strict=True)}
    for line, parent, children, index in zip(lines, above, below, indexes, strict=True):
        work.hang(line, now.get(parent, parent))
        for child in children:
            if child.uid not in own:
                work.hang(child, work.uuid(line))
        work.chain_index[line.uid] = index
    work.put_in_places(lines, slots)
