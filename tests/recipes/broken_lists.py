"""Short lists of messages in which nothing fits: few ids, so that they collide, and every output different."""

from __future__ import annotations

import random
from typing import Any

IDS = ["a", "b", "c", "a.b", "a:b", "", "x" * 70, "x" * 70 + "y"]


def some_id(rng: random.Random) -> str:
    return rng.choice(IDS[:3]) if rng.random() < 0.8 else rng.choice(IDS)


def anthropic(rng: random.Random) -> list[dict[str, Any]]:
    messages = []
    for number in range(rng.randrange(1, 8)):
        role = rng.choice(["assistant", "user"]) if rng.random() < 0.3 else ("user", "assistant")[number % 2]
        if rng.random() < 0.1:
            content: Any = rng.choice(["", "words", [], None]) if role == "user" else rng.choice(["", "words", []])
        elif role == "user" and rng.random() < 0.2:
            content = f"<user-{number}>"
        else:
            content = [_block(rng, role, f"{number}-{place}") for place in range(rng.randrange(1, 6))]
        messages.append({"role": role, "content": content})
    return messages


def _block(rng: random.Random, role: str, mark: str) -> dict[str, Any]:
    if rng.random() < 0.2:
        return {"type": "text", "text": f"<words-{mark}>"}
    if role == "assistant":
        return {"type": "tool_use", "id": some_id(rng), "name": "Bash", "input": {"n": mark}}
    text = rng.choice([f"<output-{mark}>", "the same", "Tool execution was interrupted before completion."])
    return {
        "type": "tool_result",
        "tool_use_id": some_id(rng),
        "content": rng.choice([text, [{"type": "text", "text": text}]]),
    }


def chat(rng: random.Random, systems: bool = False) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(rng.randrange(1, 12)):
        role = rng.choice(["user", "assistant", "assistant", "tool", "tool", "tool", *(["system"] if systems else [])])
        if role == "assistant":
            calls = [
                {"id": some_id(rng), "type": "function", "function": {"name": "run", "arguments": "{}"}}
                for _ in range(rng.randrange(0, 4))
            ]
            made = {"role": role, "content": rng.choice([f"<said-{number}>", None])}
            messages.append({**made, "tool_calls": calls} if calls else {**made, "content": f"<said-{number}>"})
        elif role == "tool":
            messages.append({"role": role, "tool_call_id": some_id(rng), "content": f"<output-{number}>"})
        elif role == "user" and rng.random() < 0.5:
            messages.append({"role": role, "content": [{"type": "text", "text": f"<user-{number}>"}]})
        else:
            messages.append({"role": role, "content": f"<{role}-{number}>"})
    return messages
