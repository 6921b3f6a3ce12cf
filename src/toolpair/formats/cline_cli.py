"""Cline's command line: sessions are `<id>/<id>.messages.json`, with a description in `<id>.json` beside it.

Messages with Anthropic's blocks, each result in a user message of its own. What is sent of them was read in the agent's
own code and held against the agent itself, 3.0.65.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.anthropic import message_of
from toolpair.dialects.item_types import type_name
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Fate,
    Item,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    SubagentSession,
    Usage,
    View,
)
from toolpair.formats.list_evidence import OF_ROO
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.transcript.edits import Edit, MendBytes, Remove, Reorder, SetValue
from toolpair.transcript.model import Block, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.turns import Outcome
    from toolpair.formats.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "Cline CLI"
VERSION: Final = "3.0.65"
_SUFFIX: Final = ".messages.json"
_ROLES: Final = ("user", "assistant")
_PROFILES: Final = {
    "anthropic": "anthropic",
    "claude-code": "anthropic",
    "minimax": "anthropic",
    "vertex": "vertex-anthropic",
    "bedrock": "bedrock-converse",
    "gemini": "gemini",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "groq": "groq",
    "moonshot": "moonshot",
    "openai-native": "openai-responses",
    "openai-codex": "openai-responses",
}
"""`modelInfo.provider` of a response -> the profile that its session is checked against; the others speak chat."""
_BLOCKS: Final = (*("text", "thinking", "redacted_thinking", "image", "media", "file", "tool_use", "tool_result"),)
"""The blocks that the agent sends. It leaves others out, and stops at a null."""
_EMPTY: Final = "ERROR: EMPTY CONTENT"
_INTERRUPTED: Final = "Tool execution was interrupted before a result was produced."
_CUT: Final = "\n\n...[truncated {} chars]...\n\n"
_WORDS_CUT: Final = "\n\n...[assistant text truncated: omitted {} chars]...\n\n"
_MOST_OF_RESULT: Final = 8_000
_MOST_OF_FILE: Final = 50_000
_MOST_OF_WORDS: Final = 200_000
"""UTF-16 units of a text that are sent; the middle of a longer one is left out."""
_TAGS: Final = tuple(
    (re.compile(rf"<{tag}\b[^>]*>([\s\S]*?)</{tag}>", re.ASCII), re.compile(rf"<{tag}[^>]*>"))
    for tag in ("user_input", "user_command")
)
_BLANKS: Final = " \t\n\r\v\f\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What the agent takes off the ends of a user's words."""
_HALF: Final = re.compile("[\ud800-\udfff]")
_BREAKS_OFF: Final = "Cline CLI cannot send this session: a message has no list of blocks that it knows."
_MISSING: Final = 'Cline CLI sends nothing: it stops with "Tool result is missing for tool call {}."'
_BEGINS_ANEW: Final = "Cline CLI begins an empty session in its place"
_OF_BLOCKS: Final = ("anthropic", "vertex-anthropic", "bedrock-converse")
"""Profiles of APIs that take the texts of a result as blocks, and whatever one role says in a row as one message."""
_SENT: Final[Outcome] = ("rejected", "Cline CLI sends it as it is, and the API refuses the session.", None)
_FILLED: Final[Outcome] = ("placeholder", "Cline CLI tells the model that this tool was interrupted.", None)
_OUTCOMES: Final[dict[str, Outcome]] = {
    **dict.fromkeys(
        (
            "result.orphan",
            "result.duplicate",
            "result.not_adjacent",
            "result.not_first",
            "result.crossed",
            "call.duplicate_id",
            "call.reused_id",
            "id.empty",
            "id.length",
            "id.pattern",
            "args.not_object",
        ),
        _SENT,
    ),
    "role.call_in_user": ("dropped", "Cline CLI leaves this call out and sends its result.", "the call"),
    "role.result_in_assistant": ("healed", "Cline CLI sends it as a result.", None),
    "result.type_not_allowed": ("healed", "Cline CLI sends this result as JSON.", None),
    **dict.fromkeys(
        ("record.no_message", "field.missing", "name.missing", "role.unknown", "content.null"),
        ("rejected", "Cline CLI stops before it sends anything.", "history"),
    ),
    "result.id_mismatch": (
        "rejected",
        "Cline CLI sends this result, and another one for the call, which says that the tool was interrupted; the API"
        " refuses the session.",
        None,
    ),
    "result.placeholder": ("placeholder", "Cline CLI sends the placeholder as it is.", "the real output"),
    "result.missing": _FILLED,
    "turn.trailing_call": _FILLED,
    "result.order": ("kept", "Cline CLI sends the results as they are, which the API accepts.", None),
    "result.split_over_messages": ("healed", "Cline CLI sends these results together.", None),
    "turn.alternation": ("healed", "Cline CLI sends both messages as they are, which the API accepts.", None),
    "turn.trailing_assistant": ("healed", "Cline CLI continues with your next words.", None),
    "content.empty_text": ("healed", "Cline CLI leaves the empty text out.", None),
    "content.empty_message": ("kept", f'Cline CLI sends "{_EMPTY}" in its place.', None),
    "record.lone_surrogate": ("healed", "Cline CLI replaces the damaged characters.", None),
}
"""What the agent makes of a problem, by its rule."""


