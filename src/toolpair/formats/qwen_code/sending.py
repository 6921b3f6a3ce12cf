"""What Qwen Code sends of Gemini's contents to an API of Chat Completions: what it moves, fills in and leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct, field

from toolpair.dialects.gemini import part_block
from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import blocks_by_key, facts_of
from toolpair.formats.engine.sending import Said, as_javascript, merged, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.qwen_code.history import NEWEST, TITLE, QwenHistory, history_of
from toolpair.transcript.model import Block, Transcript

NO_RESULT: Final = (
    "Tool execution result was not recorded — likely interrupted by network failure, abort, or process exit. "
    "Treat as failure and retry if needed."
)
TIMED_OUT: Final = "(request timeout)"
"""A response of this text alone is not sent."""


def _call(part: SentPart) -> dict[str, Any] | None:
    found = part.value.get("functionCall")
    return found if isinstance(found, dict) else None


def _response(part: SentPart) -> dict[str, Any] | None:
    found = part.value.get("functionResponse")
    return found if isinstance(found, dict) else None


class _Content(Struct, eq=False):
    role: Any
    parts: list[SentPart]


class _Message(Struct, eq=False):
    """A message of the request: `role` is "user", "assistant" or "tool"."""

    role: str
    parts: list[SentPart]
    calls: dict[str, SentPart] = field(default_factory=dict)
    """By id."""
    id: str = ""
    """Of a result."""


def _part(raw: Any, block: Block | None) -> SentPart:
    """A part as the agent copies it: a list becomes an object."""
    return SentPart({str(key): one for key, one in enumerate(raw)} if isinstance(raw, list) else raw, block)


def _stand_in(role: str, parts: Sequence[SentPart]) -> _Content:
    """What stands for the records around a window."""
    texts = [SentPart({"text": part.value}, part.block) for part in parts]
    return _Content("model" if role == "assistant" else role, texts)


def _key(id_: Any) -> str:
    """The id as a key; empty for what counts as none."""
    return id_ if isinstance(id_, str) else json.dumps(id_, default=str) if id_ else ""


# --- answers are put behind their calls --------------------------------------------------------------------


def _repair(history: list[_Content]) -> None:
    """Put each answer behind its call, and one that says that there is none where none is near."""
    at = 0
    while at < len(history):
        named = {_key(call.get("id")): call for part in history[at].parts if (call := _call(part)) is not None}
        named.pop("", None)
        if history[at].role == "model" and named:
            at += _answer(history, at, named)
        at += 1


def _answer(history: list[_Content], at: int, named: dict[str, dict[str, Any]]) -> int:
    """Answer these calls; how many contents were put in."""
    near = at + 1
    while near < len(history) and history[near].role == "model" and _timed_out(history[near]):
        near += 1
    end = near
    while end < len(history) and history[end].role == "user":
        end += 1
    found: dict[str, list[tuple[int, SentPart]]] = {}
    for turn in range(near, end):
        for part in history[turn].parts:
            if (response := _response(part)) is not None and (key := _key(response.get("id"))):
                found.setdefault(key, []).append((turn, part))
    filled = [
        SentPart({"functionResponse": {"id": call["id"], "name": call.get("name"), "response": {"error": NO_RESULT}}})
        for key, call in named.items()
        if key not in found
    ]
    places = [found[key] for key in named if key in found]
    moved = [first[0] for first in places if first[0][0] != near]
    gone = {id(part) for _, part in (*moved, *(one for first in places for one in first[1:]))}
    if not filled and not gone:
        return 0
    for content in history[near:end]:
        content.parts = [part for part in content.parts if id(part) not in gone]
    history[near + 1 : end] = [content for content in history[near + 1 : end] if content.parts]
    new = [*filled, *(part for _, part in moved)]
    if not new:
        return 0
    if near < len(history) and history[near].role == "user":
        parts = history[near].parts
        first = next((n for n, part in enumerate(parts) if _response(part) is None), len(parts))
        parts[first:first] = new
        return 0
    history.insert(near, _Content("user", new))
    return 1


def _timed_out(content: _Content) -> bool:
    parts = [part.value for part in content.parts]
    if not parts or any(part.get("functionCall") or not ("text" in part or part.get("thought")) for part in parts):
        return False
    return "".join(str(part.get("text") or "") for part in parts if not part.get("thought")).strip() == TIMED_OUT


# --- what is sent of it ------------------------------------------------------------------------------------


def _curated(history: Sequence[_Content]) -> Iterator[_Content]:
    """What the user says in a row as one; responses in a row only if none of them is empty."""
    for role, run in groupby(history, lambda content: content.role):
        contents = list(run)
        if role == "user":
            yield _Content("user", [part for one in contents for part in one.parts])
        elif all(map(_is_valid, contents)):
            yield from (one for one in contents if not _timed_out(one))


def _is_valid(content: _Content) -> bool:
    parts = [part.value for part in content.parts]
    return bool(parts) and not any(not part or _is_empty(part) for part in parts)


def _is_empty(part: dict[str, Any]) -> bool:
    return part.get("text") == "" and not (
        part.get("thought") or part.get("thoughtSignature") or "functionCall" in part
    )


def _messages(content: _Content) -> Iterator[_Message]:
    """A content as messages: results first."""
    of_model = content.role == "model"
    said: list[SentPart] = []
    calls: dict[str, SentPart] = {}
    answered: set[str] = set()
    for part in content.parts:
        call, response = _call(part), _response(part)
        if part.value.get("text") and (of_model or not part.value.get("thought")):
            said.append(_written(part))
        elif part.value.get("inlineData") or part.value.get("fileData"):
            said += [] if of_model else [_written(part)]
        if of_model and call is not None:
            key = _key(call.get("id")) or f"call_{len(calls)}"
            calls.setdefault(key, _written(part))
        if not of_model and response is not None:
            key = _key(response.get("id"))
            if key not in answered or not key:
                answered.add(key)
                yield _Message("tool", [_result(part, response)], id=key)
    if said or calls:
        yield _Message("assistant" if of_model else "user", said, calls)


def _written(part: SentPart) -> SentPart:
    return SentPart.of(part.block) if part.block is not None else SentPart(part_block(part.value, 0, ()).value)


def _result(part: SentPart, response: dict[str, Any]) -> SentPart:
    made = _written(part)
    text = _output(response.get("response"))
    content = made.value.get("content")
    if isinstance(content, list) and content and content[0].get("type") == "text" and response.get("parts"):
        return made
    return made if content == text else SentPart({**made.value, "content": text}, part.block)


def _output(said: Any) -> str:
    """What the model reads of a response."""
    if said is None or isinstance(said, str):
        return said or ""
    if isinstance(said, dict):
        words = next((said[key] for key in ("output", "error") if isinstance(said.get(key), str)), None)
        if words is not None:
            return str(words)
    return as_javascript(said)


def _joined(messages: Iterable[_Message]) -> list[_Message]:
    """Messages of the model in a row as one."""
    made: list[_Message] = []
    for message in messages:
        if made and message.role == made[-1].role == "assistant":
            last = made.pop()
            calls = {
                **last.calls,
                **{key if key not in last.calls else f"{key}\0": c for key, c in message.calls.items()},
            }
            message = _Message("assistant", [*last.parts, *message.parts], calls)
        made.append(message)
    return made


def _cleaned(messages: Sequence[_Message]) -> Iterator[_Message]:
    """Calls with the results right behind them; neither calls nor results that are alone, or whose id was used."""
    used: set[str] = set()
    for at, message in enumerate(messages):
        if message.role == "tool":
            continue
        if not message.calls:
            yield message
            continue
        waiting = {key for key in message.calls if key and not key.endswith("\0")} - used
        results: dict[str, _Message] = {}
        for following in messages[at + 1 :]:
            if following.role == "tool":
                if following.id in waiting:
                    results.setdefault(following.id, following)
            elif following.role != "assistant" or following.calls:
                break
        used.update(results)
        if results:
            calls = {key: call for key, call in message.calls.items() if key in results}
            yield _Message("assistant", message.parts, calls)
            yield from results.values()
        elif message.parts:
            yield _Message("assistant", message.parts)


def _sent(messages: Iterable[_Message]) -> Iterator[Said]:
    """The messages of the request, results in a row as one."""
    said = ((message.role, [*message.parts, *message.calls.values()]) for message in messages)
    for role, parts in merged(said, lambda role, _: role == "tool" or None):
        yield "user" if role == "tool" else role, parts


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = facts_of(transcript, QwenHistory)
    history = known if known.items is items else history_of(items, transcript.tree.leaf)
    own = blocks_by_key(transcript)
    contents = [
        _Content(role, [_part(raw, own.get(block.key) if block is not None else None) for raw, block in parts])
        for role, parts in (history.contents if history.refuses is None else ())
    ]
    before, after = ([_stand_in(*said) for said in around] for around in said_around(transcript))
    contents = [*before, *contents, *after]
    _repair(contents)
    messages = _joined(_cleaned(_joined(message for content in _curated(contents) for message in _messages(content))))
    return request(TITLE, NEWEST, _sent(messages), own.values(), history.refuses)
