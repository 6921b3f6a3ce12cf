"""The calls and results in damaged records of any format, and the effect of losing them when there is no agent."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence, Set
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import goose
from toolpair.dialects.block_texts import is_placeholder_text, text_of
from toolpair.formats.format import Damage, Item, ResumeEffect
from toolpair.source.record_values import big_numbers, is_rounded
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Transcript

_RESULT_ID: Final = re.compile(
    rb'"(?:tool_use_id|tool_call_id|toolCallId|call_id|functionResponse"\s*:\s*\{\s*"id'
    rb'|type"\s*:\s*"toolResponse"\s*,\s*"id)"\s*:\s*"([^"\\]{1,300})"'
)
_CALL_ID: Final = re.compile(rb'"(?:id|call_id)"\s*:\s*"([^"\\]{1,300})"')
NO_TEXT: Final = "bytes that are not text"
_MOST: Final = 1000
_HOLDING: Final = (
    "payload", "data", "tool_calls", "toolRequests", "content", "content_json", "message", "toolCalls", "result",
    "parts",
)  # fmt: skip
"""Keys under which records have what they hold."""


class Held(Struct, frozen=True, eq=False):
    """A call or result in a damaged record. `content` is a result's."""

    id: str
    is_result: bool
    content: Any = None
    is_error: bool = False

    @property
    def real(self) -> bool:
        """Whether it is a result with real output."""
        text = text_of(self.content)
        return self.is_result and bool(text.strip()) and not is_placeholder_text(text)


def held_in(values: tuple[Any, ...]) -> Iterator[Held]:
    """The calls and results anywhere in these records."""
    for _, held in _walk(values):
        yield held


def _walk(values: tuple[Any, ...]) -> Iterator[tuple[dict[str, Any], Held]]:
    todo: list[Any] = list(reversed(values))
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo.extend(reversed(value))
        elif isinstance(value, dict):
            if isinstance(row := value.get("messages"), dict):
                todo.append(row)
            for key in ("functionCall", "functionResponse"):
                if isinstance(part := value.get(key), dict) and (given := _of_function(key, part)) is not None:
                    yield part, given
            found = _held(value)
            if found is not None:
                yield value, found
            elif value.get("type") not in ("tool_use", "tool_result", "toolCall") or "message" in value:
                todo.extend(value[key] for key in _HOLDING if key in value)


def held_in_part(value: Any) -> Iterator[Held]:
    """The calls and results in a cut-off record. An id that may itself be cut off does not count."""
    for block, held in _walk((value,)):
        if block[next(reversed(block))] != held.id:
            yield held


def lost_outputs(damage: Damage, held: Sequence[Held], answered: Container[Any], called: Set[Any]) -> int:
    """How many real outputs are lost with a record that holds these calls and results; its bytes tell if it is torn.

    `answered` and `called`: the ids of results and calls that are elsewhere.
    """
    if not damage.values and not held:
        return sum(id_ not in answered for id_ in ids_in(damage.raw)[0] & called)
    return len({one.id for one in held if one.real and one.id not in answered})


def outputs_text(outputs: int) -> str | None:
    """So many outputs as a loss."""
    return plural(outputs, "output") if outputs > 1 else "its output" if outputs else None


def can_be_closed(message: Any, whole: bool) -> bool:
    """Whether a cut-off message can be sent once its end is added.

    If it is not `whole`, its last block was cut off, and a partial call cannot be used.
    """
    if not isinstance(message, dict) or "role" not in message:
        return False
    if isinstance(parts := message.get("parts"), list):
        return bool(parts) and all(isinstance(part, dict) and part for part in parts) and (whole or "text" in parts[-1])
    content = message.get("content")
    if not isinstance(content, list):
        return isinstance(content, str) or (whole and "tool_calls" in message)
    if not content or not all(map(_is_block, content)):
        return False
    return whole or content[-1]["type"] in ("text", "tool_result")


