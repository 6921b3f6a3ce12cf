"""An exported body judged by toolpair's rules for its API: those of Gemini and Bedrock through blocks of Anthropic's."""

from __future__ import annotations

import json
from typing import Any

import toolpair
from toolpair.session.session import open_session

JSON = Any


def refused(to: str, body: JSON) -> list[str]:
    """The errors that the provider's profile finds."""
    if to == "gemini":
        problems = toolpair.check(_of_gemini(body), to).errors
    elif to == "bedrock-converse":
        problems = toolpair.check(_of_converse(body), to).errors
    else:
        session = open_session("body", data=json.dumps(body).encode("ascii"), profile=to)
        problems = tuple(problem for problem in session.problems if problem.severity == "error")
    return [f"{problem.rule}: {problem.text}" for problem in problems]


def _of_gemini(body: JSON) -> list[JSON]:
    messages = []
    for content in body["contents"]:
        blocks = []
        for part in content["parts"]:
            if call := part.get("functionCall"):
                blocks.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]})
            elif answer := part.get("functionResponse"):
                blocks.append({"type": "tool_result", "tool_use_id": answer["id"], "content": str(answer["response"])})
            elif "text" in part:
                blocks.append({"type": "text", "text": part["text"]})
            else:
                blocks.append({"type": "text", "text": "(media)"})
        messages.append({"role": "assistant" if content["role"] == "model" else "user", "content": blocks})
    return messages


def _of_converse(body: JSON) -> list[JSON]:
    messages = []
    for message in body["messages"]:
        blocks = []
        for part in message["content"]:
            if call := part.get("toolUse"):
                blocks.append(
                    {"type": "tool_use", "id": call["toolUseId"], "name": call["name"], "input": call["input"]}
                )
            elif answer := part.get("toolResult"):
                text = "\n".join(one.get("text", "(media)") for one in answer["content"])
                blocks.append({"type": "tool_result", "tool_use_id": answer["toolUseId"], "content": text})
            elif "cachePoint" not in part:
                blocks.append({"type": "text", "text": part.get("text", "(media)")})
        messages.append({"role": message["role"], "content": blocks})
    return messages
