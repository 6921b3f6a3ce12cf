"""What Hermes Agent sends when it resumes a session, by the Chat Completions API. As measured on 0.19.0.

Whatever it mends is mended twice: when the session is loaded, and before each request; then by the ids alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from toolpair.formats.engine.reading.reading import as_key, facts_of
from toolpair.formats.engine.sending import Said, merged, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.hermes.detection import ROLES, call_id, row_in
from toolpair.formats.hermes.history import NEWEST, TITLE, HermesSession
from toolpair.transcript.model import Message, Transcript

NO_RESULT: Final = "[Result unavailable — see context summary above]"
DROPPED_ARGUMENTS: Final = (
    "[hermes-agent: tool call arguments were corrupted in this session and have been dropped to keep the conversation "
    "alive. See issue #15236.]"
)
NO_NAME: Final = "invalid_tool_call"
_OF_MEMORY: Final = re.compile(
    r"<\s*memory-context\s*>[\s\S]*?</\s*memory-context\s*>"
    r"|\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*Treat as (?:informational "
    r"background data|authoritative reference data[^\]]*)\.\]\s*|</?\s*memory-context\s*>",
    re.IGNORECASE,
)
"""What Hermes adds to a prompt, and takes out of what it stored."""
_REVIEWS: Final = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
"""How prompts of its own begin that older versions left in the user's session."""
_CANDIDATES: Final = ("verification_required", "verify_hook_continue")
"""Why a response ended that the next one takes the place of."""
_NO_IDS = "Hermes Agent cannot send a call whose id is not text: no prompt works any more."


class _Turn(Struct, eq=False):
    """A message on its way into the request."""

    role: str
    words: list[SentPart] = field(default_factory=list)
    calls: list[SentPart] = field(default_factory=list)
    result: SentPart | None = None
    is_text: bool = True
    """Its content is a text, or nothing."""
    thinks: bool = False
    ended: str | None = None
    """Why the model stopped."""
    replays: bool = False
    """It has items of the Responses API that stay apart."""
    fixed: bool = False
    """Its words are sent as they once were, whatever was joined to them."""

    @property
    def answers(self) -> Any:
        return as_key(self.result.value.get("tool_call_id")) if self.result is not None else None


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    rows = {item.uid: row_in(item.value) for item in items}
    turns = list(_without_reviews(_turn(message, rows) for message in transcript.messages))
    turns = _mended(turns)
    calls = [call.value for turn in turns for call in turn.calls]
    is_odd = any(not isinstance(call_id(call) or "", str) for call in calls)
    turns = _by_ids(_mended(list(_with_arguments(turns))))
    in_turns = facts_of(transcript, HermesSession).in_turns
    turns = [turn for turn in turns if in_turns or turn.calls or turn.result or not turn.thinks or _says(turn)]
    blocks = [block for message in transcript.messages for block in message.blocks]
    changed = {
        id(part.block)
        for turn in turns
        for part in _parts(turn)
        if part.block is not None and part.value is not part.block.value
    }
    said: list[Said] = [(turn.role, _parts(turn)) for turn in turns]
    if in_turns:
        said = list(_in_turns(said))
    said = [one for one in said if one[1]]
    refuses = _NO_IDS if is_odd else None
    return request(TITLE, NEWEST, said, blocks, refuses, changed=changed, missed={block.kind for block in blocks})


def _turn(message: Message, rows: Mapping[int, dict[str, Any]]) -> _Turn:
    row = next((rows[record] for record in message.records), {})
    role = str(message.role)
    turn = _Turn(
        role, is_text=message.shape != "blocks", thinks=bool(row.get("reasoning_content") or row.get("reasoning"))
    )
    for block in message.blocks:
        part = SentPart.of(block)
        if block.kind == "call":
            turn.calls.append(part)
        elif block.kind == "result":
            turn.result = part
        elif isinstance(block.value, str) and role in ("user", "assistant"):
            cleaned = _OF_MEMORY.sub("", block.value)
            turn.words.append(part if cleaned == block.value else SentPart(cleaned, block))
        else:
            turn.words.append(part)
    turn.ended = row.get("finish_reason") if role == "assistant" else None
    turn.replays = (
        bool(row.get("codex_reasoning_items") or row.get("codex_message_items")) or turn.ended == "incomplete"
    )
    kept = row.get("api_content")
    if isinstance(kept, str) and kept and role in ("user", "assistant"):
        turn.words = [SentPart(kept, turn.words[0].block if turn.words else None)]
        turn.fixed = True
    return turn


