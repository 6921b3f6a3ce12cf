"""The kinds of logs: each is recognised by its content, and gives bodies, times, answers and names, and no key."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
import zstandard

from benchmarks.sessions.requests import assistant, call, result, user
from tests.each import each
from tests.reports.logs import found_in, lines, rules_in
from toolpair.dialects.logged_messages import from_inspect
from toolpair.reports.first_break.logs.claude_code import RecordedRequests, message_hash
from toolpair.source.errors import UnreadableFile

HISTORY = [user("go"), assistant(call("t1", "Read", {})), {"role": "user", "content": [result("t1", "one")]}]
BROKEN = HISTORY[2:]
SECRET = "sk-ant-api03-VerySecretKeyThatNobodyMaySee"
WORDS = f"messages.0.content.0: unexpected `tool_use_id` ({SECRET})"
ERROR = {"type": "error", "error": {"type": "invalid_request_error", "message": WORDS}}
TIMES = "2026-11-21T09:12:45.000Z", "2026-11-21T09:12:50.000Z"
CHAT: list[Any] = [
    user("go"),
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "Read", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "t1", "content": "one"},
]
TELEMETRY = [
    {"role": "user", "parts": [{"type": "text", "content": "go"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "t1", "name": "Read", "arguments": {}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "t1", "response": "one"}]},
]
INSPECT: list[Any] = [
    {"id": "m0", "role": "user", "content": "go"},
    {"id": "m1", "role": "assistant", "content": "", "tool_calls": [{"id": "t1", "function": "Read", "arguments": {}}]},
    {"id": "m2", "role": "tool", "tool_call_id": "t1", "function": "Read", "content": "one"},
]


def har(messages: list[Any], status: int, answer: Any, time: str) -> dict[str, Any]:
    return {
        "startedDateTime": time,
        "request": {
            "method": "POST",
            "url": "https://api.example/v1/messages",
            "headers": [{"name": "x-api-key", "value": SECRET}, {"name": "authorization", "value": f"Bearer {SECRET}"}],
            "postData": {"mimeType": "application/json", "text": json.dumps({"messages": messages})},
        },
        "response": {"status": status, "content": {"text": json.dumps(answer)}},
    }


def litellm(messages: list[Any], status: str, time: float) -> dict[str, Any]:
    error = {"error_code": "400", "error_class": "BadRequestError", "error_message": WORDS}
    return {
        "id": "chatcmpl-1",
        "trace_id": "unique",
        "call_type": "acompletion",
        "status": status,
        "model": "gpt-5",
        "messages": messages,
        "startTime": time,
        "model_parameters": {"stream": True},
        "cache_hit": None,
        "metadata": {"user_api_key_hash": SECRET},
        "error_information": error if status == "failure" else None,
    }


def langfuse(given: Any, level: str, time: str) -> dict[str, Any]:
    return {
        "id": "o",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": time,
        "input": given,
        "output": None if level == "ERROR" else {"role": "assistant"},
        "level": level,
        "statusMessage": f"Error code: 400 - {json.dumps(ERROR)}" if level == "ERROR" else None,
        "sessionId": "s1",
    }


def helicone(messages: list[Any], status: int, answer: Any, time: str) -> dict[str, Any]:
    return {
        "request_id": "r",
        "request_created_at": time,
        "request_body": {"model": "claude-sonnet-4-5", "messages": messages},
        "response_status": status,
        "response_body": answer,
        "request_properties": {"Helicone-Session-Id": "s1"},
    }


def span(messages: Any, failed: bool, time: str, *, listed: bool = False) -> dict[str, Any]:
    attributes: Any = {
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.conversation.id": "s1",
        "gen_ai.input.messages": messages,
    }
    if not failed:
        attributes["gen_ai.response.id"] = "r"
    if listed:
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    status = {"status_code": "ERROR", "description": f"Error code: 400 - {WORDS}"} if failed else {"status_code": "OK"}
    return {"name": "chat", "start_time": time, "attributes": attributes, "status": status}


def sample(*, pooled: bool) -> dict[str, Any]:
    def event(first: int, time: str, error: str | None) -> dict[str, Any]:
        made: dict[str, Any] = {"event": "model", "model": "openai/gpt-5", "timestamp": time, "error": error}
        made |= {"completed": None if error else time}
        if pooled:
            return made | {"input": [], "input_refs": [[first, first + 1], [first + 1, 3]]}
        return made | {"input": INSPECT[first:]}

    events = [event(0, TIMES[0], None), {"event": "tool"}, event(2, TIMES[1], f"Error code: 400 - {WORDS}")]
    return {"id": 1, "epoch": 1, "uuid": "u", "events": events, "message_pool": INSPECT if pooled else []}


def claude_code(requests: list[list[dict[str, Any]]], error: str | None = None) -> list[dict[str, Any]]:
    """A session file that records these requests, each of which repeats what it can of the one before."""
    session = {"sessionId": "s", "version": "2.1.330"}
    shape = {"system": [{"type": "text", "text": "You help."}], "tools": [{"name": "Read", "input_schema": {}}]}
    records: list[dict[str, Any]] = [{"type": "api-request-shape", "shapeHash": "shape", "shape": shape, **session}]
    before: list[dict[str, Any]] = []
    for number, messages in enumerate(requests):
        keep = 0
        while keep < min(len(before), len(messages)) and before[keep] == messages[keep]:
            keep += 1
        for place, message in enumerate(messages[keep:], keep):
            if message["role"] == "user":
                records.append(
                    {"type": "api-request-blob", "hash": message_hash(message), "message": message, **session}
                )
                continue
            for block in message["content"]:
                said = {"id": f"msg_{number}_{place}", "role": "assistant", "content": [block]}
                records.append({"type": "assistant", "message": said, "requestRef": f"q{number - 1}", **session})
        request = {
            "type": "api-request",
            "id": f"q{number}",
            "timestamp": TIMES[min(number, 1)],
            "shapeHash": "shape",
            "params": {"model": "claude-sonnet-4-5", "betas": ["one"], "max_tokens": 9},
            "keep": keep,
            "tail": [message_hash(message) for message in messages[keep:]],
            "cacheControl": [{"path": ["messages", len(messages) - 1, "content", 0], "value": {"type": "ephemeral"}}],
            "querySource": "sdk",
            **session,
        }
        records.append(request | ({"base": f"q{number - 1}"} if number else {}))
        before = messages
    if error is not None:
        said = {"role": "assistant", "content": [{"type": "text", "text": error}]}
        failed = {"type": "assistant", "isApiErrorMessage": True, "apiErrorStatus": 400, "message": said}
        records.append({**failed, **session})
    return records


def blocks(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with texts as blocks, as Claude Code sends them."""
    return [
        {**one, "content": [{"type": "text", "text": one["content"]}]} if isinstance(one["content"], str) else one
        for one in messages
    ]


