"""Chat messages read as what they say, and written from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_content import object_schema, role_of
from toolpair.dialects.block_values import listed, text_or_words, words
from toolpair.dialects.item_types import CALL_FAMILY, type_name
from toolpair.dialects.neutral import (
    ERROR,
    NO_OUTPUT,
    Call,
    Found,
    Media,
    Odd,
    OnServer,
    Part,
    Result,
    Say,
    Text,
    Thinking,
    Tool,
    ToolName,
    Turn,
    data_url,
    document_text,
    found_text,
    in_result,
    media_name,
    split,
)

_RESULTS: Final = ("tool", "function")
_PDF: Final = "application/pdf"


def read_messages(messages: Sequence[Any], say: Say) -> list[Turn]:
    """The turns of a list of chat messages. Legacy calls, which have no ids, get some."""
    turns: list[Turn] = []
    legacy: list[tuple[str, str]] = []
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            turns.append(Turn("user", (Odd(words(message)),)))
            continue
        role = message.get("role")
        answers = isinstance(message.get("tool_call_id"), str) and not message.get("tool_calls")
        if role in _RESULTS or (answers and role not in ("assistant", "system")):
            id_ = message.get("tool_call_id")
            name = str(message.get("name"))
            if id_ is None:
                waiting = next((one for one in legacy if one[1] == name), None)
                if waiting is not None:
                    legacy.remove(waiting)
                id_ = waiting[0] if waiting is not None else f"function_{number}"
            parts = tuple(in_result(part) for part in _content(message.get("content")))
            turns.append(Turn("user", (Result(text_or_words(id_), parts),)))
            continue
        if message.get("name"):
            say("message_name")
        turns.append(Turn(role_of(role), tuple(_parts(message, number, legacy, say))))
    return turns


def _parts(message: dict[str, Any], number: int, legacy: list[tuple[str, str]], say: Say) -> list[Part]:
    made: list[Part] = []
    thinking = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(thinking, str) and thinking:
        made.append(Thinking(thinking))
    made += _content(message.get("content"))
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        say("refusal")
        made.append(Text(refusal))
    if message.get("audio"):
        say("media")
        made.append(Text("[audio]"))
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        made.append(_call(call))
    function = message.get("function_call")
    if isinstance(function, dict):
        id_ = f"function_{number}"
        legacy.append((id_, str(function.get("name"))))
        made.append(Call(id_, text_or_words(function.get("name")), object_arguments(function.get("arguments"))))
    return made


def _call(call: Any) -> Part:
    if not isinstance(call, dict):
        return Odd(words(call))
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    signature = google.get("thought_signature") if isinstance(google, dict) else None
    signature = signature if isinstance(signature, str) else ""
    custom = call.get("custom")
    if isinstance(custom, dict):
        return Call(
            text_or_words(call.get("id")), text_or_words(custom.get("name")), custom.get("input", ""), free=True
        )
    function = call["function"] if isinstance(call.get("function"), dict) else call
    arguments = object_arguments(function.get("arguments"))
    return Call(text_or_words(call.get("id")), text_or_words(function.get("name")), arguments, signature=signature)


def object_arguments(written: Any) -> Any:
    """The arguments as an object; as they stand where they are not JSON."""
    if written is None or written == "":
        return {}
    if not isinstance(written, str):
        return written
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        return written
    return found if isinstance(found, dict) else written


def _content(content: Any) -> list[Part]:
    return list(map(_part, listed(content)))


def _part(part: Any) -> Part:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        return Odd(words(part))
    match part.get("type"):
        case "text" if isinstance(part.get("text"), str):
            return Text(part["text"], marked=bool(part.get("cache_control")))
        case "refusal" if isinstance(part.get("refusal"), str):
            return Text(part["refusal"])
        case "image_url":
            held = part.get("image_url")
            url = held.get("url") if isinstance(held, dict) else held
            detail = held.get("detail") if isinstance(held, dict) else None
            return media_at("image", text_or_words(url), detail=text_or_words(detail))
        case "input_audio":
            held = part.get("input_audio")
            held = held if isinstance(held, dict) else {}
            return Media("audio", f"audio/{text_or_words(held.get('format'))}", text_or_words(held.get("data")))
        case "file":
            held = part.get("file")
            held = held if isinstance(held, dict) else {}
            named, stored = text_or_words(held.get("filename")), text_or_words(held.get("file_id"))
            return media_at("document", text_or_words(held.get("file_data")), named, stored)
    return Odd(words(part))


def media_at(kind: Any, address: str, title: str = "", stored: str = "", detail: str = "") -> Media:
    """Media at an address, which may be a data URL."""
    if address.startswith("data:") and ";base64," in address:
        head, _, data = address.partition(";base64,")
        return Media(kind, head.removeprefix("data:").partition(";")[0], data, title=title, detail=detail)
    return Media(kind, url=address, stored=stored, title=title, detail=detail)


def calls_in(messages: Sequence[Any]) -> list[str]:
    """The ids of all calls in messages, or items, of any API, in order."""
    found: list[str] = []
    for message in messages:
        if not isinstance(message, dict):
            continue
        listed = [message, *(part for key in ("tool_calls", "content") for part in _listed(message.get(key)))]
        for part in (part for part in listed if isinstance(part, dict)):
            type_ = type_name(part)
            if type_ == "tool_use" or (type_ in ("function", "custom") and part is not message):
                found.append(text_or_words(part.get("id")))
            elif type_ in CALL_FAMILY:
                found.append(text_or_words(part.get("call_id")))
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# Writing


def write_messages(turns: Sequence[Turn], say: Say) -> list[dict[str, Any]]:
    """The turns as messages: results directly after their calls, what cannot stand in one in the next user message."""
    made: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []

    def show() -> None:
        if shown:
            made.append({"role": "user", "content": list(shown)})
            shown.clear()

    for turn in turns:
        if turn.role == "assistant":
            show()
            if (message := _of_assistant(turn, say)) is not None:
                made.append(message)
            continue
        results, others = split(turn)
        for result in results:
            message, media = _result(result, len(shown), say)
            made.append(message)
            shown += media
        content = [*([] if turn.role == "system" else shown), *_of_user(others, say)]
        if turn.role == "user":
            if others:
                shown.clear()
            elif shown:
                continue
        if content:
            texts_only = all(part["type"] == "text" for part in content)
            single = texts_only and len(content) == 1
            made.append({"role": turn.role, "content": content[0]["text"] if single else content})
    show()
    return made


def _of_assistant(turn: Turn, say: Say) -> dict[str, Any] | None:
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    moved = False
    for part in turn.parts:
        match part:
            case Call():
                calls.append(_written_call(part))
            case Thinking():
                say("thinking")
            case Result():
                texts.append("\n".join(part.texts))
            case _:
                said = "\n".join(
                    one["text"] if one["type"] == "text" else f"[{one['type']}]" for one in _said(part, say)
                )
                if said.strip():
                    moved = moved or bool(calls)
                    texts.append(said)
    if moved:
        say("order")
    if not texts and not calls:
        return None
    made: dict[str, Any] = {"role": "assistant", "content": "\n\n".join(texts) if texts else None}
    if calls:
        made["tool_calls"] = calls
    return made


def _written_call(call: Call) -> dict[str, Any]:
    if call.free:
        given = call.input if isinstance(call.input, str) else words(call.input)
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": given}}
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_text(call.input)}}


def arguments_text(given: Any) -> str:
    """A call's arguments as the string that OpenAI's APIs want."""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _result(result: Result, shown: int, say: Say) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The tool message, and the parts that only a user message may hold."""
    texts: list[str] = []
    media: list[dict[str, Any]] = []
    for part in result.parts:
        match part:
            case Media() if part.text is None and (written := _medium(part)) is not None:
                say("result_media")
                name = f"{media_name(part)[:-1]}, of the result of {result.id}]"
                texts.append(f"{name[:-1]}, in the next user message]")
                media += [{"type": "text", "text": name}, written]
            case _:
                texts += [one["text"] for one in _said(part, say)]
    text = "\n".join(texts)
    if result.is_error:
        say("failed")
        text = ERROR + text
    return {"role": "tool", "tool_call_id": result.id, "content": text if text.strip() else NO_OUTPUT}, media


