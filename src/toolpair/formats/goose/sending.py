"""What goose would send, as compared with the agent itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import goose as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.reading import blocks_by_key, facts_of
from toolpair.formats.engine.sending import is_blank
from toolpair.formats.format import Fate, Item, SentMessage, SentPart, SentRequest
from toolpair.formats.goose.detection import MESSAGES, ROLES, content_key, fields_of, is_message, row_slot
from toolpair.formats.goose.history import TITLE, Facts, is_visible, unreadable_in
from toolpair.transcript.model import Block, Damaged, Transcript

VERSION: Final = "1.52.0"
_EMPTY: Final = "(empty result)"
_NO_IMAGE: Final = "[Image content removed - not supported in assistant messages]"
_HAS_IMAGE: Final = "This tool result included an image that is uploaded in the next message."
_FAILED: Final = "The tool call returned the following error:\n-32603: "
_FAILED_IN_TURNS: Final = "Error: -32603: "
_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_STOPS: Final = "goose does not start: it crashes at a row that it cannot read."


class _Part(Struct, eq=False, dict=True):
    """A part of a message on its way out, as goose writes it."""

    raw: dict[str, Any]
    block: Block | None

    @cached_property
    def type(self) -> str | None:
        return type_name(self.raw)

    @property
    def is_empty(self) -> bool:
        return self.type == "text" and self.raw["text"] == ""


_Said = tuple[str, list[_Part]]


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    own, unreadable = blocks_by_key(transcript), unreadable_in(transcript)
    in_rows = any(MESSAGES in item.value for item in items if isinstance(item.value, dict))
    refuses = None
    said: list[_Said] = []
    for item in items:
        if isinstance(item.value, Damaged) or item.uid in unreadable:
            refuses = _STOPS if in_rows else refuses
        elif is_message(item.value) and is_visible(item.value) and fields_of(item.value).get("role") in ROLES:
            said.append((fields_of(item.value)["role"], list(_for_the_model(item, own))))
    # Once when it loads the session, and once for each request.
    said = _prepared(_prepared([] if refuses is not None else said))
    in_turns = facts_of(transcript, Facts).in_turns
    sent = list(_in_turns(said) if in_turns else _in_chat(said))
    fates: dict[int, Fate] = {id(b): "dropped" for b in own.values() if b.kind in ("call", "result") or is_blank(b)}
    fates.update((id(part.block), "sent") for message in sent for part in message.parts if part.block is not None)
    return SentRequest(TITLE, VERSION, tuple(message for message in sent if message.parts), fates, refuses)


def _for_the_model(item: Item, own: Mapping[Any, Block]) -> Iterator[_Part]:
    key = content_key(item.value)
    slot = (*row_slot(item.value), key)
    for number, raw in enumerate(fields_of(item.value)[key]):
        if not _is_for_model(raw):
            continue
        if type_name(raw) == dialect.RESULT and isinstance(parts := _content(raw), list):
            raw = _with_content(raw, [part for part in parts if _is_for_model(part)])
        yield _Part(raw, own.get((item.uid, (*slot, number))))


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


def _prepared(said: Iterable[_Said]) -> list[_Said]:
    """What goose makes of its messages before each request: it leaves out whatever has no partner."""
    whole = _without_empty((role, _joined(parts) if role == "assistant" else parts) for role, parts in said)
    waiting: set[str] = set()
    paired = [(role, [part for part in parts if _has_place(role, part, waiting)]) for role, parts in whole]
    answered = _without_empty(
        (role, [part for part in parts if part.type != dialect.CALL or part.raw["id"] not in waiting])
        for role, parts in paired
    )
    merged: list[_Said] = []
    last: tuple[str, bool] | None = None
    for role, parts in answered:
        kind = role, _are_results(parts)
        if kind == last:
            merged[-1][1].extend(parts)
        else:
            merged.append((role, list(parts)))
            last = kind
    return merged[1:] if merged and merged[0][0] == "assistant" else merged


def _are_results(parts: Iterable[_Part]) -> bool:
    return any(part.type == dialect.RESULT for part in parts)


def _without_empty(said: Iterable[_Said]) -> list[_Said]:
    return [(role, parts) for role, parts in said if not all(part.is_empty for part in parts)]


def _joined(parts: Iterable[_Part]) -> list[_Part]:
    """Texts in a row as one, without blanks at the end."""
    made: list[_Part] = []
    for part in parts:
        if part.type == "text" and made and made[-1].type == "text":
            last = made.pop()
            part = _Part({"type": "text", "text": last.raw["text"] + part.raw["text"]}, last.block)
        made.append(part)
    return [_trimmed(part) if part.type == "text" else part for part in made]


def _trimmed(part: _Part) -> _Part:
    text = part.raw["text"].rstrip()
    return part if text == part.raw["text"] else _Part({"type": "text", "text": text}, part.block)


def _has_place(role: str, part: _Part, waiting: set[str]) -> bool:
    """Whether it may stand in a message of this role. `waiting`: the ids of calls without a result so far."""
    if part.type == dialect.CALL and role == "assistant":
        waiting.add(part.raw["id"])
        return True
    if part.type == dialect.RESULT:
        found = role == "user" and part.raw["id"] in waiting
        if found:
            waiting.remove(part.raw["id"])
        return found
    return role == "assistant" or part.type not in (
        dialect.CALL,
        "toolConfirmationRequest",
        "thinking",
        "redactedThinking",
    )


def _in_chat(said: Iterable[_Said]) -> Iterator[SentMessage]:
    """As chat messages: words come before results, wherever they stand."""
    for role, parts in said:
        words = [sent for part in parts if (sent := _chat_part(role, part)) is not None]
        yield SentMessage(role, tuple(sorted(words, key=lambda part: "function" in part.value)))
        results: list[SentPart] = []
        for part in parts:
            if part.type != dialect.RESULT:
                continue
            content = _texts(part.raw, " ", _FAILED)
            value = {"type": "tool_result", "tool_use_id": part.raw["id"], "content": content}
            results.append(SentPart(value, part.block))
            if images := _images(part.raw):
                yield SentMessage("user", tuple(results))
                yield SentMessage("user", tuple(map(SentPart, images)))
                results = []
        yield SentMessage("user", tuple(results))


def _chat_part(role: str, part: _Part) -> SentPart | None:
    if part.type == dialect.CALL:
        called = dialect.spelled(part.raw)
        name = _NO_NAME.sub("_", called["name"])
        spelled = {"name": name, "arguments": _json(_arguments(called["input"]))}
        return SentPart({"id": part.raw["id"], "type": "function", "function": spelled}, part.block)
    if part.type in ("image", "document") and role == "assistant":
        return SentPart({"type": "text", "text": _NO_IMAGE}, part.block)
    return _word(part)


def _word(part: _Part) -> SentPart | None:
    if part.type in ("image", "document") or (part.type == "text" and not part.is_empty):
        return SentPart(dialect.spelled(part.raw), part.block)
    return None


def _in_turns(said: Iterable[_Said]) -> Iterator[SentMessage]:
    """As messages whose blocks stay in their order."""
    for role, parts in said:
        made: list[SentPart] = []
        for part in parts:
            if part.type == dialect.RESULT:
                failed = {"is_error": True} if isinstance(_content(part.raw), str) else {}
                content: Any = _texts(part.raw, "\n", _FAILED_IN_TURNS, with_images=False)
                if images := _images(part.raw):
                    content = [*([{"type": "text", "text": content}] if content else []), *images]
                value = {"type": "tool_result", "tool_use_id": part.raw["id"], "content": content, **failed}
                made.append(SentPart(value, part.block))
            elif part.type == dialect.CALL:
                called = dialect.spelled(part.raw)
                made.append(SentPart({**called, "input": _arguments(called["input"])}, part.block))
            elif (word := _word(part)) is not None:
                made.append(word)
        yield SentMessage(role, tuple(made))


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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
