"""Contents that one API accepts and another refuses, added to a random transcript beside the planted defects."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.properties.transcripts import Made, Messages

_PIXEL = "iVBORw0KGgo="
_ARGUMENTS = ['"x"', "[1]", "null", "", None, {"a": 1}, '"{\\"a\\":1}"']


def add_odd(rng: random.Random, made: Made, count: int) -> Made:
    """`count` oddities added to the messages of `made`, in place."""
    messages = made.messages
    chat = any(message["role"] == "tool" or message.get("tool_calls") for message in messages)
    for _ in range(count):
        _one(rng, made, messages, chat)
    return made


def _one(rng: random.Random, made: Made, messages: Messages, chat: bool) -> None:
    kind = rng.choice(["message", "message", "result", "result", "call", "thinking", "no_start"])
    made.defects.append(kind)
    if kind == "message":
        words = f"<odd-{rng.randrange(10**9)}>"
        message = rng.choice(
            [
                {"role": "system", "content": "Be kind."},
                {"role": "developer", "content": "Be kind."},
                {"role": "user", "content": words},
                {"role": "assistant", "content": "words"},
                {"role": rng.choice(["user", "assistant"]), "content": rng.choice(["", " ", None, []])},
                {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": words}]},
            ]
        )
        if words in json.dumps(message):
            made.markers.append(words)
        messages.insert(rng.randrange(len(messages) + 1), message)
    elif kind == "result":
        if found := _results(messages, chat):
            _odd_result(rng, made, rng.choice(found), chat)
    elif kind == "call":
        if found := _calls(messages, chat):
            call = rng.choice(found)
            holder = call["function"] if chat else call
            if rng.random() < 0.5:
                holder["name"] = "9mcp.tool:x"
            elif chat:
                holder["arguments"] = rng.choice(_ARGUMENTS)
    elif kind == "thinking" and not chat:
        for message in messages:
            if message["role"] == "assistant" and isinstance(message["content"], list):
                message["content"].insert(0, {"type": "thinking", "thinking": "hm"})
                break
    elif kind == "no_start" and messages and messages[0]["role"] == "user":
        text = json.dumps(messages.pop(0))
        made.markers[:] = [marker for marker in made.markers if marker not in text]


def _odd_result(rng: random.Random, made: Made, result: dict[str, Any], chat: bool) -> None:
    text = json.dumps(result)
    kind = rng.choice(["empty", "image", "json", "name"])
    if kind == "empty":
        made.markers[:] = [marker for marker in made.markers if marker not in text]
        result["content"] = rng.choice([None, "", []])
        if not chat and rng.random() < 0.5:
            result["is_error"] = True
    elif kind == "json":
        made.markers[:] = [marker for marker in made.markers if marker not in text]
        result["content"] = [{"json": [1, 2]}]
    elif kind == "image" and isinstance(result["content"], str):
        image: dict[str, Any] = {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL},
        }
        if chat:
            image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PIXEL}"}}
        elif rng.random() < 0.3:
            result["is_error"] = True
        result["content"] = [{"type": "text", "text": result["content"]}, image]
    elif kind == "name" and chat:
        result["name"] = rng.choice(["Read", "a.b"])


def _results(messages: Messages, chat: bool) -> list[dict[str, Any]]:
    if chat:
        return [message for message in messages if message["role"] == "tool"]
    return _blocks(messages, "tool_result")


def _calls(messages: Messages, chat: bool) -> list[dict[str, Any]]:
    if chat:
        return [call for message in messages for call in message.get("tool_calls") or []]
    return _blocks(messages, "tool_use")


def _blocks(messages: Messages, kind: str) -> list[dict[str, Any]]:
    return [
        block
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == kind
    ]