LOGS: dict[str, list[Any]] = {
    "bodies": [{"messages": HISTORY}, {"messages": BROKEN}],
    "bodies under a key": [
        {"time": TIMES[0], "json": {"messages": HISTORY}, "status": 200},
        {"time": TIMES[1], "json": {"messages": BROKEN}, "status": 400, "error": ERROR},
    ],
    "bodies as text": [
        {"timestamp": TIMES[0], "request": json.dumps({"messages": HISTORY}), "status": 200},
        {
            "timestamp": TIMES[1],
            "request": json.dumps({"messages": BROKEN}),
            "status": 400,
            "response": json.dumps(ERROR),
        },
    ],
    "litellm": [litellm(CHAT, "success", 1_790_000_000.5), litellm(CHAT[2:], "failure", 1_790_000_009.5)],
    "litellm in a callback": [
        {"kwargs": {"standard_logging_object": litellm(CHAT, "success", 1_790_000_000.5)}},
        {"kwargs": {"standard_logging_object": litellm(CHAT[2:], "failure", 1_790_000_009.5)}},
    ],
    "langfuse": [langfuse({"messages": CHAT}, "DEFAULT", TIMES[0]), langfuse(CHAT[2:], "ERROR", TIMES[1])],
    "langfuse, input as text": [
        langfuse(json.dumps(CHAT), "DEFAULT", TIMES[0]),
        langfuse(json.dumps({"messages": CHAT[2:]}), "ERROR", TIMES[1]),
    ],
    "langfuse, a trace": [
        {
            "id": "t",
            "sessionId": "s1",
            "observations": [langfuse(CHAT, "DEFAULT", TIMES[0]), langfuse(CHAT[2:], "ERROR", TIMES[1])],
        }
    ],
    "helicone": [helicone(HISTORY, 200, {}, TIMES[0]), helicone(BROKEN, 400, ERROR, TIMES[1])],
    "har": [{"log": {"entries": [har(HISTORY, 200, {}, TIMES[0]), har(BROKEN, 400, ERROR, TIMES[1])]}}],
    "mitmproxy": [
        {
            "timestamp_start": time,
            "request": {"method": "POST", "path": "/v1/messages", "content": json.dumps({"messages": messages})},
            "response": {"status_code": status, "content": json.dumps(answer)},
        }
        for messages, status, answer, time in (
            (HISTORY, 200, {}, 1_790_000_000.5),
            (BROKEN, 400, ERROR, 1_790_000_009.5),
        )
    ],
    "open telemetry": [span(TELEMETRY, False, TIMES[0]), span(TELEMETRY[2:], True, TIMES[1])],
    "open telemetry, OTLP": [
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                span(json.dumps(TELEMETRY), False, TIMES[0], listed=True),
                                span(json.dumps(TELEMETRY[2:]), True, TIMES[1], listed=True),
                            ]
                        }
                    ]
                }
            ]
        }
    ],
    "inspect": [{"samples": [sample(pooled=False)]}],
    "inspect, a sample with a pool": [sample(pooled=True)],
    "claude code": claude_code([blocks(HISTORY), blocks(BROKEN)], f"API Error: 400 {WORDS}"),
}
KINDS = {
    "litellm in a callback": "litellm",
    "langfuse, input as text": "langfuse",
    "langfuse, a trace": "langfuse",
    "mitmproxy": "har",
    "open telemetry": "open-telemetry",
    "open telemetry, OTLP": "open-telemetry",
    "inspect, a sample with a pool": "inspect",
    "claude code": "claude-code",
    "bodies under a key": "bodies",
    "bodies as text": "bodies",
}


