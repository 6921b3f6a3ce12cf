"""A request body: which API it is for, and its history in a form that can be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import bedrock_converse, gemini
from toolpair.formats.engine.detection.list_evidence import ANTHROPIC, CHAT, RESPONSES, ListEvidence
from toolpair.history.list_windows import shape_of
from toolpair.reports.first_break.answers import parsed
from toolpair.rules.profiles import is_profile

GEMINI: Final = "gemini"
BEDROCK: Final = "bedrock-converse"
_HOLDERS: Final = ("body", "request", "json", "request_body", "requestBody", "payload", "data", "input", "kwargs")
"""Where records of logs have a body."""
_LISTS: Final = ("messages", "input", "contents")
_DEEPEST: Final = 3
_SAMPLE: Final = 50


class History(Struct, frozen=True):
    """The history of a request. `messages` are Anthropic's, of Chat Completions, or items, one for one as sent."""

    api: str
    """The profile of its API."""
    format: str
    """The format of `messages`."""
    messages: list[Any]
    outer: dict[str, Any]
    """The body around them."""
    key: str
    """What the list is called in the body."""
    readable: bool
    """Whether toolpair opens the body as it is."""


def is_body(value: Any) -> bool:
    """Whether it is a request body: an object with a list of messages, items or contents."""
    return isinstance(value, Mapping) and any(_is_list(value.get(key)) for key in _LISTS)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in islice(value, _SAMPLE))


def body_in(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """The body in a record: the record itself, or what it has under one of the usual keys, also as JSON text."""
    if isinstance(value, str):
        value = parsed(value)
    if isinstance(value, list) and depth and _is_list(value):
        value = {"messages": value} if _is_history(value) else None
    if not isinstance(value, dict):
        return None
    if is_body(value):
        return value
    if depth < _DEEPEST:
        for key in _HOLDERS:
            if key in value and (found := body_in(value[key], depth + 1)) is not None:
                return found
    if isinstance(value.get("input"), str) and isinstance(value.get("model"), str) and "output" not in value:
        return value  # a request of the Responses API with a single text
    return None


def _is_history(value: list[Any]) -> bool:
    return all("role" in one or "type" in one for one in islice(value, _SAMPLE))


def history_of(body: dict[str, Any]) -> History | None:
    """The history in a body; None when it has none."""
    key = next((key for key in _LISTS if isinstance(body.get(key), list)), "")
    messages = body.get(key)
    if not isinstance(messages, list) or (key == "input" and not _is_list(messages)):
        if not isinstance(body.get("input"), str):
            return None
        text = [{"type": "message", "role": "user", "content": body["input"]}]
        return History(RESPONSES, RESPONSES, text, body, "input", False)
    if key == "contents" or (messages and all(map(gemini.is_content, islice(messages, _SAMPLE)))):
        outer = {"model": body.get("model"), "tools": list(_gemini_tools(body)) or None}
        return History(GEMINI, ANTHROPIC, gemini.as_anthropic(messages), outer, key, False)
    if key == "input":
        return History(RESPONSES, RESPONSES, messages, body, key, True)
    if _is_bedrock(messages):
        outer = {"model": body.get("modelId"), "tools": list(_bedrock_tools(body)) or None}
        return History(BEDROCK, ANTHROPIC, list(map(bedrock_converse.as_anthropic, messages)), outer, key, False)
    shape = shape_of(messages) or ListEvidence().hear_all(messages).sure or _api_of(body, messages)
    return History(shape, shape, messages, body, key, True)


def _api_of(body: dict[str, Any], messages: list[Any]) -> str:
    """The API of messages that do not show it themselves."""
    if any(isinstance(one, dict) and one.get("role") in ("system", "developer", "tool") for one in messages):
        return CHAT
    tools = body.get("tools")
    if isinstance(tools, list) and tools and isinstance(tools[0], dict):
        return ANTHROPIC if "input_schema" in tools[0] else CHAT
    if "system" in body or "anthropic_version" in body:
        return ANTHROPIC
    model = body.get("model")
    if isinstance(model, str):
        return ANTHROPIC if "claude" in model else CHAT
    listed = any(isinstance(one.get("content"), list) for one in messages if isinstance(one, dict))
    return ANTHROPIC if listed else CHAT


def _is_bedrock(messages: list[Any]) -> bool:
    for message in islice(messages, _SAMPLE):
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list) and content:
            return all(map(bedrock_converse.is_part, content))
        if content is not None:
            return False
    return False


def _bedrock_tools(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    config = body.get("toolConfig")
    tools = config.get("tools") if isinstance(config, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict) and isinstance(tool.get("toolSpec"), dict):
            yield {"name": tool["toolSpec"].get("name")}


def _gemini_tools(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            declared = tool.get("functionDeclarations", tool.get("function_declarations"))
            yield from (one for one in (declared if isinstance(declared, list) else ()) if isinstance(one, dict))


_PROVIDERS: Final = {
    **dict.fromkeys(("openai",), CHAT),
    **dict.fromkeys(("azure", "azure.ai.openai", "azure_ai"), "azure-openai"),
    **dict.fromkeys(("aws.bedrock", "aws_bedrock", "bedrock", "amazon-bedrock"), BEDROCK),
    **dict.fromkeys(("gcp.gemini", "gcp.gen_ai", "gcp.vertex_ai", "google", "vertex_ai"), GEMINI),
    **dict.fromkeys(("mistral_ai", "mistralai"), "mistral"),
    **dict.fromkeys(("moonshot_ai",), "moonshot"),
}
"""What telemetry calls a provider -> its profile, where that is another name."""


def profile_of_provider(name: Any) -> str | None:
    """The profile of a provider as telemetry names it."""
    if not isinstance(name, str):
        return None
    found = _PROVIDERS.get(name.casefold(), name.casefold())
    return found if is_profile(found) else None