# --- the transcript ----------------------------------------------------------------------------------------


def _is_own(value: Any) -> bool:
    """Whether it is a message as the agent writes it: with an id and a time in milliseconds."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES or not isinstance(value.get("id"), str):
        return False
    time, content = value.get("ts"), value.get("content")
    return isinstance(time, int) and time > 10**11 and (isinstance(content, (list, str)) or "content" not in value)


def _is_shown_only(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and metadata.get("displayOnly") is True


def _read(items: Sequence[Item], view: View, merges: bool) -> Transcript:
    scopes: dict[int, Scope] = {}
    sent: list[list[Message]] = []
    beside: list[Block] = []
    model = None
    for item in items:
        message = message_of(item.value, item.uid)
        if message is None:
            scopes[item.uid] = "malformed"
        elif _is_shown_only(item.value):
            scopes[item.uid] = "inactive"
            beside += (block for block in message.blocks if block.kind in ("call", "result"))
        else:
            model = _model(item.value).get("id", model)
            same = bool(sent) and sent[-1][0].role == message.role and bool(message.blocks and sent[-1][0].blocks)
            same = same and (merges or (message.role == "user" and all(map(_is_answer, sent[-1]))))
            sent[-1].append(message) if same else sent.append([message])
    name = view.beside.path.name if view.beside is not None else ""
    return Transcript(
        tuple(map(_as_one, sent)),
        merged=merges,
        native=True,
        agent=ClineCli.sub_agent if view.beside is not None and _is_sub_agents(view.beside) else TITLE,
        session_id=name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else None,
        model=model if isinstance(model, str) else None,
        scopes=scopes,
        inactive_blocks=tuple(beside),
    )


def _is_answer(message: Message) -> bool:
    return bool(message.blocks) and all(block.kind == "result" for block in message.blocks)


def _as_one(messages: Sequence[Message]) -> Message:
    """Messages of one role in a row, which are sent as one turn."""
    if len(messages) == 1:
        return messages[0]
    blocks = tuple(block for message in messages for block in message.blocks)
    records = tuple(uid for message in messages for uid in message.records)
    return replace(messages[0], blocks=blocks, records=records, shape="blocks")


def _model(value: Any) -> dict[str, Any]:
    found = value.get("modelInfo") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


# --- what is sent ------------------------------------------------------------------------------------------


class _Part(Struct, eq=False):
    """A part of a message on its way out. `block` is what it is made of; None when the agent added it."""

    value: Any
    block: Block | None
    changed: bool = False

    @property
    def is_result(self) -> bool:
        return type_name(self.value) == "tool_result"

    @property
    def is_call(self) -> bool:
        return type_name(self.value) in ("tool_use", "function")


class _Stops(Exception):
    """Raised where the agent fails to make a request."""


_Said = tuple[str, list[_Part]]


def _sees(items: Sequence[Item], transcript: Transcript, spells_json: bool) -> SentRequest:
    from toolpair.formats.turns import is_blank

    own = {block.key: block for message in transcript.messages for block in message.blocks}
    begins_anew = any(isinstance(item.value, Damaged) for item in items)
    try:
        told = _answered(_loaded(() if begins_anew else items, own))
        said = [_as_sent(role, parts, spells_json) for role, parts in told]
        refuses = _unanswered(said)
    except _Stops:
        said, refuses = [], _BREAKS_OFF
    fates: dict[int, Fate] = {id(b): "dropped" for b in own.values() if b.kind in ("call", "result") or is_blank(b)}
    for part in (part for _, parts in said for part in parts):
        if part.block is not None:
            fates[id(part.block)] = "changed" if part.changed else "sent"
    messages = tuple(
        SentMessage(role, tuple(SentPart(part.value, part.block) for part in parts)) for role, parts in said if parts
    )
    shortened = frozenset(id(p.block) for _, parts in said for p in parts if p.changed and p.is_result)
    return SentRequest(TITLE, VERSION, messages, fates, refuses, shortened)


def _loaded(items: Sequence[Item], own: dict[Any, Block]) -> Iterator[_Said]:
    """The messages as the agent keeps them: results apart from what else a message says, those in a row together."""
    results: list[_Part] = []
    for item in items:
        if _is_shown_only(item.value):
            continue
        runs = list(_runs(item, own))
        for role, parts in runs or [(item.value["role"], [])]:
            if parts and parts[0].is_result:
                results += parts
                continue
            if results:
                yield "user", results
                results = []
            yield role, parts
    if results:
        yield "user", results


def _runs(item: Item, own: dict[Any, Block]) -> Iterator[_Said]:
    value = item.value
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise _Stops
    content = value.get("content")
    if isinstance(content, str):
        if content.strip(_BLANKS):
            yield value["role"], [_Part({"type": "text", "text": content}, own.get((item.uid, ("content",))))]
        return
    if not isinstance(content, list) or None in content:
        raise _Stops
    run: list[_Part] = []
    for number, raw in enumerate(content):
        if type_name(raw) not in _BLOCKS:
            continue
        part = _Part(raw, own.get((item.uid, ("content", number))))
        if run and (part.is_result or run[0].is_result):
            yield value["role"], run
            run = []
        run.append(part)
    if run:
        yield value["role"], run


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
                waiting[repr(id_)] = _Part(_no_result(id_, part.value.get("name")), None)
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
    return None if first is None else _MISSING.format(first)


def _no_result(id_: Any, name: Any) -> dict[str, Any]:
    text = f"{_INTERRUPTED} Tool: {name}." if name else _INTERRUPTED
    content = [{"type": "text", "text": text}]
    return {"type": "tool_result", "tool_use_id": id_, "name": name, "content": content, "is_error": True}


def _as_sent(role: str, parts: Sequence[_Part], spells_json: bool) -> _Said:
    made = [sent for part in parts if (sent := _part(role, part, spells_json)) is not None]
    words = [part for part in made if not part.is_result]
    if not parts or (words and all(_is_blank_text(part.value) for part in words)):
        empty = _Part({"type": "text", "text": _EMPTY}, words[0].block if words else None, changed=True)
        return role, [*(part for part in made if part.is_result), empty]
    return role, [part for part in made if part.value.get("text", ".") != ""]


def _is_blank_text(value: Any) -> bool:
    return type_name(value) == "text" and not value["text"].strip(_BLANKS)


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
            spelled = {"name": value["name"], "arguments": _json(given)}
            return _Part({"id": value.get("id"), "type": "function", "function": spelled}, part.block)
        case "text":
            if not isinstance(value.get("text"), str):
                raise _Stops
            short = _without_tags(value["text"]) if role == "user" else value["text"]
            if role == "assistant":
                short = _cut(short, _MOST_OF_WORDS, _WORDS_CUT)
            short = _HALF.sub("\ufffd", short)
            return part if short == value["text"] else _Part({**value, "text": short}, part.block)
        case "file":
            text = _cut(str(value.get("content")), _MOST_OF_FILE, _CUT)
            said = f'<file_content path="{value.get("path")}">\n{text}\n</file_content>'
            return _Part({"type": "text", "text": said}, part.block)
        case "image" if not isinstance(value.get("data"), str):
            return None
    return part


def _without_tags(text: str) -> str:
    """A user's words without the tags that the agent puts around them."""
    text = text.strip(_BLANKS)
    for around, start in _TAGS:
        inner = around.sub(r"\1", text)
        text = (inner if inner != text else start.sub("", text)).strip(_BLANKS)
    return text


