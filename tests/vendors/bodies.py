"""Judging whole request bodies by the vendors' own types. Each function says what is wrong, or nothing."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

JSON = Any


def anthropic(body: JSON) -> list[str]:
    module = pytest.importorskip("anthropic.types.message_create_params")
    beta = {"context_management", "mcp_servers", "betas", "container"} & body.keys()
    if beta:
        module = pytest.importorskip("anthropic.types.beta.message_create_params")
    return _typed(module.MessageCreateParamsNonStreaming, body)


def openai_chat(body: JSON) -> list[str]:
    module = pytest.importorskip("openai.types.chat.completion_create_params")
    return _typed(module.CompletionCreateParamsNonStreaming, body)


def openai_responses(body: JSON) -> list[str]:
    module = pytest.importorskip("openai.types.responses.response_create_params")
    return _typed(module.ResponseCreateParamsNonStreaming, body)


def gemini(body: JSON) -> list[str]:
    types = pytest.importorskip("google.genai.types")
    pydantic = pytest.importorskip("pydantic")
    wrong: list[str] = []
    if not body.get("contents"):
        wrong.append("no contents")
    try:
        for content in body["contents"]:
            types.Content.model_validate_json(json.dumps(content))
        rest = {key: value for key, value in body.items() if key != "contents"}
        types.GenerateContentConfig.model_validate_json(json.dumps(rest))
    except pydantic.ValidationError as error:
        wrong += [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
    if wrong:
        return wrong
    roles = [content["role"] for content in body["contents"]]
    if any(role not in ("user", "model") for role in roles):
        wrong.append("a role that is neither user nor model")
    if any(one == other for one, other in pairwise(roles)):
        wrong.append("roles do not alternate")
    for number, content in enumerate(body["contents"]):
        if not content.get("parts"):
            wrong.append("a content without parts")
        asked = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        after = body["contents"][number + 1]["parts"] if number + 1 < len(body["contents"]) else []
        answered = [part["functionResponse"]["name"] for part in after if "functionResponse" in part]
        if sorted(asked) != sorted(answered) and (after or not asked):
            wrong.append(f"{asked} are answered by {answered}")
    return wrong


def bedrock(body: JSON) -> list[str]:
    pytest.importorskip("botocore")
    from botocore.validate import ParamValidator

    shape = _converse()
    given = {"modelId": "m", **_with_bytes(body)}
    report = ParamValidator().validate(given, shape)
    return [report.generate_report()] if report.has_errors() else list(_metadata(given, shape, "body"))


@cache
def _converse() -> Any:
    import botocore.session

    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def _with_bytes(value: JSON) -> JSON:
    if isinstance(value, list):
        return list(map(_with_bytes, value))
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item)
        if key in ("bytes", "redactedContent") and isinstance(item, str)
        else item
        if key in ("input", "json")
        else _with_bytes(item)
        for key, item in value.items()
    }


def _metadata(value: JSON, shape: Any, path: str) -> Iterator[str]:
    """What botocore has in its model and does not look at: patterns, greatest lengths, enumerations."""
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for key, item in value.items():
            if key in shape.members:
                yield from _metadata(item, shape.members[key], f"{path}.{key}")
            else:
                yield f"{path}.{key} is unknown"
    elif shape.type_name == "list":
        for number, item in enumerate(value):
            yield from _metadata(item, shape.member, f"{path}[{number}]")
    elif isinstance(value, str):
        meta = shape.metadata
        if "pattern" in meta and not re.fullmatch(meta["pattern"], value):
            yield f"{path}: {value[:60]!r} is not of the pattern {meta['pattern']}"
        if getattr(shape, "enum", None) and value not in shape.enum:
            yield f"{path}: {value!r} is none of {shape.enum}"
        if "max" in meta and len(value) > meta["max"]:
            yield f"{path} is longer than {meta['max']}"


@cache
def _adapter(type_: Any) -> Any:
    # Kept alive: what it yields lazily belongs to it.
    return pytest.importorskip("pydantic").TypeAdapter(type_)


def _typed(type_: Any, body: JSON) -> list[str]:
    pydantic = pytest.importorskip("pydantic")
    try:
        read = _used_up(_adapter(type_).validate_python(body))
    except pydantic.ValidationError as error:
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
    return list(_lost(body, read, "body"))


def _used_up(value: Any) -> Any:
    """With each Iterable iterated: pydantic looks into it only then."""
    if isinstance(value, dict):
        return {key: _used_up(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) or hasattr(value, "__next__"):
        return [_used_up(item) for item in value]
    return value


def _lost(given: Any, read: Any, path: str) -> Iterator[str]:
    """Keys that the types do not know."""
    if isinstance(given, dict) and isinstance(read, dict):
        for key, item in given.items():
            if key not in read:
                yield f"{path}.{key} is unknown"
            else:
                yield from _lost(item, read[key], f"{path}.{key}")
    elif isinstance(given, list) and isinstance(read, list):
        for number, (item, other) in enumerate(zip(given, read, strict=False)):
            yield from _lost(item, other, f"{path}[{number}]")


JUDGES: dict[str, Callable[[JSON], list[str]]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "bedrock-converse": bedrock,
}