def _of_user(parts: Sequence[Part], say: Say) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Media) and part.text is None and (written := _medium(part)) is not None:
            if part.marked:
                say("cache")
            made.append(written)
        elif isinstance(part, Call):
            made.append({"type": "text", "text": f"[{part.name} {words(part.input)}]"})
        else:
            made += [one for one in _said(part, say) if one["text"].strip()]
    return made


def _said(part: Part, say: Say) -> list[dict[str, Any]]:
    """What a part says as text parts."""
    return [{"type": "text", "text": text} for text in texts_of(part, say)]


def texts_of(part: Part, say: Say) -> list[str]:
    """What a part says as texts, and what is lost on the way."""
    if getattr(part, "marked", False):
        say("cache")
    match part:
        case Text():
            if part.citations:
                say("citations", part.citations)
            return [part.text]
        case Found():
            say("search")
            return [found_text(part)]
        case ToolName():
            say("tool_reference")
            return [f"[tool {part.name}]"]
        case Media() if part.text is not None:
            say("text_document")
            return [document_text(part)]
        case Media():
            say("stored" if part.stored else "media")
            return [media_name(part)]
        case Thinking():
            say("thinking")
            return []
        case OnServer():
            say("server")
            return [part.text]
        case Odd():
            say("odd")
            return [part.text]
    return []


