"""Histories that hold one of everything that an API knows, to be exported."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from typing import Any

JSON = Any

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PDF = base64.b64encode(b"%PDF-1.4 a page").decode()
NASTY_IDS = (
    "toolu_01",
    "functions.read_file:0",
    "functions_read_file_0",
    "call_1|fc_2",
    "x" * 70,
    "x" * 71,
    "with space",
    "Ünïcode",
    "a.b:c",
)
"""Ids that one API or another refuses, and that a careless map would make equal."""


class Words:
    """Texts that can be found again: each is another word."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def __call__(self, what: str) -> str:
        word = f"{what}-{len(self.said)}-word"
        self.said.append(word)
        return word


def anthropic(ids: tuple[str, ...] = ("toolu_1", "toolu_2", "toolu_3", "toolu_4")) -> JSON:
    """A request body with one of every block."""
    a, b, c, d = ids
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    cache = {"cache_control": {"type": "ephemeral"}}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "metadata": {"user_id": "u"},
        "system": [{"type": "text", "text": "the system says", **cache}],
        "tools": [
            {"name": "Read", "description": "Reads.", "input_schema": {"type": "object", "properties": {"path": {}}}},
            {"name": "Find", "input_schema": {"type": "object"}},
            {"type": "web_search_20250305", "name": "web_search"},
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "the user asks", **cache},
                    image,
                    {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
                    {
                        "type": "document",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
                        "title": "The_Report.pdf",
                    },
                    {
                        "type": "document",
                        "source": {"type": "text", "media_type": "text/plain", "data": "the plain document"},
                        "title": "Notes",
                        "citations": {"enabled": True},
                    },
                    {
                        "type": "search_result",
                        "source": "https://example.com",
                        "title": "Found it",
                        "content": [{"type": "text", "text": "the search result"}],
                        "citations": {"enabled": True},
                    },
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "the thought", "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "c2VhbGVk"},
                    {
                        "type": "server_tool_use",
                        "id": "srvtoolu_1",
                        "name": "web_search",
                        "input": {"query": "the web"},
                    },
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "srvtoolu_1",
                        "content": [
                            {
                                "type": "web_search_result",
                                "url": "https://example.com",
                                "title": "A page",
                                "encrypted_content": "ZW5j",
                                "page_age": None,
                            }
                        ],
                    },
                    {
                        "type": "text",
                        "text": "the model cites",
                        "citations": [
                            {
                                "type": "char_location",
                                "cited_text": "plain",
                                "document_index": 0,
                                "document_title": "Notes",
                                "start_char_index": 0,
                                "end_char_index": 5,
                            }
                        ],
                    },
                    {"type": "tool_use", "id": a, "name": "Read", "input": {"path": "the path"}},
                    {"type": "tool_use", "id": b, "name": "Read", "input": {}},
                    {"type": "tool_use", "id": c, "name": "Find", "input": {"deep": [{"er": 1.5}]}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": a,
                        "content": [{"type": "text", "text": "the output"}, image],
                    },
                    {"type": "tool_result", "tool_use_id": b, "content": "the failure", "is_error": True},
                    {
                        "type": "tool_result",
                        "tool_use_id": c,
                        "content": [{"type": "tool_reference", "tool_name": "Read"}],
                    },
                    {"type": "text", "text": "the reminder", **cache},
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": d, "name": "Read", "input": {"path": "again"}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": d, "content": ""}]},
            {"role": "assistant", "content": "the end"},
            {"role": "user", "content": "the last question"},
        ],
    }


SAID = (
    *("the system says", "the user asks", "the plain document", "the search result", "the model cites", "the path"),
    *("the output", "the failure", "the reminder", "the end", "the last question", "the web"),
)
"""What must be in every export of it."""


def chat() -> JSON:
    """The same for chat messages."""
    return {
        "model": "gpt-5.5",
        "temperature": 0.5,
        "messages": [
            {"role": "system", "content": "the system says"},
            {
                "role": "user",
                "name": "sam",
                "content": [
                    {"type": "text", "text": "the user asks"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}},
                    {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
                ],
            },
            {
                "role": "assistant",
                "content": "the model says",
                "tool_calls": [
                    {
                        "id": "call.1",
                        "type": "function",
                        "function": {"name": "Read", "arguments": '{"path": "the path"}'},
                    },
                    {"id": "call_1", "type": "function", "function": {"name": "Read", "arguments": ""}},
                    {"id": "call_3", "type": "custom", "custom": {"name": "patch", "input": "the patch"}},
                ],
            },
            {"role": "tool", "tool_call_id": "call.1", "content": "the output"},
            {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "the other output"}]},
            {"role": "tool", "tool_call_id": "call_3", "content": ""},
            {"role": "developer", "content": "the rule amid"},
            {"role": "assistant", "content": None, "refusal": "the refusal"},
            {"role": "user", "content": "the last question"},
        ],
    }


