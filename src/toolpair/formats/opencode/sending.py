"""What opencode and Kilo would send, as read in their own code and compared with what they send."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.dialects.block_values import whole_characters
from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import blocks_by_key
from toolpair.formats.engine.sending import no_result, request, with_id
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.opencode.history import (
    KILO,
    OPENCODE,
    STOPS,
    StoredHistory,
    data_in,
    history_in,
    history_of,
    is_sent,
    is_unreadable,
)
from toolpair.formats.opencode.reading import steps, takes_files
from toolpair.transcript.id_shapes import sanitised
from toolpair.transcript.model import Block, Damaged, Transcript

NEWEST: Final = {OPENCODE: "1.18.33", KILO: "7.7.9"}
LAST_WITH_FOLDER: Final = {OPENCODE: "1.1.65", KILO: "1.0"}
"""The last versions that read a folder. Kilo's was not measured, only that later ones move it into their database."""
_NOT_FOR_MISTRAL: Final = re.compile(r"[^a-zA-Z0-9]")
_MISTRALS: Final = ("mistral", "devstral", "codestral", "pixtral", "mixtral")
_MEDIA: Final = "Attached media from tool result:"
_MEDIA_BEFORE: Final = "Attached image(s) from tool result:"


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = history_of(transcript)
    history = known if known.items is items else history_in(items, known.around)
    own = blocks_by_key(transcript)
    said_for_files = _MEDIA_BEFORE if history.in_folder else _MEDIA
    sent, after = said_around(transcript)
    for message in history.active:
        if not is_sent(message):
            continue
        data = {part.uid: data_in(part) for part in message.parts}
        is_own = (message.info.get("providerID"), message.info.get("modelID")) == history.model
        for said, results in steps(message, history):
            of_call = {block.record: own.get((block.record, block.slot), block) for block in results}
            answers: list[SentPart] = []
            files: list[SentPart] = []
            parts: list[SentPart] = []
            for block in (own.get((block.record, block.slot), block) for block in said):
                value = _sent_value(block, data[block.record], is_own, history.in_folder)
                if value is None:
                    continue
                if block.kind != "call":
                    parts.append(SentPart(value, block))
                else:
                    id_ = sent_id(block.id, history.model)
                    parts.append(SentPart(with_id(value, id_), block))
                    if answer := _answer(id_, of_call.get(block.record), data[block.record], history.in_folder):
                        answers.append(answer)
                    if not takes_files(history):
                        files += (SentPart(dialect.media_of(file)) for file in dialect.files_of(data[block.record]))
            sent += (one for one in ((message.role, parts), ("user", answers)) if one[1])
            if files:
                sent.append(("user", [SentPart({"type": "text", "text": said_for_files}), *files]))
    sent += after
    refuses = f"{history.agent} cannot send what this session says: {STOPS}." if history.failing else None
    read = [item.value for item in history.items[history.read_from :]]
    if any(isinstance(value, Damaged) or is_unreadable(value, history.in_folder) for value in read):
        refuses = f"{history.agent} cannot load a {'file' if history.in_folder else 'row'} of this session: {STOPS}."
    if history.lost is not None:
        refuses = f"{history.agent} cannot load this session: its own file is not JSON."
    if history.strays:
        refuses = (
            f"{history.agent} cannot load this session: {history.strays[0]} is in its way; move that file elsewhere."
        )
    return request(history.agent, version_of(history), sent, own.values(), refuses)


def version_of(history: StoredHistory) -> str:
    """The version that was measured of what resumes the session."""
    return (LAST_WITH_FOLDER if history.in_folder else NEWEST)[history.agent]


def sent_id(id_: Any, model: tuple[Any, Any]) -> Any:
    """The id that a call is sent with: for some models the agent writes it otherwise, on both sides."""
    name = model[1].lower() if isinstance(model[1], str) else ""
    if not isinstance(id_, str):
        return id_
    if "claude" in name:
        return sanitised(id_)
    if model[0] == "mistral" or any(one in name for one in _MISTRALS):
        return _NOT_FOR_MISTRAL.sub("", id_)[:9].ljust(9, "0")
    return id_


def _answer(id_: Any, result: Block | None, data: dict[str, Any], before: bool) -> SentPart | None:
    """The result that a call with this id is sent with."""
    if result is None and dialect.state_of(data).get("status") not in dialect.WAITING:
        return None
    if result is None:
        return SentPart(no_result(id_, dialect.INTERRUPTED))
    return SentPart(with_id(result.value if before else whole_characters(result.value), id_), result)


def _sent_value(block: Block, data: dict[str, Any], is_own: bool, before: bool) -> Any:
    """A block as it goes out; the same object when nothing is changed, None when it is left out."""
    value = block.value
    if block.kind == "call":
        state = dialect.state_of(data)
        if state.get("status") not in _STATES:
            return None
        if "input" not in state:
            return {key: found for key, found in value.items() if key != "input"}
    if block.kind == "thinking" and not is_own and not before:
        words = value.get("thinking")
        return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
    if block.kind == "text" and isinstance(value, dict) and value.get("text") == "":
        return None
    return whole_characters(value) if block.kind in ("text", "thinking") and not before else value


_STATES: Final = (*dialect.WAITING, "completed", "error")