def _result(part: _Part, spells_json: bool) -> _Part:
    """A result: what is not text goes out as JSON, and to some APIs text too."""
    value, content = part.value, part.value.get("content")
    if not isinstance(value.get("tool_use_id"), str) or not isinstance(value.get("name"), str):
        raise _Stops
    if not isinstance(content, (str, list)):
        if "content" not in value:
            raise _Stops  # the agent looks into it
        content = _json(content)
    short = _shortened(content)
    changed = short is not content
    texts = isinstance(short, list) and bool(short) and all(type_name(one) == "text" for one in short)
    if isinstance(short, list) and texts and value.get("is_error") is not True:
        short = [{"type": "text", "text": one["text"]} for one in short]
    if isinstance(short, list) and (spells_json or not texts or value.get("is_error") is True):
        short = _json(short)
    if isinstance(short, str):
        short = _HALF.sub("\ufffd", short)
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


def _cut(text: str, most: int, mark: str) -> str:
    if len(text) <= most // 2:
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


def _json(value: Any) -> str:
    """As JavaScript writes it."""
    return _HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False, separators=(",", ":")))


# --- damage ------------------------------------------------------------------------------------------------


def _damage(damage: Damage) -> ResumeEffect | None:
    from toolpair.formats.lost import can_be_closed, effect_on_readers

    if damage.readable and damage.rule != "record.trailing_comma":
        return effect_on_readers(damage, TITLE)
    closed = True
    if damage.rule == "record.torn":
        closed = can_be_closed(damage.values[0] if damage.values else damage.partial, bool(damage.values))
    return ResumeEffect("loses", _BEGINS_ANEW, "dropped", "history", complete=closed)


