"""What Cline's command line sends of a session, as read in its own code and held against the agent itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from toolpair.dialects.block_values import whole_characters
from toolpair.dialects.item_types import type_name
from toolpair.formats.cline_cli.compaction import BLANKS, Compaction, is_shown_only, without_tags
from toolpair.formats.cline_cli.history import TITLE, ClineFacts
from toolpair.formats.cline_cli.outdated import Reads
from toolpair.formats.engine.reading.reading import blocks_by_key
from toolpair.formats.engine.sending import as_javascript, merged, no_result, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.transcript.model import Block, Damaged, Transcript

VERSION: Final = "3.0.65"
EMPTY: Final = "ERROR: EMPTY CONTENT"
"""What the agent sends in place of a message that says nothing."""
_MISSING: Final = 'Cline CLI sends nothing: it stops with "Tool result is missing for tool call {}."'
_BLOCKS: Final = (*("text", "thinking", "redacted_thinking", "image", "media", "file", "tool_use", "tool_result"),)
"""The blocks that the agent sends. It leaves others out, and stops at a null."""
_INTERRUPTED: Final = "Tool execution was interrupted before a result was produced."
_CUT: Final = "\n\n...[truncated {} chars]...\n\n"
_WORDS_CUT: Final = "\n\n...[assistant text truncated: omitted {} chars]...\n\n"
_MOST_OF_RESULT: Final = 8_000
_MOST_OF_FILE: Final = 50_000
_MOST_OF_WORDS: Final = 200_000
"""UTF-16 units of a text that are sent; the middle of a longer one is left out."""
_BREAKS_OFF: Final = "Cline CLI cannot send this session: a message has no list of blocks that it knows."


class _Part(SentPart, frozen=True, eq=False):
    """A part of a message on its way out."""

    changed: bool = False
    """It says less than its block."""

    @property
    def is_result(self) -> bool:
        return type_name(self.value) == "tool_result"

    @property
    def is_call(self) -> bool:
        return type_name(self.value) in ("tool_use", "function")


class _Stops(Exception):
    """Raised where the agent fails to make a request."""


_Said = tuple[str, list[_Part]]


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    spells_json = not transcript.merged
    items = _sent_first(items, transcript)
    own = blocks_by_key(transcript)
    begins_anew = any(isinstance(item.value, Damaged) for item in items)
    try:
        told = _answered(_without_outdated(_loaded(() if begins_anew else items, own), transcript.agent_facts))
        said = [_as_sent(role, parts, spells_json) for role, parts in told]
        refuses = _unanswered(said)
    except _Stops:
        said, refuses = [], _BREAKS_OFF
    changed = {id(part.block): part.is_result for _, parts in said for part in parts if part.changed}
    shortened = frozenset(block for block, is_result in changed.items() if is_result)
    sent = (one for one in said if one[1])
    return request(TITLE, VERSION, sent, own.values(), refuses, changed=changed, shortened=shortened)


def _loaded(items: Sequence[Item], own: dict[Any, Block]) -> list[_Said]:
    """The messages as the agent keeps them: results apart from what else a message says, those in a row together."""
    runs = (run for item in items if not is_shown_only(item.value) for run in _runs(item, own))
    return merged(runs, lambda _, parts: bool(parts and parts[0].is_result) or None)


def _runs(item: Item, own: dict[Any, Block]) -> Iterator[_Said]:
    value = item.value
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise _Stops
    content = value.get("content")
    parts: list[_Part] = []
    if isinstance(content, str):
        if content.strip(BLANKS):
            parts.append(_Part({"type": "text", "text": content}, own.get((item.uid, ("content",)))))
    elif not isinstance(content, list) or None in content:
        raise _Stops
    else:
        known = ((number, raw) for number, raw in enumerate(content) if type_name(raw) in _BLOCKS)
        parts += (_Part(raw, own.get((item.uid, ("content", number)))) for number, raw in known)
    for are_results, run in groupby(parts, lambda part: part.is_result):
        yield "user" if are_results else value["role"], list(run)
    if not parts:
        yield value["role"], []


def _without_outdated(said: list[_Said], facts: Any) -> list[_Said]:
    if isinstance(facts, ClineFacts):
        reads, save_enough = facts.reads, facts.save_enough
    else:
        reads = new_reads()
        found = [reads.take(part.value) for _, parts in said for part in parts]
        save_enough = reads.save_enough(filter(None, found))
    for _, parts in said if save_enough else ():
        for number, part in enumerate(parts):
            if (value := reads.sent(part.value)) is not part.value:
                parts[number] = _Part(value, part.block, changed=True)
    return said


def new_reads() -> Reads:
    return Reads(_shortened)


def _answered(said: Iterable[_Said]) -> list[_Said]:
    """The messages, where each call without a result is answered, and words follow results in one message."""
    messages = list(said)
    known = {repr(part.value.get("tool_use_id")) for _, parts in messages for part in parts if part.is_result}
    made: list[_Said] = []
    waiting: dict[str, _Part] = {}

    def put(role: str, parts: list[_Part]) -> None:
        after_results = bool(made) and made[-1][0] == "user" and all(part.is_result for part in made[-1][1])
        if role == "user" and parts and after_results and made[-1][1]:
            made[-1] = ("user", [*made[-1][1], *parts])
        else:
            made.append((role, parts))

    for role, parts in messages:
        answers = list(waiting.values())
        waiting.clear()
        if parts and parts[0].is_result:
            put("user", parts + answers)
            continue
        if answers:
            put("user", answers)
        put(role, parts)
        for part in parts if role == "assistant" else ():
            id_ = part.value.get("id")
            if type_name(part.value) == "tool_use" and repr(id_) not in known:
                name = part.value.get("name")
                text = f"{_INTERRUPTED} Tool: {name}." if name else _INTERRUPTED
                waiting[repr(id_)] = _Part({**no_result(id_, [{"type": "text", "text": text}]), "name": name})
    if waiting:
        put("user", list(waiting.values()))
    return made


def _unanswered(said: Iterable[_Said]) -> str | None:
    """Why the agent stops at a call whose result does not come before somebody else's words; None if none does."""
    waiting: dict[str, None] = {}
    for role, parts in said:
        for part in parts:
            if part.is_result:
                waiting.pop(part.value["tool_use_id"], None)
        if role != "assistant" and waiting and not all(part.is_result for part in parts):
            break
        waiting |= dict.fromkeys(part.value["id"] for part in parts if part.is_call)
    first = next(iter(waiting), None)
    return None if first is None else stops_at(first)


