"""A model's API on loopback that answers every request with one short text and keeps what it was sent.

It speaks the Messages API (`…/messages`), the Responses API (`…/responses`), Chat Completions
(`…/chat/completions`) and Gemini's (`…:generateContent`), streamed or not. It serves from a thread of the process that
made it and listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import json
import threading
import zlib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any

ANSWER = "resumed"


@dataclass(frozen=True, slots=True)
class Request:
    """One POST: its path without the query, and its body (None when that is no JSON object)."""

    path: str
    body: dict[str, Any] | None


class MockApi:
    """`with MockApi() as api:` serves at `api.url`; `api.requests` are the requests so far, in order."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.requests))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def bodies(self, ending: str) -> list[dict[str, Any]]:
        """The bodies of the requests whose path ends so."""
        return [found.body for found in self.requests if found.path.endswith(ending) and found.body is not None]

    def __enter__(self) -> MockApi:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def _handler(requests: list[Request]) -> type[BaseHTTPRequestHandler]:
    numbers = count()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self._send("")

        def do_GET(self) -> None:
            self._send(json.dumps({"data": [], "models": []}))

        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            body = _parsed(self._raw())
            requests.append(Request(path, body))
            number = next(numbers)
            asked = body or {}
            if path.endswith("/count_tokens"):
                self._send(json.dumps({"input_tokens": 10}))
            elif path.endswith("/messages"):
                self._answer(asked, _message(asked, number), _message_events(asked, number))
            elif path.endswith("/responses"):
                self._answer(asked, _response(asked, number), _response_events(asked, number))
            elif path.endswith("/chat/completions"):
                self._complete(asked, number)
            elif path.endswith(":streamGenerateContent"):
                self._send(f"data: {json.dumps(_candidate())}\n\n", "text/event-stream")
            elif path.endswith(":generateContent"):
                self._send(json.dumps(_candidate()))
            elif path.endswith(":countTokens"):
                self._send(json.dumps({"totalTokens": 10}))
            else:
                self._send("{}")

        def _raw(self) -> bytes:
            raw = b""
            if self.headers.get("transfer-encoding") == "chunked":
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    raw += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            return zlib.decompress(raw, 31) if self.headers.get("content-encoding") == "gzip" else raw

        def _answer(self, asked: dict[str, Any], whole: dict[str, Any], events: list[dict[str, Any]]) -> None:
            if not asked.get("stream"):
                self._send(json.dumps(whole))
                return
            text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
            self._send(text, "text/event-stream")

        def _complete(self, asked: dict[str, Any], number: int) -> None:
            said = {"role": "assistant", "content": ANSWER}
            about = {"id": f"chatcmpl_mock{number}", "created": 1, "model": asked.get("model", "mock")}
            usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
            if not asked.get("stream"):
                choice = {"index": 0, "message": said, "finish_reason": "stop"}
                self._send(json.dumps({**about, "object": "chat.completion", "choices": [choice], "usage": usage}))
                return
            ends = [
                {"index": 0, "delta": said, "finish_reason": None},
                {"index": 0, "delta": {}, "finish_reason": "stop"},
            ]
            parts = [{**about, "object": "chat.completion.chunk", "choices": [end]} for end in ends]
            parts.append({**about, "object": "chat.completion.chunk", "choices": [], "usage": usage})
            self._send(
                "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n", "text/event-stream"
            )

        def _send(self, text: str, kind: str = "application/json") -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.send_header("request-id", "req_mock")
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


_USAGE = {
    "input_tokens": 10,
    "output_tokens": 1,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def _message(asked: dict[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"msg_mock{number}",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", "mock"),
        "content": [{"type": "text", "text": ANSWER}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": _USAGE,
    }


def _message_events(asked: dict[str, Any], number: int) -> list[dict[str, Any]]:
    start = {**_message(asked, number), "content": [], "stop_reason": None}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE},
        {"type": "message_stop"},
    ]


def _candidate() -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": ANSWER}]}
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}


def _response(asked: dict[str, Any], number: int) -> dict[str, Any]:
    text = {"type": "output_text", "text": ANSWER, "annotations": []}
    item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [text]}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": asked.get("model", "mock"),
        "output": [item],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def _response_events(asked: dict[str, Any], number: int) -> list[dict[str, Any]]:
    whole = _response(asked, number)
    item = whole["output"][0]
    return [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {
            "type": "response.output_text.delta",
            "item_id": item["id"],
            "output_index": 0,
            "content_index": 0,
            "delta": ANSWER,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
