"""Mistral Vibe's sessions: `messages.jsonl`, one chat message in each line, beside `meta.json`. As measured on 3.0.2
and 2.24.5.

From 2.26 on Vibe keeps new sessions in a store of its own (`unified`), which is not read here; it still resumes these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.openai_chat import message_of, waiting_in
from toolpair.dialects.openai_chat_writer import WRITER
from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, no_message
from toolpair.formats.engine.reading.reading import as_text, facts_of, malformed_in, pairs_in
from toolpair.formats.engine.sending import Said, request
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, SentPart, SentRequest, View
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause
from toolpair.source import peek
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import COMPACTED, Boundary, Damaged, Message, Transcript

TITLE: Final = "Mistral Vibe"
NEWEST: Final = "3.0.2"
BEFORE: Final = "2.24.5"
_CHANGED_SINCE: Final = (2, 26)
"""From which version on a call without a result is sent as it is."""
META: Final = "meta.json"
FILLED: Final = "<user_cancellation>Tool execution interrupted - no response available</user_cancellation>"
_MARKS: Final = tuple(
    f"<{end}{name}>" for name in ("previous_user_messages", "compaction_summary") for end in ("", "/")
)
STOPS: Final = "Mistral Vibe does not resume this session"
_META_SIZE: Final = 1 << 20
_MOST_READ: Final = 1 << 28
"""Bytes of a file in which empty lines are looked for."""


class VibeFile(Struct, frozen=True):
    has_empty_line: bool = False
    """An empty line belongs to no message, and Vibe reads each line as one."""


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    waiting = waiting_in([item.value for item in items])
    scopes = malformed_in(items)
    old = _is_old(view.agent_version)
    before: list[Message] = []
    """What a summary stands for."""
    messages: list[Message] = []
    for item in items:
        message = message_of(item.value, item.uid, waiting) if isinstance(item.value, dict) else None
        if message is None:
            scopes[item.uid] = "malformed"
            continue
        if old and is_summary(item.value):
            before += messages
            messages = []
        messages.append(message)
    scopes |= {uid: "inactive" for message in before for uid in message.records}
    about = meta_beside(view)
    return Transcript(
        tuple(messages),
        layout="tool_messages",
        native=True,
        agent=TITLE,
        agent_version=view.agent_version,
        agent_facts=VibeFile(_has_empty_line(view)),
        session_id=as_text(about.get("session_id")),
        folder=folder_in(about),
        scopes=scopes,
        inactive_blocks=pairs_in(block for message in before for block in message.blocks),
        boundaries=(Boundary(0, COMPACTED, messages[0].records[0]),) if before and messages else (),
    )


def is_summary(value: dict[str, Any]) -> bool:
    """Whether it is the summary of a compaction: nothing before the last one was sent."""
    if value.get("context_boundary") == "compaction":
        return True
    text = as_text(value.get("content")) or ""
    own = value.get("role") == "user" and value.get("injected") is True
    return own and all(mark in text for mark in _MARKS)


def _has_empty_line(view: View) -> bool:
    lines = peek.head(str(view.beside.path), _MOST_READ).split(b"\n") if view.beside is not None else []
    return not all(map(bytes.strip, lines[: -1 if lines and not lines[-1] else None]))


def meta_beside(view: View) -> dict[str, Any]:
    return _meta(view.beside.start(META, _META_SIZE)) if view.beside is not None else {}


def meta_in(folder: Path) -> dict[str, Any]:
    return _meta(peek.head(str(folder / META), _META_SIZE))


def _meta(data: bytes) -> dict[str, Any]:
    found = peek.parse(data)
    return found if isinstance(found, dict) else {}


def folder_in(about: dict[str, Any]) -> str | None:
    where = about.get("environment")
    return as_text(where.get("working_directory")) if isinstance(where, dict) else None


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    said = [(str(one.role), list(map(SentPart.of, one.blocks))) for one in transcript.messages if one.role != "system"]
    old = _is_old(transcript.agent_version)
    sent = _filled(said) if old else said
    blocks = (block for message in transcript.messages for block in message.blocks)
    stops = any(map(_is_none, items)) or facts_of(transcript, VibeFile).has_empty_line
    refuses = f"{STOPS}: it has a line that is not a message." if stops else None
    return request(TITLE, BEFORE if old else NEWEST, sent, blocks, refuses)


def _is_none(item: Item) -> bool:
    return not isinstance(item.value, (dict, Damaged))


def _is_old(version: str | None) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version or NEWEST)
    return found is not None and (int(found[1]), int(found[2])) < _CHANGED_SINCE


def _filled(said: Sequence[Said]) -> list[Said]:
    """With a result for each call that has none right behind its message. As many messages as it has calls are then
    passed over, whatever they are.
    """
    made = list(said)
    place = 0
    while place < len(made):
        calls = [part for part in made[place][1] if part.block is not None and part.block.kind == "call"]
        if calls:
            end = place + 1
            while end < len(made) and made[end][0] == "tool":
                end += 1
            answered = {_id(part) for _, parts in made[place + 1 : end] for part in parts}
            if len(answered) < len(calls):
                made[end:end] = [("tool", [_no_result(part)]) for part in calls if _id(part) not in answered]
        place += 1 + len(calls)
    return made


def _id(part: SentPart) -> str:
    """An id as it is compared."""
    return str(part.block.id if part.block is not None else part.value.get("tool_call_id"))


def _no_result(call: SentPart) -> SentPart:
    name = call.block.name if call.block is not None else None
    return SentPart({"role": "tool", "tool_call_id": _id(call), "name": name, "content": FILLED})


# --- damage, and what is written ---------------------------------------------------------------------------


def _damage(damage: Damage) -> ResumeEffect | None:
    if damage.rule == "record.bom":
        return ResumeEffect("harmless", f"{TITLE} ignores it", "healed")
    if damage.readable and damage.rule != "record.lone_surrogate":
        return effect_on_readers(damage, TITLE)
    return ResumeEffect("stops", STOPS, "rejected", ends_line=damage.last)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(map(_damage, found))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    """Lines that are no messages. Fields that no API knows are Vibe's own, which it does not send."""
    context.problems[:] = [problem for problem in context.problems if problem.rule != "field.unsupported"]
    if items and facts_of(context.transcript, VibeFile).has_empty_line:
        cause = Cause("record.bad_json", "an editor left it, or another program wrote it")
        text = f"The file has an empty line, so {STOPS}."
        left = "Remove the empty line in an editor."
        add_error(context, "record.bad_json", text, items[0].uid, "stops", cause, no_fix=left)
    for item in items:
        if _is_none(item):
            text = f"This line is not a message, so {STOPS}."
            no_message(context, item, text, empty=not item.value, impact="stops", no_fix="Only you know what it is.")


class _Envelope(Envelope, frozen=True):
    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        """As Vibe writes each message, by which the file is known to be its."""
        return {**message, "injected": False}


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return Linear(items, transcript, WRITER, _Envelope()).run(edits)
