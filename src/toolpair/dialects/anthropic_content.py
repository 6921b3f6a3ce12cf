"""Anthropic's blocks read as what they say, and written from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.anthropic import BLOCK_FIELDS
from toolpair.dialects.block_values import listed, text_or_words, words
from toolpair.dialects.item_types import type_name
from toolpair.dialects.neutral import (
    ANY_OBJECT,
    NO_OUTPUT,
    Call,
    Found,
    Media,
    Odd,
    OnServer,
    Part,
    Result,
    Role,
    Say,
    Text,
    Thinking,
    Tool,
    ToolName,
    Turn,
    document_text,
    found_text,
    in_result,
    media_name,
)

_IMAGES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
_PDF: Final = "application/pdf"
_ROLES: Final[dict[Any, Role]] = {"assistant": "assistant", "system": "system", "developer": "system"}


def read_messages(messages: Sequence[tuple[Any, Sequence[Any]]]) -> list[Turn]:
    """(role, values of blocks) of each message as turns."""
    return [Turn(role_of(role), tuple(map(read_part, values))) for role, values in messages]


def role_of(role: Any) -> Role:
    return _ROLES.get(role, "user") if isinstance(role, str) else "user"


def read_content(content: Any) -> tuple[Part, ...]:
    """The content of a message, or a system prompt: a string, a list of blocks, or nothing."""
    return tuple(map(read_part, listed(content)))


def read_part(value: Any) -> Part:
    if isinstance(value, str):
        return Text(value)
    if not isinstance(value, dict):
        return Odd(words(value))
    marked = bool(value.get("cache_control"))
    type_ = value.get("type")
    match type_:
        case "text" if isinstance(value.get("text"), str):
            cited = value.get("citations")
            return Text(value["text"], len(cited) if isinstance(cited, list) else 0, marked)
        case "image" | "document":
            return _media(value, marked)
        case "search_result":
            texts = tuple(part.text for part in read_content(value.get("content")) if isinstance(part, Text))
            return Found(_text(value, "title"), _text(value, "source"), texts, marked)
        case "tool_use":
            return Call(_text(value, "id"), _text(value, "name"), value.get("input", {}), marked=marked)
        case "thinking":
            return Thinking(_text(value, "thinking"), _text(value, "signature"))
        case "redacted_thinking":
            return Thinking("", sealed=_text(value, "data"))
        case "tool_reference":
            return ToolName(_text(value, "tool_name"))
    if type_ == "tool_result" or (not isinstance(type_, str) and "tool_use_id" in value):
        parts = tuple(map(in_result, read_content(value.get("content"))))
        return Result(_text(value, "tool_use_id"), parts, value.get("is_error") is True, marked)
    if isinstance(type_, str) and (type_ in ("server_tool_use", "mcp_tool_use") or type_.endswith("_tool_result")):
        return OnServer(_on_server(value))
    return Odd(words(value))


def _on_server(value: dict[str, Any]) -> str:
    name = _text(value, "name")
    if "input" in value:
        return f"[{name or 'tool'} {words(value['input'])}]"
    content = value.get("content")
    said = [part.text for part in read_content(content) if isinstance(part, Text)]
    return "\n".join(said) if said else f"[{value['type']} {words(content)}]"


def _media(value: dict[str, Any], marked: bool) -> Media:
    source = value.get("source") if isinstance(value.get("source"), dict) else {}
    assert isinstance(source, dict)
    kind = source.get("type")
    cited = value.get("citations")
    text = None
    if kind == "text":
        text = _text(source, "data")
    elif kind == "content":
        parts = read_content(source.get("content"))
        text = "\n".join(part.text for part in parts if isinstance(part, Text))
    return Media(
        "image" if value.get("type") == "image" else "document",
        _text(source, "media_type") or (_PDF if value.get("type") == "document" and kind == "base64" else ""),
        _text(source, "data") if kind == "base64" else "",
        _text(source, "url"),
        _text(source, "file_id"),
        text,
        _text(value, "title"),
        _text(value, "context"),
        isinstance(cited, dict) and cited.get("enabled") is True,
        marked=marked,
    )


def _text(value: dict[str, Any], key: str) -> str:
    return text_or_words(value.get(key))


# Writing


def write_messages(turns: Sequence[Turn], say: Say) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for turn in turns:
        content = [part for one in turn.parts for part in _blocks(one, say)]
        if content:
            made.append({"role": turn.role, "content": content})
    return made


def write_system(parts: Sequence[Part]) -> Any:
    return [_marked({"type": "text", "text": part.text}, part.marked) for part in parts if isinstance(part, Text)]


def write_tool(tool: Tool) -> dict[str, Any]:
    made = {"name": tool.name, "input_schema": object_schema(tool)}
    return {**made, "description": tool.description} if tool.description else made


def object_schema(tool: Tool) -> dict[str, Any]:
    """The tool's schema, with the type that each API wants."""
    if tool.free:
        return {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    schema = tool.schema if tool.schema is not None else ANY_OBJECT
    return schema if schema.get("type") == "object" else {**schema, "type": "object"}


def input_object(call: Call, say: Say) -> dict[str, Any]:
    """The call's input as the object that most APIs want."""
    if isinstance(call.input, dict):
        return call.input
    if call.free:
        say("free_text")
        return {"input": call.input if isinstance(call.input, str) else words(call.input)}
    say("arguments")
    return {"arguments": call.input if isinstance(call.input, str) else words(call.input)}


def _blocks(part: Part, say: Say) -> list[dict[str, Any]]:
    match part:
        case Text():
            if part.citations:
                say("citations", part.citations)
            return [_marked({"type": "text", "text": part.text}, part.marked)] if part.text.strip() else []
        case Media():
            return [_marked(_medium(part, say), part.marked)]
        case Found():
            return [_marked(_found(part), part.marked)]
        case Call():
            made = {"type": "tool_use", "id": part.id, "name": part.name, "input": input_object(part, say)}
            return [_marked(made, part.marked)]
        case Result():
            return [_marked(_result(part, say), part.marked)]
        case Thinking():
            say("thinking")
            return []
        case OnServer():
            say("server")
        case Odd():
            say("odd")
        case ToolName():
            return [{"type": "text", "text": f"[tool {part.name}]"}]
    return [{"type": "text", "text": part.text}] if part.text.strip() else []


def _result(result: Result, say: Say) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.id}
    texts = [part for part in result.parts if isinstance(part, Text)]
    if len(texts) == len(result.parts) <= 1:
        made["content"] = texts[0].text if texts else ""
    else:
        made["content"] = [block for part in result.parts for block in _in_result(part, say)]
    if result.is_error:
        made["is_error"] = True
        if not made["content"]:
            made["content"] = NO_OUTPUT
    return made


