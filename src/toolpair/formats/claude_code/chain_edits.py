"""Edits of links and places: which record hangs on which, by which name, and where it stands in the file."""

from __future__ import annotations

from typing import Final

from toolpair.formats.claude_code.records import text_or_none
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.edits import MoveRecord, Reidentify, Relink, SetInRecord

LINKS: Final = ("parentUuid", "sourceToolAssistantUUID", "logicalParentUuid")


def take(work: Working, edit: Relink | Reidentify | MoveRecord | SetInRecord) -> None:
    """Carry one edit out; records that are gone by now are passed by."""
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
