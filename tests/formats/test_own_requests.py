"""What files say of a request besides the history: Claude Code's own records, Codex's settings, pi's sections."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolpair
from tests.reports.recorded_requests import BETAS, PARAMS, SYSTEM, TOOLS, Recording, hash_of, recording

JSON = Any


def opened(made: Recording) -> toolpair.Session:
    return toolpair.open("session.jsonl", data=made.to_bytes())


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_recorded_request_is_rebuilt_exactly(turn: int) -> None:
    made = recording()
    exported = toolpair.export(opened(made), to="anthropic", turn=turn)
    assert exported.body["messages"] == made.sent[turn - 1]["messages"]
    assert exported.body["system"] == SYSTEM and exported.body["tools"] == TOOLS
    rest = {key: value for key, value in exported.body.items() if key not in ("messages", "system", "tools")}
    assert rest == {key: value for key, value in PARAMS.items() if key != "betas"}
    assert exported.headers == {"anthropic-beta": ",".join(BETAS)}
    assert exported.exact and not exported.notes


def test_the_whole_history_begins_with_what_was_sent() -> None:
    made = recording()
    exported = toolpair.export(opened(made), to="anthropic")
    before = made.sent[-1]["messages"]
    assert exported.body["messages"][: len(before)] == before
    after = exported.body["messages"][len(before) :]
    assert [message["role"] for message in after[:2]] == ["assistant", "user"]
    assert [block["type"] for message in after[:2] for block in message["content"]][:2] == ["tool_use", "tool_result"]
    assert exported.exact and exported.turns == 3


def test_another_api_gets_what_was_sent_too() -> None:
    exported = toolpair.export(opened(recording()), to="openai-chat", turn=2)
    text = json.dumps(exported.body)
    assert "sent with count the lines" in text and "after toolu_2" in text
    assert exported.body["messages"][0] == {"role": "system", "content": "the recorded system prompt"}
    assert not exported.exact and not exported.headers


@pytest.mark.parametrize("gone", ["api-request-blob", "api-request-shape", "base"])
def test_what_cannot_be_found_is_said_and_the_history_is_used(gone: str) -> None:
    made = recording()
    if gone == "base":
        made.records = [record for record in made.records if record.get("id") != "request-1"]
    else:
        at = next(number for number, record in enumerate(made.records) if record["type"] == gone)
        del made.records[at]
    exported = toolpair.export(opened(made), to="anthropic", turn=2)
    assert not exported.exact
    assert "recorded" in {note.what for note in exported.made_up}
    assert exported.body["messages"][0]["content"][-1]["text"] == "count the lines"
    assert "sent with" not in json.dumps(exported.body)


def test_a_turn_without_a_recorded_request_says_so() -> None:
    made = recording()
    for record in made.records:
        if record.get("requestRef") == "request-2":
            del record["requestRef"]
    exported = toolpair.export(opened(made), to="anthropic", turn=2)
    assert not exported.exact and exported.body["tools"] == TOOLS
    assert [str(note) for note in exported.made_up] == [
        "The file has no record of this turn's request: the history stands for it."
    ]


def test_a_recorded_message_that_was_changed_is_counted() -> None:
    made = recording()
    blob = next(record for record in made.records if record["type"] == "api-request-blob")
    blob["message"]["content"][0]["text"] = "another text"
    exported = toolpair.export(opened(made), to="anthropic", turn=1)
    assert [note.count for note in exported.made_up if note.what == "altered"] == [1]


def test_a_history_that_is_not_what_was_recorded_is_not_mixed_with_it() -> None:
    """The request of the last response is another one: the history was compacted, rewound or fixed since."""
    made = recording()
    last = next(record for record in reversed(made.records) if record["type"] == "assistant")
    last["requestRef"] = "request-1"
    exported = toolpair.export(opened(made), to="anthropic")
    assert not exported.exact and "sent with" not in json.dumps(exported.body)
    calls = [block["id"] for message in exported.body["messages"] for block in message["content"] if "input" in block]
    assert calls == ["toolu_1", "toolu_2", "toolu_3"]


@pytest.mark.parametrize(
    "odd",
    [
        {"base": "request-1"},
        {"base": 5},
        {"keep": -1},
        {"keep": "1"},
        {"tail": None},
        {"tail": [[]]},
        {"params": []},
        {"shapeHash": []},
        {"cacheControl": [{"path": ["messages", 99, "content"]}, {"path": 3}, 4, {"path": ["system", "x"]}]},
    ],
)
def test_odd_records_break_nothing(odd: JSON) -> None:
    made = recording()
    for record in made.records:
        if record["type"] == "api-request" and record["id"] == "request-1":
            record.update(odd)
    for turn in (None, 1, 2, 3):
        assert toolpair.export(opened(made), to="anthropic", turn=turn).body["messages"]


def test_the_hash_is_of_sorted_keys_without_spaces_in_utf_8() -> None:
    digest = "c0bd5bd4bb84ed2b6cb8ba8ba29b64d4d8c1f1a0"
    assert hash_of({"b": "ü", "a": 1}) == hash_of({"a": 1, "b": "ü"}) and len(digest) == 40


def lines(*records: JSON) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def item(**payload: JSON) -> JSON:
    return {"timestamp": "2026-11-21T07:52:15.000Z", "type": "response_item", "payload": payload}


def test_codex_says_instructions_model_and_effort() -> None:
    meta = {
        "id": "01a1fd17-737c-7503-829c-a18e12b22083",
        "cwd": "/home/dev",
        "base_instructions": {"text": "You code."},
    }
    data = lines(
        {"timestamp": "2026-11-21T07:52:15.000Z", "type": "session_meta", "payload": meta},
        {"timestamp": "2026-11-21T07:52:15.000Z", "type": "turn_context", "payload": {"model": "gpt-5.5"}},
        item(type="message", role="user", content=[{"type": "input_text", "text": "go"}]),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "gone"}]),
        {
            "timestamp": "2026-11-21T07:52:15.000Z",
            "type": "turn_context",
            "payload": {"model": "gpt-5.6", "effort": "high"},
        },
        item(type="message", role="user", content=[{"type": "input_text", "text": "again"}]),
        item(type="message", role="assistant", phase="final", end_turn=True, content=[]),
    )
    session = toolpair.open("rollout.jsonl", data=data)
    first = toolpair.export(session, to="openai-responses", turn=1).body
    assert (first["model"], first["instructions"], first.get("reasoning")) == ("gpt-5.5", "You code.", None)
    whole = toolpair.export(session, to="openai-responses").body
    assert (whole["model"], whole["reasoning"], whole["store"]) == ("gpt-5.6", {"effort": "high"}, False)
    assert not any(key in one for one in whole["input"] for key in ("phase", "end_turn", "metadata"))
    other = toolpair.export(session, to="anthropic").body
    assert other["system"] == [{"type": "text", "text": "You code."}] and other["model"] == "$MODEL"


def test_pi_says_sections_and_tools() -> None:
    tool = {"name": "read", "description": "Reads.", "parameters": {"type": "object", "required": ["path"]}}
    system = {
        "role": "system",
        "content": "",
        "sections": {"a": "You help.", "b": "<cwd>/x</cwd>"},
        "toolsAdded": [tool],
    }
    answer = {"role": "assistant", "content": [{"type": "text", "text": "yes"}], "api": "anthropic-messages"}
    answer |= {"provider": "anthropic", "model": "claude-sonnet-4-5", "stopReason": "stop"}
    data = lines(
        {"type": "session", "version": 3, "id": "01a1fd24", "timestamp": "2026-11-21T08:07:00.801Z", "cwd": "/x"},
        {"type": "message", "id": "1", "parentId": None, "message": system},
        {"type": "message", "id": "2", "parentId": "1", "message": {"role": "user", "content": "go"}},
        {"type": "message", "id": "3", "parentId": "2", "message": answer},
        {"type": "message", "id": "4", "parentId": "3", "message": {"role": "user", "content": "on"}},
    )
    exported = toolpair.export(toolpair.open("session.jsonl", data=data), to="anthropic")
    assert exported.body["system"][0]["text"] == "You help.\n\n<cwd>/x</cwd>"
    assert exported.body["tools"] == [{"name": "read", "description": "Reads.", "input_schema": tool["parameters"]}]
    assert exported.body["model"] == "claude-sonnet-4-5"
    assert [note.what for note in exported.made_up] == ["max_tokens"]