def _without_reviews(turns: Iterable[_Turn]) -> Iterator[_Turn]:
    after_one = False
    for turn in turns:
        text = turn.words[0].value if turn.words and turn.is_text and turn.role in ("user", "system") else ""
        if isinstance(text, str) and text.lstrip().startswith(_REVIEWS):
            after_one = True
        elif not (after_one and turn.role == "assistant"):
            yield turn
            after_one = False
        else:
            after_one = False


def _mended(turns: Iterable[_Turn]) -> list[_Turn]:
    """`repair_message_sequence`: neighbours of one role are joined, and a result counts once, for a call of the
    response before it.
    """
    joined: list[_Turn] = []
    for turn in turns:
        last = joined[-1] if joined else None
        if last is None or not (last.role == turn.role == "assistant") or last.replays or turn.replays:
            joined.append(turn)
        elif last.ended in _CANDIDATES:
            joined[-1] = turn
        else:
            last.calls = [*last.calls, *turn.calls]
            last.thinks = last.thinks or turn.thinks
            _join(last, turn, both=last.is_text and turn.is_text)
    left: list[_Turn] = []
    open_ids: set[Any] = set()
    for turn in joined:
        if turn.role == "assistant":
            open_ids = {id_ for call in turn.calls for id_ in _ids(call.value) if id_}
        elif turn.role == "tool":
            if not turn.answers or turn.answers not in open_ids:
                continue
            open_ids.discard(turn.answers)
        elif turn.role == "user":
            open_ids = set()
            if left and left[-1].role == "user" and left[-1].is_text and turn.is_text:
                left[-1].fixed = False
                _join(left[-1], turn, both=True)
                continue
        left.append(turn)
    return left


def _join(turn: _Turn, other: _Turn, *, both: bool) -> None:
    """Add the words of another turn, which are lost where one of them is no text, or where the first are fixed."""
    if not turn.words or (both and not turn.fixed):
        turn.words = [*turn.words, *other.words]
        turn.is_text = turn.is_text and other.is_text


def _ids(call: Any) -> tuple[Any, ...]:
    return (as_key(call.get("id")), as_key(call.get("call_id"))) if isinstance(call, dict) else ()


def _with_arguments(turns: Sequence[_Turn]) -> Iterator[_Turn]:
    """`sanitize_tool_call_arguments`: what is no JSON is left out, and the result says so."""
    for place, turn in enumerate(turns):
        added: list[_Turn] = []
        for number, call in enumerate(turn.calls):
            function = call.value.get("function") if isinstance(call.value, dict) else None
            if not isinstance(function, dict) or _is_read(function.get("arguments")):
                continue
            given = function.get("arguments")
            turn.calls[number] = SentPart({**call.value, "function": {**function, "arguments": "{}"}}, call.block)
            if given and given.strip():
                wanted = _key(call_id(call.value))
                result = next((one for one in _results_after(turns, place) if one.answers == wanted), None)
                if result is None:
                    value = {"role": "tool", "tool_call_id": wanted, "content": DROPPED_ARGUMENTS}
                    added.append(_Turn("tool", result=SentPart(value)))
                elif result.result is not None:
                    result.result = _with_note(result.result)
        yield turn
        yield from added


def _is_read(arguments: Any) -> bool:
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return False
    try:
        json.loads(arguments if isinstance(arguments, str) else "{}")
    except ValueError:
        return False
    return True


def _results_after(turns: Sequence[_Turn], place: int) -> Iterator[_Turn]:
    for turn in turns[place + 1 :]:
        if turn.role != "tool":
            return
        yield turn


def _with_note(result: SentPart) -> SentPart:
    content = result.value.get("content")
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
    if text.startswith(DROPPED_ARGUMENTS):
        return result
    return SentPart(
        {**result.value, "content": f"{DROPPED_ARGUMENTS}\n{text}" if text else DROPPED_ARGUMENTS}, result.block
    )