@each("name", LOGS)
@each("layout", ["lines", "array", "indented"])
def test_a_break_is_found_in_every_kind_of_log(name: str, layout: str) -> None:
    records = LOGS[name]
    data = lines(records)
    if layout != "lines":
        # A document of one record is that record.
        whole = records[0] if len(records) == 1 else records
        data = json.dumps(whole, indent=1 if layout == "indented" else None).encode()
    found = found_in(data)
    assert found.log.kind.id == KINDS.get(name, name)
    assert rules_in(found) == [(2, "result.orphan")]
    (one,) = found.breaks
    assert one.pairs[0].result_id == "t1"
    assert one.request.before is not None and one.request.before.number == 1
    if name != "bodies":
        assert one.request.time is not None and one.request.before.time is not None
        assert one.request.time - one.request.before.time in (5, 9)
        answer = one.request.answer
        assert answer is not None and answer.status == 400 and answer.words is not None
        assert "unexpected `tool_use_id`" in answer.words and SECRET not in answer.words
        if name != "claude code":
            assert one.request.before.answer is not None and one.request.before.answer.taken


def packed(pack: Any, *, encoded: bool) -> dict[str, Any]:
    entry = har(BROKEN, 400, ERROR, TIMES[1])
    raw = pack(entry["request"]["postData"]["text"].encode())
    posted = entry["request"]["postData"]
    posted["text"] = base64.b64encode(raw).decode() if encoded else raw.decode("latin-1")
    posted |= {"encoding": "base64"} if encoded else {}
    entry["request"]["headers"].append({"name": "Content-Encoding", "value": "?"})
    return entry


@each("encoded", [True, False])
@each("pack", [gzip.compress, zstandard.compress])
def test_compressed_bodies_are_unpacked(pack: Any, encoded: bool) -> None:
    assert rules_in(found_in([packed(pack, encoded=encoded)])) == [(1, "result.orphan")]


def test_bodies_that_cannot_be_unpacked_are_counted() -> None:
    found = found_in(
        [har(HISTORY, 200, {}, TIMES[0]), packed(lambda raw: b"\x0b\x02\x80" + raw[:9][::-1], encoded=True)]
    )
    assert found.unread == {"compressed": 1}
    assert not found.breaks


