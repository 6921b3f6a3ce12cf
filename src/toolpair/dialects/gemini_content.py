"""Contents of Gemini's generateContent, written from what messages say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_content import input_object, object_schema
from toolpair.dialects.neutral import Call, Media, Part, Result, Say, Text, Tool, Turn, media_name
from toolpair.dialects.openai_chat_content import texts_of

UNSIGNED: Final = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""Stands in place of a thought signature: `skip_thought_signature_validator` in Base64."""
_MODEL: Final = "model"


def write_contents(turns: Sequence[Turn], say: Say) -> list[dict[str, Any]]:
    """The turns as contents."""
    made: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for turn in turns:
        parts = [one for part in turn.parts for one in _parts(part, names, say)]
        if parts:
            made.append({"role": _MODEL if turn.role == "assistant" else "user", "parts": parts})
    _sign(made, say)
    return made


def _sign(contents: Sequence[dict[str, Any]], say: Say) -> None:
    """Give the first call of each step of the current turn a signature: Gemini 3 wants one there."""
    begins = 0
    for number, content in enumerate(contents):
        if content["role"] == "user" and not any("functionResponse" in part for part in content["parts"]):
            begins = number
    for content in contents[begins:]:
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None and "thoughtSignature" not in first:
            first["thoughtSignature"] = UNSIGNED
            say("signature")


def write_system(parts: Sequence[Part]) -> list[dict[str, Any]]:
    return [{"text": part.text} for part in parts if isinstance(part, Text) and part.text.strip()]


def write_tools(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    declared = []
    for tool in tools:
        one: dict[str, Any] = {"name": tool.name, "parametersJsonSchema": object_schema(tool)}
        declared.append({**one, "description": tool.description} if tool.description else one)
    return [{"functionDeclarations": declared}]


def _parts(part: Part, names: dict[str, str], say: Say) -> list[dict[str, Any]]:
    match part:
        case Call():
            names[part.id] = part.name  # a response names its tool; ids may be used again
            if part.marked:
                say("cache")
            made: dict[str, Any] = {"functionCall": {"id": part.id, "name": part.name, "args": input_object(part, say)}}
            return [{**made, "thoughtSignature": part.signature} if part.signature else made]
        case Result():
            return [_response(part, names, say)]
        case Media() if part.text is None and (written := _medium(part)) is not None:
            if part.title:
                say("title")
            if part.marked:
                say("cache")
            return [written]
    return [{"text": text} for text in texts_of(part, say) if text.strip()]


def _response(result: Result, names: Mapping[str, str], say: Say) -> dict[str, Any]:
    texts: list[str] = []
    media: list[dict[str, Any]] = []
    if result.marked:
        say("cache")
    for part in result.parts:
        if isinstance(part, Media) and part.text is None:
            if part.data and part.type:
                say("result_media")
                media.append({"inlineData": {"mimeType": part.type, "data": part.data}})
            else:
                say("stored" if part.stored else "media")
                texts.append(media_name(part))
        else:
            texts += texts_of(part, say)
    text = "\n".join(texts)
    response = {"error": text} if result.is_error else {"output": text}
    made: dict[str, Any] = {"id": result.id, "name": names.get(result.id, "unknown_tool"), "response": response}
    return {"functionResponse": {**made, "parts": media} if media else made}


def _medium(media: Media) -> dict[str, Any] | None:
    if media.data and media.type:
        return {"inlineData": {"mimeType": media.type, "data": media.data}}
    if media.url:
        held = {"fileUri": media.url}
        kind = media.type or ("application/pdf" if media.kind == "document" else "image/*")
        return {"fileData": {**held, "mimeType": kind}}
    return None