CHAT_SAID = (
    *("the system says", "the user asks", "the model says", "the path", "the patch", "the output", "the other output"),
    *("the rule amid", "the refusal", "the last question"),
)


def responses() -> JSON:
    """The same for items."""
    return {
        "model": "gpt-5.5",
        "instructions": "the system says",
        "input": [
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "the rule"}]},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "the user asks"},
                    {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
                    {
                        "type": "input_file",
                        "filename": "a.pdf",
                        "file_data": f"data:application/pdf;base64,{PDF}",
                    },
                ],
            },
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "ZQ==",
            },
            {
                "type": "message",
                "id": "msg_1",
                "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "the model says", "annotations": []}],
            },
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call.1",
                "name": "Read",
                "arguments": '{"path": "the path"}',
            },
            {
                "type": "message",
                "id": "msg_2",
                "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "the words between", "annotations": []}],
            },
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "patch", "input": "the patch"},
            {
                "type": "function_call_output",
                "call_id": "call.1",
                "output": [
                    {"type": "input_text", "text": "the output"},
                    {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
                ],
            },
            {"type": "custom_tool_call_output", "call_id": "call_2", "output": "the other output"},
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {"type": "search", "query": "the web"},
            },
            {"role": "user", "content": "the last question"},
        ],
    }


RESPONSES_SAID = (
    *("the system says", "the rule", "the user asks", "the model says", "the path", "the patch", "the output"),
    *("the words between", "the other output", "the last question"),
)


def generated(seed: int) -> tuple[list[JSON], list[str]]:
    """A sound history of Anthropic's messages with one of everything at random, and the texts that are in it."""
    rng = random.Random(seed)
    words = Words()
    ids = iter(_many_ids(rng))
    messages: list[JSON] = [{"role": "user", "content": _user(rng, words)}]
    for _ in range(rng.randint(1, 5)):
        calls = [next(ids) for _ in range(rng.randint(0, 3))]
        content: list[JSON] = [{"type": "text", "text": words("said")}] if rng.random() < 0.6 or not calls else []
        if rng.random() < 0.3:
            content.insert(0, {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
        for id_ in calls:
            name = rng.choice(("Read", "mcp__server__tool", "a.b", "x" * 70, "1st", "Lesen_ü"))
            content.append({"type": "tool_use", "id": id_, "name": name, "input": {"path": words("path")}})
            if rng.random() < 0.2:
                content.append({"type": "text", "text": words("between")})
        messages.append({"role": "assistant", "content": content})
        answers = [_result(rng, words, id_) for id_ in calls]
        rng.shuffle(answers)
        if not calls or rng.random() < 0.3:
            answers += _user(rng, words)
        messages.append({"role": "user", "content": answers})
    return messages, words.said


def _many_ids(rng: random.Random) -> list[str]:
    nasty = list(NASTY_IDS)
    rng.shuffle(nasty)
    return nasty + [f"toolu_{number}" for number in range(40)]


def _user(rng: random.Random, words: Words) -> list[JSON]:
    parts: list[Callable[[], JSON]] = [
        lambda: {"type": "text", "text": words("asked")},
        lambda: {"type": "text", "text": words("marked"), "cache_control": {"type": "ephemeral"}},
        lambda: {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        lambda: {"type": "image", "source": {"type": "url", "url": f"https://example.com/{words('url')}"}},
        lambda: {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
        lambda: {
            "type": "document",
            "title": words("title"),
            "source": {"type": "text", "media_type": "text/plain", "data": words("document")},
        },
        lambda: {
            "type": "search_result",
            "title": words("title"),
            "source": words("source"),
            "content": [{"type": "text", "text": words("found")}],
        },
    ]
    return [parts[0](), *(rng.choice(parts)() for _ in range(rng.randint(0, 3)))]


def _result(rng: random.Random, words: Words, id_: str) -> JSON:
    made: JSON = {"type": "tool_result", "tool_use_id": id_}
    if rng.random() < 0.3:
        return {**made, "content": words("failed"), "is_error": True}
    match rng.choice(("text", "parts", "image", "empty", "reference")):
        case "text":
            return {**made, "content": words("output")}
        case "parts":
            return {**made, "content": [{"type": "text", "text": words("output")} for _ in range(2)]}
        case "image":
            image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
            return {**made, "content": [image, {"type": "text", "text": words("output")}]}
        case "reference":
            return {**made, "content": [{"type": "tool_reference", "tool_name": words("tool")}]}
    return {**made, "content": ""}
