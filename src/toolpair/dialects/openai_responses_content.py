"""Items of the Responses API read as what they say, and written from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_content import object_schema, role_of
from toolpair.dialects.block_values import listed, text_or_words, words
from toolpair.dialects.item_types import CALL_FAMILY, OUTPUT_FAMILY, output_content, type_name
from toolpair.dialects.neutral import (
    ERROR,
    NO_OUTPUT,
    Call,
    Media,
    Odd,
    OnServer,
    Part,
    Result,
    Say,
    Text,
    Thinking,
    Tool,
    Turn,
    data_url,
    in_result,
)
from toolpair.dialects.openai_chat_content import arguments_text, media_at, object_arguments, texts_of
from toolpair.dialects.openai_responses import is_mislabelled, is_of_assistant, type_of

_PDF: Final = "application/pdf"


def read_items(items: Iterable[Any]) -> list[Turn]:
    """The turns of a list of items: what the model makes in a row is one turn."""
    turns: list[Turn] = []
    free: set[str] = set()
    for item in items:
        role, parts = _read(item, free)
        if role == "assistant" and turns and turns[-1].role == "assistant":
            turns[-1] = Turn("assistant", (*turns[-1].parts, *parts))
        else:
            turns.append(Turn(role, tuple(parts)))
    return turns


def _read(item: Any, free: set[str]) -> tuple[Any, Sequence[Part]]:
    type_ = type_of(item)
    if not isinstance(item, dict):
        return "user", [Text(item) if isinstance(item, str) else Odd(words(item))]
    if is_mislabelled(item) or type_ in OUTPUT_FAMILY:
        if item.get("call_id") is None:
            return "assistant", [OnServer(f"[{type_} {words(output_content(item))}]")]
        parts = map(_part, listed(output_content(item)))
        return "user", [Result(text_or_words(item.get("call_id")), tuple(map(in_result, parts)))]
    if type_ in CALL_FAMILY:
        return "assistant", [_call(item)]
    if type_ == "message":
        return role_of(item.get("role")), list(map(_part, listed(item.get("content"))))
    if type_ == "reasoning":
        summary = item.get("summary")
        said = [
            part.text for part in map(_part, summary if isinstance(summary, list) else ()) if isinstance(part, Text)
        ]
        return "assistant", [Thinking("\n".join(said), sealed=text_or_words(item.get("encrypted_content")))]
    if isinstance(type_, str) and type_.endswith(("_call", "_call_output", "_output")):
        return "assistant", [OnServer(f"[{type_} {words({k: v for k, v in item.items() if k not in ('type', 'id')})}]")]
    return ("assistant" if is_of_assistant(item) else "user"), [Odd(words(item))]


def _call(item: dict[str, Any]) -> Call | OnServer:
    id_ = item.get("call_id")
    type_ = type_name(item)
    if id_ is None and type_ == "local_shell_call":
        id_ = item.get("id")
    if id_ is None and type_ == "tool_search_call":
        return OnServer(f"[{type_} {words(item.get('arguments'))}]")
    match type_:
        case "custom_tool_call":
            return Call(
                text_or_words(id_), text_or_words(item.get("name")), text_or_words(item.get("input")), free=True
            )
        case "local_shell_call":
            action = item.get("action")
            return Call(text_or_words(id_), "local_shell", action if isinstance(action, dict) else {"action": action})
        case "tool_search_call":
            given = item.get("arguments")
            return Call(text_or_words(id_), "tool_search", given if isinstance(given, dict) else {"query": given})
    from_json = item.get("arguments")
    return Call(text_or_words(id_), text_or_words(item.get("name")), object_arguments(from_json))


def _part(part: Any) -> Part:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        return Odd(words(part))
    match part.get("type"):
        case "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" if isinstance(
            part.get("text"), str
        ):
            noted = part.get("annotations")
            return Text(part["text"], len(noted) if isinstance(noted, list) else 0)
        case "refusal" if isinstance(part.get("refusal"), str):
            return Text(part["refusal"])
        case "input_image":
            detail = text_or_words(part.get("detail"))
            detail = "" if detail == "auto" else detail
            return media_at(
                "image", text_or_words(part.get("image_url")), stored=text_or_words(part.get("file_id")), detail=detail
            )
        case "input_file":
            address = text_or_words(part.get("file_data")) or text_or_words(part.get("file_url"))
            return media_at(
                "document", address, text_or_words(part.get("filename")), text_or_words(part.get("file_id"))
            )
    return Odd(words(part))


# Writing


def write_items(turns: Sequence[Turn], say: Say) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    free: set[str] = set()
    for turn in turns:
        waiting: list[Part] = []
        role = turn.role
        for part in turn.parts:
            match part:
                case Call() if role == "assistant":
                    made += _message(role, waiting, say)
                    waiting = []
                    made.append(_written_call(part, free))
                case Result():
                    made += _message(role, waiting, say)
                    waiting = []
                    made.append(_output(part, free, say))
                case _:
                    waiting.append(part)
        made += _message(role, waiting, say)
    return made


def _message(role: str, parts: Sequence[Part], say: Say) -> list[dict[str, Any]]:
    if role == "assistant":
        # Assistant text is a plain string: a part `output_text` would need an id and a status.
        texts = [text for part in parts for text in _texts(part, say) if text.strip()]
        return [{"type": "message", "role": role, "content": "\n\n".join(texts)}] if texts else []
    content = [one for part in parts for one in _parts(part, say)]
    if not content:
        return []
    written = "developer" if role == "system" else role
    return [{"type": "message", "role": written, "content": content}]


def _texts(part: Part, say: Say) -> list[str]:
    return texts_of(part, say) if not isinstance(part, Call) else [f"[{part.name} {words(part.input)}]"]


def _parts(part: Part, say: Say) -> list[dict[str, Any]]:
    if isinstance(part, Media) and part.text is None and (written := _medium(part)) is not None:
        if part.marked:
            say("cache")
        return [written]
    return [{"type": "input_text", "text": text} for text in _texts(part, say) if text.strip()]


def _medium(media: Media) -> dict[str, Any] | None:
    if media.kind == "image" and (media.data or media.url):
        return {"type": "input_image", "image_url": data_url(media), "detail": media.detail or "auto"}
    if media.kind == "document" and media.data:
        name = media.title or f"document.{media.type.rpartition('/')[2] or 'pdf'}"
        return {"type": "input_file", "filename": name, "file_data": f"data:{media.type or _PDF};base64,{media.data}"}
    if media.kind == "document" and media.url:
        return {"type": "input_file", "file_url": media.url}
    return None


def _written_call(call: Call, free: set[str]) -> dict[str, Any]:
    if call.free:
        free.add(call.id)
        given = call.input if isinstance(call.input, str) else words(call.input)
        return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": given}
    free.discard(call.id)
    arguments = arguments_text(call.input)
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _output(result: Result, free: set[str], say: Say) -> dict[str, Any]:
    content = [one for part in result.parts for one in _parts(part, say)]
    output: Any = content
    if all(one["type"] == "input_text" for one in content):
        output = "\n".join(one["text"] for one in content)
    if result.marked:
        say("cache")
    if result.is_error:
        say("failed")
        if isinstance(output, str):
            output = ERROR + (output or NO_OUTPUT)
        else:
            output = [{"type": "input_text", "text": ERROR.strip()}, *output]
    type_ = "custom_tool_call_output" if result.id in free else "function_call_output"
    return {"type": type_, "call_id": result.id, "output": output}


def write_tool(tool: Tool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    if tool.free:
        return {"type": "custom", "name": tool.name, **described}
    made = {"type": "function", "name": tool.name, "parameters": object_schema(tool), "strict": False}
    return {**made, **described}


# As the agent sends it


_DROPPED: Final = frozenset({"id", "end_turn", "metadata", "internal_chat_message_metadata_passthrough"})
"""Fields that agents and responses have, and that a request needs not."""
_CALL_FIELDS: Final = frozenset({"type", "call_id", "name", "namespace", "caller", "async"})
_OUTPUT_FIELDS: Final = frozenset({"type", "call_id", "output", "name", "namespace", "caller", "status"})
_ITEM_FIELDS: Final = {
    "message": frozenset({"type", "role", "content", "phase", "status"}),
    "function_call": _CALL_FIELDS | {"arguments", "status"},
    "custom_tool_call": _CALL_FIELDS | {"input"},
    "function_call_output": _OUTPUT_FIELDS,
    "custom_tool_call_output": _OUTPUT_FIELDS - {"name", "namespace", "status"},
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content", "status"}),
}
"""Item type -> the fields that the API knows."""
_NEVER_SAID: Final = frozenset({"status"})
_WITH_ID: Final = frozenset(
    {
        "reasoning",
        "local_shell_call",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "computer_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "compaction",
        "item_reference",
    }
)
"""Items whose id the API asks for."""


def as_sent(items: Sequence[Any], say: Say) -> list[Any]:
    """The items without the ids of responses that a provider may not have kept, and without an agent's own fields."""
    made: list[Any] = []
    for number, item in enumerate(items):
        type_ = type_of(item)
        if not isinstance(item, dict):
            made.append(item)
            continue
        if type_ == "reasoning" and not _is_whole(item, items[number + 1 :]):
            say("thinking")
            continue
        dropped = _DROPPED - {"id"} if type_ in _WITH_ID else _DROPPED
        kept = {key: value for key, value in item.items() if key not in dropped}
        known = _ITEM_FIELDS.get(type_ or "", frozenset(kept))
        if unknown := kept.keys() - known:
            if unknown - _NEVER_SAID:
                say("block_fields", names=sorted(unknown - _NEVER_SAID))
            kept = {key: value for key, value in kept.items() if key in known}
        if type_ == "reasoning":
            kept.setdefault("id", f"rs_{number}")
            kept.setdefault("summary", [])
            kept = {key: value for key, value in kept.items() if value is not None or key != "content"}
        elif type_ == "message" and item.get("role") == "assistant":
            kept.pop("status", None)
            content = kept.get("content")
            if isinstance(content, list) and content and all(map(_is_words, content)):
                kept["content"] = "\n".join(part["text"] for part in content)
        made.append(kept)
    return made


def _is_words(part: Any) -> bool:
    return type_name(part) in ("output_text", "input_text", "text") and isinstance(part.get("text"), str)


def _is_whole(item: dict[str, Any], after: Sequence[Any]) -> bool:
    """Whether the API can read the reasoning, and what it led to is there."""
    return bool(item.get("encrypted_content")) and bool(after) and is_of_assistant(after[0])