def _check(context: Context, items: Sequence[Item], merges: bool) -> None:
    for item in items:
        if not isinstance(item.value, (dict, Damaged)):
            aside = Fix("set-aside", "set it aside, in a file beside this one", (MendBytes(item.uid, "aside"),))
            nothing = item.value is None
            context.add(
                "record.no_message",
                "This element of the list is not a message, so Cline CLI cannot send the session.",
                record=item.uid,
                severity="error",
                impact="stops",
                cause=Cause("no_message", "something else was written into the list of messages"),
                fixes=(replace(aside, recommended=nothing),),
                no_fix=None if nothing else "Only you know what it was meant to be.",
            )
    calls = (block for message in context.messages for block in message.blocks if block.kind == "call")
    names = {repr(call.id): call.name for call in calls}
    for number, message in enumerate(context.messages):
        kinds = [block.kind for block in message.blocks]
        if not merges and message.role == "user" and "result" in kinds[1:] and kinds[0] != "result":
            edit = Reorder(message, "results_first")
            context.add(
                "result.not_first",
                "Text stands before a result, and Cline CLI sends it before the result, which the API refuses.",
                at=(number, kinds.index("result")),
                about=message,
                severity="error",
                fixes=(Fix("results-first", "move the results to the front", (edit,), recommended=True),),
            )
        for place, block in enumerate(message.blocks):
            if (fix := _mended(block, names)) is not None:
                context.add(
                    "field.missing",
                    "Cline CLI cannot send the session: it does not know what to do with this block.",
                    at=(number, place),
                    others=(block,),
                    about=message,
                    record=block.record,
                    severity="error",
                    impact="stops",
                    cause=Cause("wrong_type", "a program other than Cline CLI wrote it"),
                    fixes=(fix,),
                )


def _mended(block: Block, names: Mapping[str, str | None]) -> Fix | None:
    """How a block that stops the agent is repaired; None for any other."""
    value = block.value
    if value is None:
        return Fix("remove-block", "remove the block", (Remove(block),), recommended=True)
    if type_name(value) != "tool_result" or ("content" in value and isinstance(value.get("name"), str)):
        return None
    name = value["name"] if isinstance(value.get("name"), str) else names.get(repr(block.id)) or "unknown"
    head = {key: value[key] for key in ("type", "tool_use_id") if key in value}
    made = {**head, **value, "name": name, "content": value.get("content", [])}
    return Fix("complete", "write what is missing in it", (SetValue(block, made),), recommended=True)


# --- the format --------------------------------------------------------------------------------------------