def _by_ids(turns: Sequence[_Turn]) -> list[_Turn]:
    """`sanitize_api_messages`: of all calls and all results with one id the first one is sent, wherever it stands."""
    turns = [turn for turn in turns if turn.role in ROLES]
    called = {_key(call_id(call.value)) for turn in turns if turn.role == "assistant" for call in turn.calls}
    answered = {_key(turn.answers) for turn in turns if turn.role == "tool"}
    missing = called - answered - {""}
    made: list[_Turn] = []
    seen_calls: set[str] = set()
    seen_results: set[str] = set()
    for turn in turns:
        own = _key(turn.answers)
        if turn.role == "tool":
            if own in seen_results or (own and own not in called):
                continue
            seen_results |= {own} - {""}
            made.append(turn)
            continue
        calls = [_named(call) for call in turn.calls]
        kept = []
        for call in calls:
            id_ = _key(call_id(call.value))
            if id_ not in seen_calls:
                kept.append(call)
            seen_calls |= {id_} - {""}
        turn.calls = kept
        made.append(turn)
        for call in calls:
            id_ = _key(call_id(call.value))
            if id_ in missing and id_ not in seen_results:
                seen_results.add(id_)
                value = {"role": "tool", "tool_call_id": id_, "content": NO_RESULT}
                made.append(_Turn("tool", result=SentPart(value)))
    return made


def _in_turns(said: Sequence[Said]) -> Iterator[Said]:
    """`convert_messages_to_anthropic`: of calls and results only those are sent that stand side by side."""
    yield from (one for one in said if one[0] == "system")
    made: list[Said] = []
    for role, parts in said:
        if role == "system":
            continue
        empty = "(empty)" if role == "assistant" else "(empty message)"
        spelled = [_spelled(part) for part in parts] or [_text(empty)]
        if role == "tool" and made and _has_results(made[-1]):
            made[-1][1].extend(spelled)
        else:
            made.append(("user" if role == "tool" else role, spelled))
    called: set[Any] = set()
    for number, (role, parts) in enumerate(made):
        answered = {part.value.get("tool_use_id") for part in made[number + 1][1]} if number + 1 < len(made) else set()
        if role == "assistant":
            parts[:] = [part for part in parts if part.value["type"] != "tool_use" or part.value["id"] in answered]
            called |= {part.value["id"] for part in parts if part.value["type"] == "tool_use"}
    for role, parts in made:
        parts[:] = [p for p in parts if p.value["type"] != "tool_result" or p.value["tool_use_id"] in called]
        parts[:] = parts or [_text("(tool call removed)" if role == "assistant" else "(tool result removed)")]
    yield from merged(made, lambda role, parts: role)


def _text(said: str) -> SentPart:
    return SentPart({"type": "text", "text": said})


def _has_results(said: Said) -> bool:
    return said[0] == "user" and said[1][0].value["type"] == "tool_result"


def _spelled(part: SentPart) -> SentPart:
    """A part as Anthropic's API has it."""
    value = part.value
    if isinstance(value, str):
        return SentPart({"type": "text", "text": value}, part.block)
    if value.get("role") == "tool":
        content = value.get("content") or "(no output)"
        return SentPart(
            {"type": "tool_result", "tool_use_id": _safe(value.get("tool_call_id")), "content": content}, part.block
        )
    if "function" in value:
        function = value["function"]
        given = function.get("arguments")
        input_ = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
        call = {"type": "tool_use", "id": _safe(value.get("id")), "name": function.get("name"), "input": input_}
        return SentPart(call, part.block)
    return part if isinstance(value.get("type"), str) else SentPart({"type": "text", "text": str(value)}, part.block)


def _safe(id_: Any) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", id_) if isinstance(id_, str) and id_ else "tool_0"


def _key(id_: Any) -> str:
    return id_.strip() if isinstance(id_, str) else ""


def _named(call: SentPart) -> SentPart:
    function = call.value.get("function") if isinstance(call.value, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(call.value, dict) or (isinstance(name, str) and name.strip()):
        return call
    named = {**function, "name": NO_NAME} if isinstance(function, dict) else {"name": NO_NAME, "arguments": "{}"}
    return SentPart({**call.value, "function": named}, call.block)


def _says(turn: _Turn) -> bool:
    return any(not isinstance(part.value, str) or part.value.strip() for part in turn.words)


def _parts(turn: _Turn) -> list[SentPart]:
    said = turn.words if _says(turn) else []
    return [*said, *turn.calls, *([turn.result] if turn.result is not None else [])]
