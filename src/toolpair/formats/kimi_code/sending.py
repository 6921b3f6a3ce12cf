"""What Kimi Code sends when it resumes a session (`contextProjector`). As measured on 2.1.0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.engine.reading.reading import as_key, facts_of
from toolpair.formats.engine.sending import Said, no_result, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.kimi_code.detection import event_in
from toolpair.formats.kimi_code.folding import Entry, Fold, chain_of
from toolpair.formats.kimi_code.history import NEWEST, TITLE, KimiEvents
from toolpair.transcript.model import Block, Damaged, Transcript

INTERRUPTED: Final = (
    "Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully."
)
UNAVAILABLE: Final = (
    "Tool result is not available in the current context. Do not assume the tool completed successfully."
)
_FAILED: Final = "<system>ERROR: Tool execution failed.</system>"
_EMPTY: Final = "<system>Tool output is empty.</system>"
_FAILED_EMPTY: Final = "<system>ERROR: Tool execution failed. Tool output is empty.</system>"
_TIMED: Final = frozenset({"Agent", "AgentSwarm", "Bash", "FetchURL", "Glob", "Grep", "WebSearch"})
"""Tools whose results say how long they took."""
_NO_NAME: Final = "Kimi Code cannot read the result of a call without a name: no prompt works any more."
_CONTINUE: Final = (
    "<system-reminder>\nContext compaction is complete — continue the work that was in progress when it began.\n"
    "</system-reminder>"
)


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    unread = facts_of(transcript, KimiEvents).unread
    until = next((place for place, item in enumerate(items) if item.uid == unread), len(items))
    known = [item for item in items[:until] if not isinstance(item.value, Damaged)]
    folded = Fold().run(chain_of(known))
    blocks: dict[int, list[Block]] = {}
    for message in transcript.messages:
        for block in message.blocks:
            blocks.setdefault(block.record, []).append(block)
    said = list(_projected(folded.entries, blocks, {item.uid: event_in(item.value) for item in known}))
    every = [block for message in transcript.messages for block in message.blocks]
    changed = {id(part.block) for _, parts in said for part in parts if part.block is not None and _is_other(part)}
    refuses = _NO_NAME if any(part.value.get("name") is None for part in _answered(said)) else None
    return request(TITLE, NEWEST, said, every, refuses, changed=changed, missed={block.kind for block in every})


def _answered(said: Sequence[Said]) -> Iterator[SentPart]:
    """The calls whose results are the session's own."""
    results = {id(part.block): part for role, parts in said for part in parts if role == "tool"}
    ids = {as_key(part.value.get("tool_use_id")) for part in results.values() if part.block is not None}
    for role, parts in said:
        if role != "tool":
            yield from (part for part in parts if _is_call(part) and as_key(part.value.get("id")) in ids)


def _is_call(part: SentPart) -> bool:
    return part.block is not None and part.block.kind == "call"


def _is_other(part: SentPart) -> bool:
    """Whether more than a note was added to it."""
    return part.block is not None and part.block.text not in text_of(part.value.get("content", part.block.text))


def _projected(
    entries: Iterable[Entry], blocks: Mapping[int, list[Block]], events: Mapping[int, dict[str, Any]]
) -> Iterator[Said]:
    """Each call's result right behind its response; a result counts for the last call with its id before it."""
    said: list[tuple[str, list[SentPart], list[Any]]] = []
    names: dict[Any, str | None] = {}
    open_calls: dict[Any, tuple[int, int]] = {}
    slots: list[tuple[Any, SentPart | None]] = []
    for entry in entries:
        own = [block for uid in entry.uids for block in blocks.get(uid, ())]
        if entry.role == "tool":
            place = open_calls.pop(entry.answers, None)
            if place is not None:
                slots[place[1]] = entry.answers, _result(entry, own, names.get(entry.answers), events)
            continue
        parts = [SentPart.of(block) for block in own if _says(block)]
        if not entry.uids:
            parts = [SentPart({"type": "text", "text": _CONTINUE})]
        if not parts:
            continue
        places = []
        for block in own:
            if block.kind == "call":
                before = open_calls.get(block.id) if isinstance(block.id, str) else None
                if before is not None:
                    slots[before[1]] = block.id, SentPart(no_result(block.id, UNAVAILABLE))
                places.append(len(slots))
                slots.append((block.id, None))
                if isinstance(block.id, str):
                    names[block.id] = block.name
                    open_calls[block.id] = (len(said), places[-1])
        said.append((entry.role, parts, places))
    for role, parts, places in said:
        yield role, parts
        for slot in places:
            id_, result = slots[slot]
            yield "tool", [result if result is not None else SentPart(no_result(id_, UNAVAILABLE))]


def _says(block: Block) -> bool:
    return block.kind in ("call", "media", "other") or bool(block.text.strip())


def _result(entry: Entry, own: Sequence[Block], tool: str | None, events: Mapping[int, dict[str, Any]]) -> SentPart:
    block = next((block for block in own if block.kind == "result"), None)
    if block is None:
        return SentPart(no_result(entry.answers, f"{_FAILED}\n{INTERRUPTED}"))
    content = block.value.get("content")
    said = _rendered(content, block.is_error)
    result = events.get(block.record, {}).get("result")
    took = result.get("durationMs") if isinstance(result, dict) else None
    note = result.get("note") if isinstance(result, dict) else None
    if isinstance(took, (int, float)) and tool is not None and (tool in _TIMED or tool.startswith("mcp__")):
        head = f"Wall time: {took / 1000:.3f} seconds"
        said = [_text(f"{head}\n{said[0]['text']}"), *said[1:]] if _is_text(said) else [_text(head), *said]
    if isinstance(note, str) and note:
        said = [_text(f"{said[0]['text']}\n{note}")] if len(said) == 1 and _is_text(said) else [*said, _text(note)]
    whole = said[0]["text"] if len(said) == 1 and _is_text(said) else said
    return SentPart.of(block) if whole == content else SentPart({**block.value, "content": whole}, block)


def _rendered(content: Any, failed: bool) -> list[Any]:
    """An output with what became of the call."""
    parts = [_text(content)] if isinstance(content, str) else list(content or ())
    if all(_is_text([part]) and not part["text"].strip() for part in parts):
        return [_text(_FAILED_EMPTY if failed else _EMPTY)]
    if len(parts) == 1 and _is_text(parts):
        text = parts[0]["text"]
        if failed:
            return [_text(f"{_FAILED}\n{text}")]
        return [_text(_EMPTY if text.strip() == "Tool output is empty." else text)]
    return [_text(_FAILED), *parts] if failed else parts


def _text(said: Any) -> dict[str, Any]:
    return {"type": "text", "text": said}


def _is_text(parts: Sequence[Any]) -> bool:
    return bool(parts) and isinstance(parts[0], dict) and isinstance(parts[0].get("text"), str)