def test_pages_of_a_site_in_an_archive_are_not_requests_to_a_model() -> None:
    page = {"startedDateTime": TIMES[0], "request": {"method": "GET", "url": "https://shop.example/"}, "response": {}}
    found = found_in([page, har(BROKEN, 400, ERROR, TIMES[1]), page])
    assert len(found.requests) == 1
    assert found.log.tally.others == 2


def test_a_prompt_that_the_log_cut_is_no_break() -> None:
    cut = litellm(CHAT, "success", 1_790_000_000.5)
    cut["messages"] = json.dumps(CHAT)[:70] + "... (litellm_truncated 900 chars)"
    found = found_in([cut, cut])
    assert not found.breaks
    assert found.unread == {"cut": 2}


def test_arguments_that_the_log_cut_are_no_break_but_a_lost_result_is() -> None:
    def history(*, answered: bool) -> list[Any]:
        asked = {"name": "Write", "arguments": '{"text": "aaa... (litellm_truncated 9000 chars)'}
        calls = [{"id": "t1", "type": "function", "function": asked}]
        after = CHAT[2] if answered else user("and?")
        return [CHAT[0], {"role": "assistant", "content": None, "tool_calls": calls}, after]

    whole = litellm(history(answered=True), "success", 1_790_000_000.5)
    found = found_in([whole], "anthropic")
    assert not found.breaks
    assert found.cut == 1
    lost = litellm(history(answered=False), "success", 1_790_000_000.5)
    assert rules_in(found_in([lost], "anthropic")) == [(1, "result.missing")]


def test_an_attribute_that_was_cut_is_no_break() -> None:
    found = found_in([span(json.dumps(TELEMETRY)[:-9], False, TIMES[0]), span(TELEMETRY, False, TIMES[1])])
    assert found.unread == {"cut": 1}
    assert not found.breaks


def test_telemetry_without_ids_is_paired_in_order() -> None:
    """Some instrumentations write a tool's output as plain text."""
    bare: list[Any] = json.loads(json.dumps(TELEMETRY))
    del bare[1]["parts"][0]["id"]
    bare[2]["parts"] = [{"type": "text", "content": "one"}]
    assert not found_in([span(bare, False, TIMES[0])]).breaks
    assert rules_in(found_in([span([*bare[:2], bare[0]], False, TIMES[0])])) == [(1, "result.missing")]


def test_helicone_without_bodies() -> None:
    record = helicone(HISTORY, 200, {}, TIMES[0])
    del record["request_body"]
    assert found_in([record, record]).unread == {"no body": 2}


def test_samples_of_one_task_are_conversations_of_their_own() -> None:
    """Two epochs of a sample begin alike."""
    samples = [{**sample(pooled=True), "epoch": epoch, "uuid": f"u{epoch}"} for epoch in (1, 2)]
    found = found_in(samples)
    assert [one.conversation for one in found.requests] == [1, 1, 2, 2]
    assert len(found.breaks) == 2


def test_a_request_as_it_went_to_the_provider_counts_more_than_what_inspect_made_of_it() -> None:
    one = sample(pooled=False)
    one["events"][0]["call"] = {"request": {"model": "m"}, "call_refs": [[0, 3]], "call_key": "messages"}
    one["call_pool"] = HISTORY
    del one["events"][2]
    found = found_in([one])
    assert found.profiles == ["anthropic"]
    one["call_pool"] = HISTORY[1:]  # a pool that lacks something: what Inspect made of it is all there is
    assert found_in([one]).profiles == ["openai-chat"]


def test_the_provider_that_telemetry_names_is_the_one_to_check_against() -> None:
    record = span(TELEMETRY, False, TIMES[0])
    record["attributes"]["gen_ai.provider.name"] = "anthropic"
    assert found_in([record]).profiles == ["anthropic"]


def test_what_is_no_log_is_refused_with_a_sentence() -> None:
    for data in (lines(HISTORY), b'{"a": 1}\n{"a": 2}\n', b"plain words\n", b'"text"'):
        with pytest.raises(UnreadableFile) as refused:
            found_in(data)
        assert str(refused.value).count("log.jsonl") == 1


