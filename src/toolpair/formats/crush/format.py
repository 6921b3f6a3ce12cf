"""Crush's sessions: rows of a database, a list of parts in each. As in its source at 0.90.0; nothing is measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.formats.crush.detection import MESSAGES, SESSIONS, row_in
from toolpair.formats.engine.damage.lost import read_by_go
from toolpair.formats.engine.reading.clock import seconds_in
from toolpair.formats.engine.reading.reading import as_text, pairs_in
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.sending import Said, no_result, request
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, SentPart, SentRequest, View
from toolpair.formats.forms.registry import Form, form_in
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import COMPACTED, Block, Boundary, Message, Transcript

TITLE: Final = "Crush"
NO_RESULT: Final = (
    "tool call was interrupted and did not produce a result, you may retry this call if the result is still needed"
)
_STOPS: Final = "Crush cannot list the messages of this session"


@cache
def form() -> Form:
    return form_in(Path(__file__).with_name("rows.toml"))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    session = next((row for item in items[:1] if (row := row_of(item.value, SESSIONS))), {})
    rows = [item for item in items if not row_of(item.value, SESSIONS)]
    summary = session.get("summary_message_id")
    named = [place for place, item in enumerate(rows) if summary and row_in(item.value).get("id") == summary]
    start = named[0] if named else 0
    made, before = form().read(rows[start:], view), form().read(rows[:start], view)
    values = {item.uid: row_in(item.value) for item in rows}
    messages = [_said(message, values) for message in made.messages]
    if named and messages:
        words = tuple(block for block in messages[0].blocks if block.kind != "call")
        messages[0] = replace(messages[0], role="user", blocks=words, note="summary")
    return replace(
        made,
        messages=tuple(messages),
        native=True,
        agent=TITLE,
        session_id=as_text(session.get("id")),
        model=next((model for row in reversed(values.values()) if (model := as_text(row.get("model")))), None),
        scopes={**made.scopes, **dict.fromkeys((item.uid for item in rows[:start]), "inactive")},
        inactive_blocks=pairs_in(block for message in before.messages for block in message.blocks),
        boundaries=(Boundary(0, COMPACTED, rows[start].uid),) if named else (),
    )


def _said(message: Message, rows: dict[int, dict[str, Any]]) -> Message:
    """Without notes of how a response ended; a command that the user ran is what is said of it."""
    blocks = (_in_words(block) for block in message.blocks)
    return replace(message, blocks=tuple(block for block in blocks if block is not None))


def _in_words(block: Block) -> Block | None:
    kind = block.value.get("type") if block.kind == "other" and isinstance(block.value, dict) else None
    if kind == "finish":
        return None
    ran = block.value.get("data") if kind == "shell_command" else None
    if not isinstance(ran, dict):
        return block
    text = f"$ {ran.get('command')}\n{ran.get('output')}\n(exit code {ran.get('exit_code')})"
    return WrittenBlock("text", {"type": "text", "text": text}, block.record, block.slot)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return list(items)  # it is never written


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    """`preparePrompt`: whatever has no partner anywhere in the history is left out, or answered."""
    called = {block.id for message in transcript.messages for block in message.calls if _is_id(block)}
    answered = {block.id for message in transcript.messages for block in message.results if _is_id(block)}
    blocks = [block for message in transcript.messages for block in message.blocks]
    return request(TITLE, None, list(_sent(transcript, called, answered)), blocks, missed={one.kind for one in blocks})


def _sent(transcript: Transcript, called: set[Any], answered: set[Any]) -> Iterator[Said]:
    for message in transcript.messages:
        parts = [SentPart.of(block) for block in message.blocks if _is_sent(block, called)]
        if parts:
            yield str(message.role), parts
        missing = [call for call in message.calls if not (_is_id(call) and call.id in answered)]
        if missing and message.role == "assistant":
            yield "tool", [SentPart(no_result(call.id, NO_RESULT)) for call in missing]


def _is_id(block: Block) -> bool:
    return isinstance(block.id, str)


def _is_sent(block: Block, called: set[Any]) -> bool:
    if block.kind == "result":
        return _is_id(block) and block.id in called
    return block.kind != "text" or bool(block.text.strip())


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    stops = ResumeEffect("stops", _STOPS, "rejected", complete=False, splits=False)
    return [read_by_go(one, "Crush") if one.readable else stops for one in found]


def time_of(value: Any) -> float | None:
    return seconds_in(row_of(value, MESSAGES), "created_at")