def _is_block(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    match block.get("type"):
        case "text":
            return isinstance(block.get("text"), str)
        case "tool_result":
            return isinstance(block.get("tool_use_id"), str) and next(reversed(block)) != "tool_use_id"
        case "tool_use":
            return isinstance(block.get("id"), str) and isinstance(block.get("input"), dict)
        case kind:
            return isinstance(kind, str) and len(block) > 1


def _held(value: dict[str, Any]) -> Held | None:
    kind = value.get("type")
    if kind == "tool_result" or value.get("role") == "tool":
        id_ = value.get("tool_use_id", value.get("tool_call_id"))
        return _with(id_, True, value.get("content"), value.get("is_error") is True)
    if isinstance(kind, str) and kind.endswith("_output") and "call_id" in value:
        return _with(value["call_id"], True, value.get("output"))
    if value.get("role") == "toolResult":
        return _with(value.get("toolCallId"), True, value.get("content"), value.get("isError") is True)
    if kind == "tool.execution_complete" and isinstance(data := value.get("data"), dict):
        said = data.get("error") if data.get("success") is False else data.get("result")
        words = said.get("message", said.get("content")) if isinstance(said, dict) else said
        return _with(data.get("toolCallId"), True, words, data.get("success") is False)
    if kind in (goose.CALL, goose.RESULT):
        block = goose.spelled(value)
        return _with(value.get("id"), kind == goose.RESULT, block.get("content"), block.get("is_error") is True)
    if kind == "function" and "toolCallId" in value:
        return _with(value["toolCallId"], False)
    if kind in ("tool_use", "toolCall") or (kind == "function" and "function" in value):
        return _with(value.get("id"), False)
    if isinstance(kind, str) and kind.endswith("_call") and "call_id" in value:
        return _with(value["call_id"], False)
    return None


def _of_function(key: str, value: dict[str, Any]) -> Held | None:
    if key == "functionCall":
        return _with(value.get("id"), False)
    said = value.get("response")
    failed = isinstance(said, dict) and "error" in said
    return _with(
        value.get("id"), True, said.get("error", said.get("output")) if isinstance(said, dict) else said, failed
    )


def _with(id_: Any, is_result: bool, content: Any = None, is_error: bool = False) -> Held | None:
    return Held(id_, is_result, content, is_error) if isinstance(id_, str) and id_ else None


def ids_in(raw: bytes) -> tuple[set[str], set[str]]:
    """The ids of results and of calls in unreadable bytes, as far as their keys show."""
    return _ids(_RESULT_ID, raw), _ids(_CALL_ID, raw)


def _ids(pattern: re.Pattern[bytes], raw: bytes) -> set[str]:
    found: set[str] = set()
    for match in pattern.finditer(raw):
        found.add(match.group(1).decode("utf-8", "replace"))
        if len(found) >= _MOST:
            break
    return found


def effects_without_agent(
    items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
) -> Sequence[ResumeEffect | None]:
    """For lists that no agent resumes, so that nothing is healed: what a program that sends the list would do."""
    return [_effect_without_agent(damage) for damage in found]


def _effect_without_agent(damage: Damage) -> ResumeEffect | None:
    if damage.rule == "record.trailing_comma" or (damage.readable and damage.rule == "record.torn"):
        return ResumeEffect("stops", "no parser that keeps to JSON reads it", "rejected")
    if damage.rule == "record.lone_surrogate" or (damage.readable and damage.rule == "record.bad_json"):
        return ResumeEffect("stops", "the request is not valid JSON", "rejected")
    if damage.readable:
        return effect_on_readers(damage, "most programs")
    if damage.rule == "record.torn":
        said = can_be_closed(damage.values[0] if damage.values else damage.partial, bool(damage.values))
        return ResumeEffect("stops", "nobody can send the list as it is", "rejected", complete=said)
    if damage.values:
        return ResumeEffect("loses", "whoever reads the file skips it", loses="what it says")
    return ResumeEffect("harmless", "whoever reads the file skips it")


def effect_on_readers(damage: Damage, who: str) -> ResumeEffect | None:
    """What readers do about a flaw that they accept. `who` is "most programs", or a singular name."""
    s = "" if who == "most programs" else "s"
    if (damage.front and damage.rule != "record.bad_utf8") or damage.rule == "record.lone_surrogate":
        return None
    if damage.rule == "record.big_number" and not any(map(is_rounded, big_numbers(damage.raw))):
        return None
    says = {
        "record.bad_utf8": f"{who} replace{s} {NO_TEXT} with U+FFFD",
        "record.duplicate_key": f"{who} use{s} the last value",
        "record.big_number": f"{who} round{s} it",
        "record.bom": f"{who} ignore{s} it",
        "record.bad_json": f"what {who} make{s} of it is not known",
    }.get(damage.rule)
    return ResumeEffect("harmless", says, "healed") if says is not None else None


def read_by_go(damage: Damage, who: str) -> ResumeEffect | None:
    """What a program written in Go does about the only flaw of which that is known."""
    return effect_on_readers(damage, who) if damage.rule == "record.bad_utf8" else None