def _in_result(part: Text | Media | Found | ToolName, say: Say) -> list[dict[str, Any]]:
    if isinstance(part, ToolName):
        return [{"type": "tool_reference", "tool_name": part.name}]
    return _blocks(part, say)


def _found(found: Found) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in found.texts if text.strip()]
    if not found.title or not found.source or not content:
        return {"type": "text", "text": found_text(found) or NO_OUTPUT}
    return {"type": "search_result", "source": found.source, "title": found.title, "content": content}


def _medium(media: Media, say: Say) -> dict[str, Any]:
    source: dict[str, Any] | None = None
    if media.detail:
        say("detail")
    if media.kind == "image":
        if media.data and media.type in _IMAGES:
            source = {"type": "base64", "media_type": media.type, "data": media.data}
        elif media.url and not media.data:
            source = {"type": "url", "url": media.url}
    elif media.kind == "document":
        if media.text is not None:
            source = {"type": "text", "media_type": "text/plain", "data": media.text}
        elif media.data and media.type in (_PDF, ""):
            source = {"type": "base64", "media_type": _PDF, "data": media.data}
        elif media.url:
            source = {"type": "url", "url": media.url}
    if source is None or (source["type"] == "text" and not document_text(media).strip()):
        say("stored" if media.stored else "media")
        return {"type": "text", "text": media_name(media)}
    made: dict[str, Any] = {"type": media.kind, "source": source}
    if media.kind == "document":
        made |= {key: text for key, text in (("title", media.title), ("context", media.context)) if text}
        if media.cited:
            made["citations"] = {"enabled": True}
    return made


def _marked(block: dict[str, Any], marked: bool) -> dict[str, Any]:
    return {**block, "cache_control": {"type": "ephemeral"}} if marked else block


# As the agent sends it


def as_sent(messages: Sequence[tuple[Any, Sequence[Any]]], say: Say) -> list[dict[str, Any]]:
    """(role, values of blocks) of each message as messages. Blocks stay the same, but for fields of an agent's own."""
    made = []
    for role, values in messages:
        if len(values) == 1 and isinstance(values[0], str):
            made.append({"role": role, "content": values[0]})
        else:
            blocks = [{"type": "text", "text": part} if isinstance(part, str) else _known(part, say) for part in values]
            made.append({"role": role, "content": blocks})
    return made


def _known(block: Any, say: Say) -> Any:
    known = BLOCK_FIELDS.get(type_name(block) or "")
    if known is None:
        if isinstance(read_part(block), Odd):
            say("unknown_blocks")
        return block
    if block.keys() <= known:
        return block
    say("block_fields", names=sorted(block.keys() - known))
    return {key: value for key, value in block.items() if key in known}
