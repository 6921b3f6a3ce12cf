"""What the model would see of a conversation, as plain data: printed by `toolpair sees`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolpair.cli.file_report import Entry
from toolpair.dialects.block_texts import call_summary
from toolpair.history.sent_rows import SeenRow, seen_rows
from toolpair.session.session import Conversation, Session


def entry_of(session: Session, conversation: Conversation, content: bool = False) -> Entry:
    """The messages of the request in order, and what is left out of it, each with the number of the following message.

    With `content` each block has its exact `value`; otherwise only names, ids, sizes and a short text.
    """
    seen = conversation.judged.seen
    verdict = conversation.verdict
    known = seen is not None and seen.prepared
    return {
        "agent": seen.agent if seen is not None and known else None,
        "agent_version": seen.version if seen is not None and known else None,
        "refuses": seen.refuses if seen is not None else None,
        "outputs": {
            "total": verdict.outputs_total,
            "seen": verdict.outputs_seen,
            "shortened": verdict.outputs_shortened,
        },
        **_messages(session, conversation, content),
        "records": list(_records(conversation)),
    }


def in_order(entry: Entry) -> Iterator[Entry]:
    """The messages of an entry interleaved with what is left out, in file order; the number of those is None."""
    left_out = iter(entry["left_out"])
    lost = next(left_out, None)
    for message in entry["messages"]:
        while lost is not None and lost["before"] is not None and lost["before"] <= message["number"]:
            yield {"number": None, **lost}
            lost = next(left_out, None)
        yield message
    if lost is not None:
        yield from ({"number": None, **found} for found in (lost, *left_out))


def _messages(session: Session, conversation: Conversation, content: bool) -> Entry:
    moved = _Moves(conversation)
    sent: list[Entry] = []
    left_out: list[Entry] = []
    for row in seen_rows(conversation.judged):
        block = _block(conversation, row, moved.is_moved(row), content)
        if row.message is not None:
            if not sent or sent[-1]["number"] != row.message:
                sent.append({"number": row.message, "role": row.role, "blocks": []})
            sent[-1]["blocks"].append(block)
            continue
        follows = sent[-1]["number"] + 1 if sent else 0
        last = left_out[-1] if left_out else None
        if last is None or (last["before"], last["role"]) != (follows, row.role):
            left_out.append({"before": follows, "role": row.role, "blocks": []})
        left_out[-1]["blocks"].append(block)
    return {"messages": sent, "left_out": left_out}


def _block(conversation: Conversation, row: SeenRow, moved: bool, content: bool) -> Entry:
    block = row.block
    text = call_summary(block) if block is not None and block.kind == "call" else row.text
    entry: Entry = {
        "type": row.type,
        "fate": row.fate,
        "moved": moved,
        "id": row.id,
        "name": block.name if block is not None else None,
        "line": conversation.document.line_of(block.record) if block is not None else None,
        "characters": len(text),
        "lines": text.count("\n") + 1 if text else 0,
        "text": text if content else _first_line(text),
    }
    if content:
        entry["value"] = row.value
    return entry


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0][:200]


class _Moves:
    """Which blocks are in a different place in the request than in the file."""

    def __init__(self, conversation: Conversation) -> None:
        self.place = {record.uid: number for number, record in enumerate(conversation.document.records)}
        self.calls: dict[str, int] = {}
        self.message: int | None = None
        self.before = -1
        """The latest user record that an earlier message came from."""
        self.latest = -1

    def is_moved(self, row: SeenRow) -> bool:
        """Asked row by row in order: a result that came before its call, or text that came before earlier text."""
        if row.message is None or row.block is None:
            return False
        place = self.place.get(row.block.record, -1)
        id_ = row.id or ""
        if row.block.kind == "call":
            self.calls[id_] = place
        if row.role != "user":
            return False
        if row.message != self.message:
            self.message, self.before = row.message, self.latest
        self.latest = max(self.latest, place)
        return place < self.before or (row.block.kind == "result" and place < self.calls.get(id_, -1))


def _records(conversation: Conversation) -> Iterable[Entry]:
    """Every record of the conversation with its scope, and whether any of it is sent."""
    rows = seen_rows(conversation.judged)
    sent = {row.block.record for row in rows if row.message is not None and row.block is not None}
    scopes = conversation.transcript.scopes
    for number, record in enumerate(conversation.document.records):
        yield {
            "record": number,
            "line": record.line,
            "scope": scopes.get(record.uid, "active"),
            "sent": record.uid in sent,
        }
