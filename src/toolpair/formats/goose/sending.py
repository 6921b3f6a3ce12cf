"""What goose would send, as compared with the agent itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects import goose as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import blocks_by_key, facts_of
from toolpair.formats.engine.sending import Said, as_javascript, merged, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.goose.detection import MESSAGES, ROLES, content_key, fields_of, is_message, row_slot
from toolpair.formats.goose.history import TITLE, GooseRecords, is_visible, unreadable_in
from toolpair.transcript.model import Block, Damaged, Transcript

VERSION: Final = "1.52.0"
_EMPTY: Final = "(empty result)"
_NO_IMAGE: Final = "[Image content removed - not supported in assistant messages]"
_HAS_IMAGE: Final = "This tool result included an image that is uploaded in the next message."
_FAILED: Final = "The tool call returned the following error:\n-32603: "
_FAILED_IN_TURNS: Final = "Error: -32603: "
_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_STOPS: Final = "goose does not start: it crashes at a row that it cannot read."


def _is_empty(part: SentPart) -> bool:
    return type_name(part.value) == "text" and part.value["text"] == ""


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    before, after = said_around(transcript)
    own, unreadable = blocks_by_key(transcript), unreadable_in(transcript)
    in_rows = any(MESSAGES in item.value for item in items if isinstance(item.value, dict))
    refuses = None
    said: list[Said] = [*before]
    for item in items:
        if isinstance(item.value, Damaged) or item.uid in unreadable:
            refuses = _STOPS if in_rows else refuses
        elif is_message(item.value) and is_visible(item.value) and fields_of(item.value).get("role") in ROLES:
            said.append((fields_of(item.value)["role"], list(_for_the_model(item, own))))
    said += after
    # Once when it loads the session, and once for each request.
    said = _prepared(_prepared([] if refuses is not None else said))
    in_turns = facts_of(transcript, GooseRecords).in_turns
    sent = (one for one in (_in_turns(said) if in_turns else _in_chat(said)) if one[1])
    return request(TITLE, VERSION, sent, own.values(), refuses, changed=())


def _for_the_model(item: Item, own: Mapping[Any, Block]) -> Iterator[SentPart]:
    key = content_key(item.value)
    slot = (*row_slot(item.value), key)
    for number, raw in enumerate(fields_of(item.value)[key]):
        if not _is_for_model(raw):
            continue
        if type_name(raw) == dialect.RESULT and isinstance(parts := _content(raw), list):
            raw = _with_content(raw, [part for part in parts if _is_for_model(part)])
        yield SentPart(raw, own.get((item.uid, (*slot, number))))


def _is_for_model(part: dict[str, Any]) -> bool:
    notes = part.get("annotations")
    audience = notes.get("audience") if isinstance(notes, dict) else None
    return not isinstance(audience, list) or "assistant" in audience


def _content(result: dict[str, Any]) -> list[dict[str, Any]] | str:
    """The parts of a result; a text for one that failed."""
    said = result["toolResult"]
    if said["status"] == "error":
        return str(said["error"])
    value = said["value"]
    found = value if isinstance(value, list) else value.get("content")
    return found if isinstance(found, list) else []


def _with_content(result: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {**result, "toolResult": {"status": "success", "value": {"content": parts}}}


def _prepared(said: Iterable[Said]) -> list[Said]:
    """What goose makes of its messages before each request: it leaves out whatever has no partner."""
    whole = _without_empty((role, _joined(parts) if role == "assistant" else parts) for role, parts in said)
    waiting: set[str] = set()
    paired = [(role, [part for part in parts if _has_place(role, part, waiting)]) for role, parts in whole]
    answered = _without_empty(
        (role, [part for part in parts if not _is(part, dialect.CALL) or part.value["id"] not in waiting])
        for role, parts in paired
    )
    together = merged(answered, lambda role, parts: (role, any(_is(part, dialect.RESULT) for part in parts)))
    return together[1:] if together and together[0][0] == "assistant" else together


def _is(part: SentPart, *types: str) -> bool:
    return type_name(part.value) in types


def _without_empty(said: Iterable[Said]) -> list[Said]:
    return [(role, parts) for role, parts in said if not all(map(_is_empty, parts))]


def _joined(parts: Iterable[SentPart]) -> list[SentPart]:
    """Texts in a row as one, without blanks at the end."""
    made: list[SentPart] = []
    for part in parts:
        if _is(part, "text") and made and _is(made[-1], "text"):
            last = made.pop()
            part = SentPart({"type": "text", "text": last.value["text"] + part.value["text"]}, last.block)
        made.append(part)
    return [_trimmed(part) if _is(part, "text") else part for part in made]


def _trimmed(part: SentPart) -> SentPart:
    text = part.value["text"].rstrip()
    return part if text == part.value["text"] else SentPart({"type": "text", "text": text}, part.block)


def _has_place(role: str, part: SentPart, waiting: set[str]) -> bool:
    """Whether it may stand in a message of this role. `waiting`: the ids of calls without a result so far."""
    if _is(part, dialect.CALL) and role == "assistant":
        waiting.add(part.value["id"])
        return True
    if _is(part, dialect.RESULT):
        found = role == "user" and part.value["id"] in waiting
        if found:
            waiting.remove(part.value["id"])
        return found
    return role == "assistant" or not _is(part, dialect.CALL, "toolConfirmationRequest", "thinking", "redactedThinking")


def _in_chat(said: Iterable[Said]) -> Iterator[Said]:
    """As chat messages: words come before results, wherever they stand."""
    for role, parts in said:
        words = [sent for part in parts if (sent := _chat_part(role, part)) is not None]
        yield role, sorted(words, key=lambda part: "function" in part.value)
        results: list[SentPart] = []
        for part in parts:
            if not _is(part, dialect.RESULT):
                continue
            content = _texts(part.value, " ", _FAILED)
            results.append(
                SentPart({"type": "tool_result", "tool_use_id": part.value["id"], "content": content}, part.block)
            )
            if images := _images(part.value):
                yield "user", results
                yield "user", [*map(SentPart, images)]
                results = []
        yield "user", results


def _chat_part(role: str, part: SentPart) -> SentPart | None:
    if _is(part, dialect.CALL):
        called = dialect.spelled(part.value)
        name = _NO_NAME.sub("_", called["name"])
        spelled = {"name": name, "arguments": as_javascript(_arguments(called["input"]))}
        return SentPart({"id": part.value["id"], "type": "function", "function": spelled}, part.block)
    if _is(part, "image", "document") and role == "assistant":
        return SentPart({"type": "text", "text": _NO_IMAGE}, part.block)
    return _word(part)


def _word(part: SentPart) -> SentPart | None:
    if _is(part, "image", "document", "text") and not _is_empty(part):
        return SentPart(dialect.spelled(part.value), part.block)
    return None


def _in_turns(said: Iterable[Said]) -> Iterator[Said]:
    """As messages whose blocks stay in their order."""
    for role, parts in said:
        yield role, [sent for part in parts if (sent := _part_in_turn(part)) is not None]


def _part_in_turn(part: SentPart) -> SentPart | None:
    if _is(part, dialect.CALL):
        called = dialect.spelled(part.value)
        return SentPart({**called, "input": _arguments(called["input"])}, part.block)
    if not _is(part, dialect.RESULT):
        return _word(part)
    failed = {"is_error": True} if isinstance(_content(part.value), str) else {}
    content: Any = _texts(part.value, "\n", _FAILED_IN_TURNS, with_images=False)
    if images := _images(part.value):
        content = [*([{"type": "text", "text": content}] if content else []), *images]
    value = {"type": "tool_result", "tool_use_id": part.value["id"], "content": content, **failed}
    return SentPart(value, part.block)


def _texts(result: dict[str, Any], between: str, failed: str, *, with_images: bool = True) -> str:
    """What the model reads of a result."""
    content = _content(result)
    if isinstance(content, str):
        return failed + content
    texts: list[str] = []
    for part in content:
        match type_name(part):
            case "image":
                texts += [_HAS_IMAGE] if with_images else []
            case "resource":
                texts.append(dialect.resource_text(part))
            case _:
                texts.append(part["text"] if type_name(part) == "text" else "")
    return between.join([*texts, *([] if any(texts) or _images(result) else [_EMPTY])])


def _images(result: dict[str, Any]) -> list[Any]:
    content = _content(result)
    return [dialect.spelled(part) for part in content if isinstance(part, dict) and type_name(part) == "image"]


def _arguments(given: Any) -> Any:
    return given if isinstance(given, dict) else {"value": given}