# Bedrock and Gemini

BEDROCK: list[Any] = [
    {"role": "user", "content": [{"text": "go"}]},
    {
        "role": "assistant",
        "content": [{"text": "I look."}, {"toolUse": {"toolUseId": "t1", "name": "Read", "input": {}}}],
    },
    {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "one"}], "status": "error"}}]},
]
GEMINI: list[Any] = [
    {"role": "user", "parts": [{"text": "go"}]},
    {
        "role": "model",
        "parts": [{"functionCall": {"name": "Read", "args": {}}}, {"functionCall": {"name": "Read", "args": {}}}],
    },
    {
        "role": "user",
        "parts": [{"functionResponse": {"name": "Read", "response": {"output": n}}} for n in ("one", "two")],
    },
]
CONFIG = {"toolConfig": {"tools": [{"toolSpec": {"name": "Read", "inputSchema": {"json": {}}}}]}}


def test_bedrock_bodies() -> None:
    sound, broken = {"messages": BEDROCK, **CONFIG}, {"messages": [*BEDROCK[:2], BEDROCK[0]], **CONFIG}
    found = found_in([sound, broken])
    assert found.profiles == ["bedrock-converse"]
    assert rules_in(found) == [(2, "result.missing")]


def test_tools_that_run_at_bedrock_itself() -> None:
    """The model's message holds their results."""
    asked = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {}, "type": "server_tool_use"}}
    answer = {"toolResult": {"toolUseId": "t1", "content": [{"text": "one"}], "type": "look_result"}}
    messages = [BEDROCK[0], {"role": "assistant", "content": [asked, answer, {"text": "done"}]}, BEDROCK[0]]
    assert not found_in([{"messages": messages}]).breaks


def test_gemini_bodies_whose_calls_have_no_ids() -> None:
    fewer = [*GEMINI[:2], {"role": "user", "parts": GEMINI[2]["parts"][:1]}]
    found = found_in([{"contents": GEMINI}, {"contents": fewer}])
    assert found.profiles == ["gemini"]
    assert rules_in(found) == [(2, "result.missing")]
    assert found.conversations == 1


def test_gemini_bodies_with_ids() -> None:
    asked = [{"functionCall": {"id": id_, "name": "Read", "args": {}}} for id_ in ("a", "b")]
    answer = {"functionResponse": {"id": "b", "name": "Read", "response": {}}}
    contents = [GEMINI[0], {"role": "model", "parts": asked}, {"role": "user", "parts": [answer]}]
    (one,) = found_in([{"contents": contents}]).breaks
    assert (one.rule, one.pairs[0].call_id) == ("result.missing", "a")


# Claude Code's own requests


def test_claude_codes_requests_are_rebuilt_exactly() -> None:
    requests = [blocks(HISTORY[:1]), blocks(HISTORY), blocks([*HISTORY, assistant({"type": "text", "text": "done"})])]
    records = claude_code(requests)
    recorded = RecordedRequests(lambda span: records[span[0]])
    kept = json.dumps(records)
    bodies = [
        recorded.body(found)
        for place, record in enumerate(records)
        if (found := recorded.take(record, (place, place + 1))) is not None
    ]
    assert json.dumps(records) == kept
    for messages, body in zip(requests, bodies, strict=True):
        assert body is not None
        marked = body["messages"][-1]["content"][0].pop("cache_control")
        assert marked == {"type": "ephemeral"}
        assert body == {
            "model": "claude-sonnet-4-5",
            "max_tokens": 9,
            "system": [{"type": "text", "text": "You help."}],
            "tools": [{"name": "Read", "input_schema": {}}],
            "messages": messages,
        }


def test_a_request_of_which_a_part_is_lost_is_counted() -> None:
    records = [one for one in claude_code([blocks(HISTORY), blocks(BROKEN)]) if one["type"] != "assistant"]
    found = found_in(records)
    assert found.unread == {"not rebuilt": 1}
    assert rules_in(found) == [(2, "result.orphan")]


def test_inspects_messages_are_chat_messages() -> None:
    assert from_inspect(INSPECT)[1]["tool_calls"] == CHAT[1]["tool_calls"]
    assert from_inspect(INSPECT)[2] == CHAT[2]