def _as_sent(role: str, parts: Sequence[_Part], spells_json: bool) -> _Said:
    made = [sent for part in parts if (sent := _part(role, part, spells_json)) is not None]
    words = [part for part in made if not part.is_result]
    if not parts or (words and all(_is_blank_text(part.value) for part in words)):
        empty = _Part({"type": "text", "text": EMPTY}, words[0].block if words else None, changed=True)
        return role, [*(part for part in made if part.is_result), empty]
    return role, [part for part in made if part.value.get("text", ".") != ""]


def _is_blank_text(value: Any) -> bool:
    return type_name(value) == "text" and not value["text"].strip(BLANKS)


def _part(role: str, part: _Part, spells_json: bool) -> _Part | None:
    """A part as it goes out; None when it is left out."""
    value, kind = part.value, type_name(part.value)
    match kind:
        case "tool_result":
            return _result(part, spells_json)
        case "tool_use":
            if not isinstance(value.get("name"), str) or not isinstance(value.get("id"), str):
                raise _Stops
            if role != "assistant":
                return None
            given = value.get("input") if value.get("input") is not None else {}
            if not spells_json:
                return part if given is value.get("input") else _Part({**value, "input": given}, part.block)
            spelled = {"name": value["name"], "arguments": _as_json(given)}
            return _Part({"id": value.get("id"), "type": "function", "function": spelled}, part.block)
        case "text":
            if not isinstance(value.get("text"), str):
                raise _Stops
            short = without_tags(value["text"]) if role == "user" else value["text"]
            if role == "assistant":
                short = _cut(short, _MOST_OF_WORDS, _WORDS_CUT)
            short = whole_characters(short)
            return part if short == value["text"] else _Part({**value, "text": short}, part.block)
        case "file":
            text = _cut(str(value.get("content")), _MOST_OF_FILE, _CUT)
            said = f'<file_content path="{value.get("path")}">\n{text}\n</file_content>'
            return _Part({"type": "text", "text": said}, part.block)
        case "image" if not isinstance(value.get("data"), str):
            return None
    return part


