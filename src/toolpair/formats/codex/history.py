"""The active history as Codex rebuilds it: the newest readable compaction and what follows, without undone turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.dialects.openai_responses import foreign_blocks, texts_of, type_of
from toolpair.formats.codex.readable import is_loaded
from toolpair.formats.codex.rollout_lines import RolloutLine
from toolpair.formats.codex.sent_items import HISTORY, is_sent
from toolpair.formats.engine.reading.context_texts import begins_turn, is_context, is_summary
from toolpair.formats.engine.reading.item_messages import HistoryItem
from toolpair.transcript.model import Block


class RolloutHistory(Struct, eq=False):
    """What remains of the file's items."""

    entries: list[HistoryItem] = field(default_factory=list)
    base: RolloutLine | None = None
    """The compaction that the history starts with."""
    compactions: list[tuple[RolloutLine, int]] = field(default_factory=list)
    """The compactions that count, each with the number of entries it produced."""
    ignored: list[RolloutLine] = field(default_factory=list)
    """Compactions that Codex cannot read, so that the history before them counts again."""


def replacement_of(line: RolloutLine) -> list[Any] | None:
    """The history with which a compaction replaces the old one, if it has one."""
    found = line.payload.get(HISTORY) if isinstance(line.payload, dict) else None
    return found if isinstance(found, list) else None


def is_readable_compaction(line: RolloutLine) -> bool:
    """Whether Codex can read the compaction: the list next to the history must have the same length."""
    payload = line.payload
    if not isinstance(payload, dict):
        return False
    history, notes = payload.get(HISTORY), payload.get("replacement_history_metadata")
    if history is not None and not isinstance(history, list):
        return False
    if notes is None:
        return True
    return isinstance(notes, list) and history is not None and len(notes) == len(history)


def rebuild(lines: Sequence[RolloutLine]) -> RolloutHistory:
    """The history that Codex would resume with."""
    history = RolloutHistory()
    readable: list[RolloutLine] = []
    for line in lines:
        if line.kind == "compacted" and not is_readable_compaction(line):
            history.ignored.append(line)
        else:
            readable.append(line)
    base, start, hidden = _base(readable)
    if base is not None:
        _replace(history, base)
        history.base = base
    for line in readable[start:]:
        if line.uid not in hidden:
            _replay(history, line)
    return history


class _Segment(Struct):
    """One turn while the file is read backwards."""

    turn: str | None = None
    counts: bool = False
    base: tuple[RolloutLine, int] | None = None
    compactions: list[int] = field(default_factory=list)
    """uids of all its compactions."""


def _base(lines: Sequence[RolloutLine]) -> tuple[RolloutLine | None, int, set[int]]:
    """The compaction that the history starts with, the position after it, and the uids of rolled-back compactions.

    Read backwards, turn by turn: a rolled-back turn hides its own compaction, so an earlier one counts.
    """
    hidden: set[int] = set()
    taken_back = 0
    segment: _Segment | None = None

    def finish(found: _Segment) -> tuple[RolloutLine, int] | None:
        nonlocal taken_back
        if taken_back > 0:
            taken_back -= found.counts
            hidden.update(found.compactions)
            return None
        return found.base

    base: tuple[RolloutLine, int] | None = None
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        match line.kind:
            case "compacted":
                segment = segment or _Segment()
                segment.compactions.append(line.uid)
                if segment.base is None and replacement_of(line) is not None:
                    segment.base = line, number + 1
            case "rollback":
                taken_back += _turns(line)
            case "ended":
                segment = segment or _Segment()
                segment.turn = segment.turn or _turn_id(line)
            case "aborted":
                if segment is not None or _turn_id(line) is not None:
                    segment = segment or _Segment()
                    segment.turn = segment.turn or _turn_id(line)
            case "user" | "agents":
                segment = segment or _Segment()
                segment.counts = True
            case "turn":
                segment = segment or _Segment()
                segment.turn = segment.turn or _turn_id(line)
            case "item":
                segment = segment or _Segment()
                segment.counts = segment.counts or begins_turn(line.payload)
            case "started" if segment is not None and segment.turn in (None, _turn_id(line)):
                base = finish(segment)
                segment = None
        if base is not None:
            break
    if base is None and segment is not None:
        base = finish(segment)
    return (*base, hidden) if base is not None else (None, 0, hidden)


def _turn_id(line: RolloutLine) -> str | None:
    found = line.payload.get("turn_id") if isinstance(line.payload, dict) else None
    return found if isinstance(found, str) else None


def _turns(line: RolloutLine) -> int:
    found = line.payload.get("num_turns")
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def _replace(history: RolloutHistory, line: RolloutLine) -> None:
    slot = (*line.slot, HISTORY)
    history.entries = [
        HistoryItem(line.uid, (*slot, number), item)
        for number, item in enumerate(replacement_of(line) or ())
        if isinstance(item, dict)
    ]
    history.compactions = [(line, len(history.entries))]


def _replay(history: RolloutHistory, line: RolloutLine) -> None:
    match line.kind:
        case "item":
            if is_sent(line.payload):
                history.entries.append(HistoryItem(line.uid, line.slot, line.payload, blocks=_strange(line)))
        case "agents":
            if isinstance(line.payload, dict):
                history.entries.append(HistoryItem(line.uid, line.slot, _from_agent(line.payload), made=True))
        case "compacted":
            if replacement_of(line) is not None:
                _replace(history, line)
            else:
                _summarise(history, line)
        case "rollback":
            _take_back(history, _turns(line))


def _strange(line: RolloutLine) -> tuple[Block, ...]:
    """The one block of a message that Codex cannot read and that holds a call or a result of another API's: what it
    says is no word of the user's.
    """
    item = line.payload
    if type_of(item) != "message" or is_loaded(item) or not foreign_blocks(item, line.uid):
        return ()
    return (WrittenBlock("other", item, line.uid, line.slot),)


def _from_agent(payload: dict[str, Any]) -> dict[str, Any]:
    """The item with the text of a message between agents."""
    content = payload.get("content")
    parts = content if isinstance(content, list) else [{"type": "input_text", "text": str(content or "")}]
    return {"type": "agent_message", "author": payload.get("author"), "content": parts}


def _summarise(history: RolloutHistory, line: RolloutLine) -> None:
    """Apply a compaction that only has a summary: the user's messages and the summary remain."""
    kept = [
        entry
        for entry in history.entries
        if begins_turn(entry.item) and type_of(entry.item) == "message" and not is_summary(entry.item)
    ]
    summary = line.payload.get("message") if isinstance(line.payload, dict) else None
    text = summary if isinstance(summary, str) and summary else "(no summary available)"
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    made = [
        HistoryItem(entry.record, entry.slot, {**entry.item, "content": [_plain(entry.item)]}, made=True)
        for entry in kept
    ]
    history.entries = [*made, HistoryItem(line.uid, (*line.slot, "message"), item, made=True)]
    history.compactions = [(line, len(history.entries))]


def _plain(item: dict[str, Any]) -> dict[str, str]:
    return {"type": "input_text", "text": "\n".join(texts_of(item))}


def _take_back(history: RolloutHistory, turns: int) -> None:
    """Remove the last turns, including the context messages that Codex added before them."""
    if turns <= 0:
        return
    entries = history.entries
    begins = [number for number, entry in enumerate(entries) if begins_turn(entry.item)]
    if not begins:
        return
    cut = begins[0] if turns >= len(begins) else begins[-turns]
    while cut > begins[0] and is_context(entries[cut - 1].item):
        cut -= 1
    history.entries = entries[:cut]
    history.compactions = [(line, min(count, cut)) for line, count in history.compactions]