class ClineCliFormat:
    """The messages of a session of Cline's command line. `profile` follows from the provider of its responses."""

    id = "cline-cli"
    title = TITLE
    containers = frozenset({"array"})
    where = "~/.cline/data/sessions/<id>/<id>.messages.json (or under $CLINE_DIR)"

    def __init__(self, profile: str = "anthropic") -> None:
        self.profile = profile

    def sniff(self, values: Sequence[Any]) -> int:
        messages = [value for value in values if isinstance(value, dict)]
        own = sum(map(_is_own, messages))
        foreign = any(key in message for message in messages for key in OF_ROO if key != "ts")
        return 96 if own and own * 2 >= len(messages) and not foreign else 0

    def for_records(self, values: Sequence[Any]) -> ClineCliFormat:
        """The same for sessions of the provider that the last of these responses came from."""
        provider = next((found for value in reversed(values) if (found := _model(value).get("provider"))), None)
        if provider is None:
            return FORMAT
        return _of_profile(_PROFILES.get(provider, "openai-chat") if isinstance(provider, str) else "openai-chat")

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        return _read(items, view, self.profile in _OF_BLOCKS)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.formats.cline_cli_edits import applied

        return applied(items, transcript, edits)

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        return list(map(_damage, found))

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        return _sees(items, transcript, self.profile not in _OF_BLOCKS)

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        _check(context, items, self.profile in _OF_BLOCKS)

    def notes_on_fixes(self, items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
        return [None] * len(fixes)

    def inactive(self, items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
        return ()

    def subagent_sessions(
        self, items: Sequence[Item], transcript: Transcript, beside: Beside
    ) -> Iterable[SubagentSession]:
        """Those of a session lie in its folder, under names of their own."""
        path = beside.path
        for name in sorted(beside.names(".")) if _is_root(path) else ():
            if name.endswith(_SUFFIX) and name != path.name:
                yield SubagentSession(path.parent / name, name.removesuffix(_SUFFIX), None)

    def time_of(self, value: Any) -> float | None:
        from toolpair.formats.clock import milliseconds_in

        return milliseconds_in(value, "ts")

    def usage_of(self, value: Any) -> Usage | None:
        from toolpair.formats.clock import count_in

        metrics = value.get("metrics") if isinstance(value, dict) and value.get("role") == "assistant" else None
        written = count_in(metrics, "outputTokens")
        read = count_in(metrics, "inputTokens", "cacheReadTokens", "cacheWriteTokens")
        return Usage(read + written, written) if read + written else None


@cache
def _of_profile(profile: str) -> ClineCliFormat:
    return FORMAT if profile == FORMAT.profile else ClineCliFormat(profile)


FORMAT: Final = ClineCliFormat()


# --- the agent ---------------------------------------------------------------------------------------------


def _is_root(path: Path) -> bool:
    """Whether a file has the name of its folder's session, not one of a sub-agent's."""
    return path.name == path.parent.name + _SUFFIX


def _is_sub_agents(beside: Beside) -> bool:
    path = beside.path
    return path.name.endswith(_SUFFIX) and not _is_root(path) and bool(beside.start(path.parent.name + _SUFFIX, 1))


class ClineCli(Agent):
    id = "cline-cli"
    title = TITLE
    sub_agent = "a sub-agent of Cline CLI"
    variable = "CLINE_DIR"
    usual_home = ".cline"
    suffix = _SUFFIX
    program = Program("cline", "Cline", r"[/\\]node_modules[/\\]cline[/\\]", session_options=("--id",), package="cline")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        data = machine.folder("CLINE_DATA_DIR", self.home(machine) / "data")
        return (machine.folder("CLINE_SESSION_DATA_DIR", data / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        for root in self.roots(machine):
            for entry in peek.entries(root):
                path = os.path.join(entry.path, entry.name + _SUFFIX)
                stat = peek.regular_file(path)
                if stat is not None:
                    yield self.found(path, entry.name, stat, peek.folder_in(peek.head(_beside(path), 4096)))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.formats.editor_extensions import last_words
        from toolpair.source import peek

        words = last_words(found.path, found.size) or peek.one_line(peek.small_json(_beside(found.path)).get("prompt"))
        return self.project_of(found.path) or found.folder, words

    def is_named(self, name: str) -> bool:
        return name.endswith(_SUFFIX)

    def project_of(self, path: str) -> str | None:
        from toolpair.source import peek

        folder = peek.small_json(_beside(path)).get("cwd") if path.endswith(_SUFFIX) else None
        return folder if isinstance(folder, str) else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return _is_root(path)

    def way_back(self, file: SessionFile) -> WayBack:
        from toolpair.formats.way_back import WayBack

        if file.path is None or not self.in_place(file.path, file.session_id):
            return WayBack((), sentence="Run `cline --id` with its id.")
        id_ = file.path.parent.name
        words = (f"--id={id_}",) if id_.startswith("-") else ("--id", id_)
        return WayBack(("cline", *words), self.project_of(str(file.path)))

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        from toolpair.formats.turns import what_becomes

        if seen is not None and seen.refuses is not None and _OUTCOMES.get(problem.rule) is _SENT:
            return OnResume(TITLE, VERSION, "rejected", None, seen.refuses)
        return what_becomes(TITLE, VERSION, problem, seen, _OUTCOMES)

    def where_to_put(self, file: SessionFile, machine: Machine) -> str:
        return "in place of the one in the session's own folder"


def _beside(path: str) -> str:
    """The file that describes the session."""
    return path[: -len(_SUFFIX)] + ".json"


AGENT: Final = ClineCli()