def _result(part: _Part, spells_json: bool) -> _Part:
    """A result: what is not text goes out as JSON, and to some APIs text too."""
    value, content = part.value, part.value.get("content")
    if not isinstance(value.get("tool_use_id"), str) or not isinstance(value.get("name"), str):
        raise _Stops
    if not isinstance(content, (str, list)):
        if "content" not in value:
            raise _Stops  # the agent looks into it
        content = _as_json(content)
    short = _shortened(content)
    changed = part.changed or short is not content
    texts = isinstance(short, list) and bool(short) and all(type_name(one) == "text" for one in short)
    if isinstance(short, list) and texts and value.get("is_error") is not True:
        short = [{"type": "text", "text": one["text"]} for one in short]
    if isinstance(short, list) and (spells_json or not texts or value.get("is_error") is True):
        short = _as_json(short)
    if isinstance(short, str):
        short = whole_characters(short)
    error = {"is_error": True} if value.get("is_error") is True else {}
    return _Part(
        {"type": "tool_result", "tool_use_id": value.get("tool_use_id"), "content": short, **error}, part.block, changed
    )


def _shortened(value: Any) -> Any:
    """The value without the middle of its long texts; the same object when it has none."""
    if isinstance(value, str):
        return _cut(value, _MOST_OF_RESULT, _CUT)
    if isinstance(value, list):
        made: Any = [_shortened(one) for one in value]
        return made if any(new is not old for new, old in zip(made, value, strict=True)) else value
    if isinstance(value, dict) and not (type_name(value) == "image" and isinstance(value.get("data"), str)):
        made = {key: _shortened(one) for key, one in value.items()}
        return made if any(made[key] is not one for key, one in value.items()) else value
    return value


_HOLDERS: Final = (dict, list)


def is_shortened(value: Any) -> bool:
    """Whether the content of a result is sent without the middle of a text: as `_shortened`, with nothing made."""
    if isinstance(value, str):
        return len(value) > _MOST_OF_RESULT // 2 and _cut(value, _MOST_OF_RESULT, _CUT) is not value
    if isinstance(value, dict):
        if type_name(value) == "image" and isinstance(value.get("data"), str):
            return False
        value = value.values()
    elif not isinstance(value, list):
        return False
    least = _MOST_OF_RESULT // 2
    return any(is_shortened(one) for one in value if (len(one) > least if type(one) is str else type(one) in _HOLDERS))


def _cut(text: str, most: int, mark: str) -> str:
    if len(text) <= most // 2 or (len(text) <= most and text.isascii()):
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    count = len(units) // 2
    if count <= most:
        return text
    side = max(0, (most - len(mark.format(count - most))) // 2)
    said = mark.format(max(0, count - 2 * side))
    side = max(0, (most - len(said)) // 2)
    ends = units[: 2 * side], units[len(units) - 2 * side :]
    return said.join(end.decode("utf-16-le", "replace") for end in ends)


def stops(value: Any) -> bool:
    """Whether the agent fails to make a request of a record."""
    try:
        for role, parts in _runs(Item(0, value), {}):
            _as_sent(role, parts, True)
    except _Stops:
        return True
    return False


def _as_json(value: Any) -> str:
    return str(whole_characters(as_javascript(value)))


def stops_at(id_: Any) -> str:
    """Why it does not go on from a call that it has not answered: a result elsewhere has the same id."""
    return _MISSING.format(id_)


def _sent_first(items: Sequence[Item], transcript: Transcript) -> Sequence[Item]:
    """The records as the agent takes them up: a compaction's messages in place of those that it stands for."""
    found = transcript.agent_facts
    if not isinstance(found, Compaction):
        return items
    return [*(Item(-1 - number, value) for number, value in enumerate(found.messages)), *items[found.replaced :]]
