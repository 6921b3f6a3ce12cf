"""Edits of links and positions: a record's parent, its uuid, and its place in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.formats.claude_code.record_kinds import text_or_none
from toolpair.formats.claude_code.working_lines import DraftLine, Working
from toolpair.transcript.edits import MoveRecord, Reidentify, Relink, SetInRecord

LINKS: Final = ("parentUuid", "sourceToolAssistantUUID", "logicalParentUuid")


def take(work: Working, edit: Relink | Reidentify | MoveRecord | SetInRecord) -> None:
    """Apply one edit; records that no longer exist are skipped."""
    line = work.lines.get(edit.record)
    if line is None or line.gone:
        return
    match edit:
        case Relink(parent=parent):
            work.set_parent(line, parent)
        case Reidentify(id=id_, children=children):
            old = line.uuid
            if old is not None and work.by_uuid.get(old) is line:
                others = [other for other in work.doubles_of(line) if other is not line and not other.gone]
                if others:
                    work.by_uuid[old] = others[-1]
            line.set("uuid", id_)
            line.uuid = id_
            work.by_uuid[id_] = line
            for uid in children:
                child = work.lines.get(uid)
                if child is None or child.gone or old is None:
                    continue
                for key in LINKS:
                    if text_or_none(child.get(key)) != old:
                        continue
                    if key == "parentUuid":
                        work.set_parent(child, id_)
                    else:
                        child.set(key, id_)
        case SetInRecord(slot=slot, value=value) if len(slot) == 1:
            line.set(str(slot[0]), value)
        case MoveRecord(behind=behind):
            other = work.lines.get(behind)
            if other is not None and not other.gone and other is not line:
                work.put_behind(line, other)


def permute(work: Working, lines: Sequence[DraftLine]) -> None:
    """Put records of the chain into this order, each in the place of another: in the chain and in the file."""
    slots = sorted(lines, key=lambda line: work.chain_index.get(line.uid, -1))
    kept = set(work.history.preserved)
    if any(line.uid not in work.on_chain or line.uuid is None or line.uuid in kept for line in lines):
        return
    above = [work.parent_of(slot) for slot in slots]
    below = [work.chain_children_of(slot) for slot in slots]
    places = [slot.place for slot in slots]
    indexes = [work.chain_index[slot.uid] for slot in slots]
    own = {line.uid for line in lines}
    now = {slot.uuid: line.uuid for slot, line in zip(slots, lines, strict=True)}
    for line, parent, children, place, index in zip(lines, above, below, places, indexes, strict=True):
        work.set_parent(line, now.get(parent, parent))
        for child in children:
            if child.uid not in own:
                work.set_parent(child, line.uuid)
        line.place = place
        work.chain_index[line.uid] = index