def _medium(media: Media) -> dict[str, Any] | None:
    if media.kind == "image" and (media.data or media.url):
        held = {"url": data_url(media)}
        return {"type": "image_url", "image_url": {**held, "detail": media.detail} if media.detail else held}
    if media.kind == "document" and media.data:
        name = media.title or f"document.{media.type.rpartition('/')[2] or 'pdf'}"
        address = f"data:{media.type or _PDF};base64,{media.data}"
        return {"type": "file", "file": {"filename": name, "file_data": address}}
    if media.kind == "audio" and media.data and media.type in ("audio/wav", "audio/mp3"):
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": media.type.rpartition("/")[2]}}
    return None


def write_tool(tool: Tool) -> dict[str, Any]:
    if tool.free:
        made = {"name": tool.name, "description": tool.description} if tool.description else {"name": tool.name}
        return {"type": "custom", "custom": made}
    function: dict[str, Any] = {"name": tool.name, "parameters": object_schema(tool)}
    return {
        "type": "function",
        "function": {**function, "description": tool.description} if tool.description else function,
    }


# As the agent sends it


def messages_of(role: str, values: Sequence[Any]) -> list[Any]:
    """The messages that an agent makes of what it sends in one turn: texts and calls together, each result alone."""
    whole = [value for value in values if isinstance(value, dict) and "role" in value]
    calls = [value for value in values if isinstance(value, dict) and "function" in value and "role" not in value]
    said = [value for value in values if not any(value is other for other in (*whole, *calls))]
    if not said and not calls:
        return whole
    content: Any = said[0] if len(said) == 1 and isinstance(said[0], str) else None
    if said and content is None:
        content = [{"type": "text", "text": value} if isinstance(value, str) else value for value in said]
    return [{"role": role, "content": content, **({"tool_calls": calls} if calls else {})}, *whole]


def as_sent(messages: Sequence[Any]) -> list[Any]:
    """The messages without what agents keep beside them."""
    return [
        {key: value for key, value in message.items() if key not in _KEPT_BESIDE}
        if isinstance(message, dict)
        else message
        for message in messages
    ]


_KEPT_BESIDE: Final = frozenset({"timestamp", "ts", "created_at", "time", "uuid"})
