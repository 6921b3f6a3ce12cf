"""Exporting: what arrives, what is said, what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from tests.each import each
from tests.reports import one_of_everything as everything
from tests.reports.through_rules import refused
from tests.rounds import mixed, tries
from toolpair.reports.export.exporting import export
from toolpair.reports.export.targets import TARGETS
from toolpair.rules.profiles import profile
from toolpair.session.session import open_session

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"
JSON = Any
ALL = tuple(TARGETS)
SOURCES: dict[str, tuple[Callable[[], JSON], tuple[str, ...]]] = {
    "anthropic": (everything.anthropic, everything.SAID),
    "openai-chat": (everything.chat, everything.CHAT_SAID),
    "openai-responses": (everything.responses, everything.RESPONSES_SAID),
}


def text_of(body: JSON) -> str:
    """All strings in a body, those in JSON strings of arguments included."""
    return json.dumps(body, ensure_ascii=False).replace("\\", "")


def ids_in(body: JSON) -> list[str]:
    """The ids of calls in a body, in order."""
    found: list[str] = []
    todo: list[Any] = [body.get("messages") or body.get("contents") or body.get("input")]
    while todo:
        value = todo.pop(0)
        if isinstance(value, list):
            todo = [*value, *todo]
        elif isinstance(value, dict):
            if value.get("type") in ("tool_use", "function", "custom"):
                found.append(value["id"])
            elif value.get("type") in ("function_call", "custom_tool_call"):
                found.append(value["call_id"])
            elif isinstance(call := value.get("functionCall"), dict):
                found.append(call["id"])
            elif isinstance(call := value.get("toolUse"), dict):
                found.append(call["toolUseId"])
            else:
                todo = [*value.values(), *todo]
    return found


@each("to", ALL)
@each("source", SOURCES)
def test_every_text_arrives(source: str, to: str) -> None:
    make, said = SOURCES[source]
    before = make()
    exported = toolpair.export(before, to=to)
    assert before == make()
    assert [text for text in said if text not in text_of(exported.body)] == []


@pytest.mark.parametrize("to", ALL)
@settings(max_examples=tries(40), deadline=None)
@given(seed=st.integers(0, 10**9))
def test_generated_histories_lose_no_text_and_keep_ids_apart(to: str, seed: int) -> None:
    messages, said = everything.generated(seed)
    before = copy.deepcopy(messages)
    exported = toolpair.export(messages, to=to)
    assert messages == before
    text = text_of(exported.body)
    renamed = any(note.what == "title" for note in exported.notes)
    assert [word for word in said if word not in text and not (renamed and word.startswith("title"))] == []
    became = dict(exported.ids)
    assert len(set(became.values())) == len(became) == len(exported.ids)
    calls = [block["id"] for message in messages for block in message["content"] if block["type"] == "tool_use"]
    assert ids_in(exported.body) == [became[id_] for id_ in calls]
    assert all(map(profile(to).accepts_id, became.values()))
    assert not refused(to, exported.body)
    assert toolpair.export(messages, to=to) == exported
    names = {block["id"]: block["name"] for message in messages for block in message["content"] if "input" in block}
    assert len(set(names_in(exported.body, to))) == len(set(names.values()))


def names_in(body: JSON, to: str) -> list[str]:
    declared = body.get("toolConfig", body).get("tools", [])
    if to == "gemini":
        declared = [one for tool in declared for one in tool["functionDeclarations"]]
    return [tool.get("function", tool.get("toolSpec", tool))["name"] for tool in declared]


def test_nasty_ids_stay_apart_everywhere() -> None:
    messages = []
    for id_ in everything.NASTY_IDS:
        messages += [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": "run", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": f"output of {id_}"}]},
        ]
    for to in ALL:
        exported = toolpair.export(messages, to=to, as_is=True)
        assert len({new for _, new in exported.ids}) == len(everything.NASTY_IDS), to
        if to != "anthropic":
            assert not refused(to, exported.body), to


# What failed, and what is shown


def failed(result: JSON) -> list[JSON]:
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "run", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", **result}]},
    ]


def test_a_failed_result_says_so_in_every_api() -> None:
    messages = failed({"content": "exit code 3", "is_error": True})
    bodies = {to: toolpair.export(messages, to=to) for to in ALL}
    assert bodies["anthropic"].body["messages"][2]["content"][0]["is_error"] is True
    assert bodies["openai-chat"].body["messages"][2]["content"] == "Error: exit code 3"
    assert bodies["openai-responses"].body["input"][2]["output"] == "Error: exit code 3"
    response = bodies["gemini"].body["contents"][2]["parts"][0]["functionResponse"]
    assert (response["name"], response["response"]) == ("run", {"error": "exit code 3"})
    answer = bodies["bedrock-converse"].body["messages"][2]["content"][0]["toolResult"]
    assert answer == {"toolUseId": "t1", "content": [{"text": "exit code 3"}], "status": "error"}
    said = {to: [note.what for note in exported.changed] for to, exported in bodies.items()}
    assert "failed" in said["openai-chat"] and "failed" in said["openai-responses"]


def test_an_image_in_a_result_arrives_in_every_api() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": everything.PIXEL}}
    messages = failed({"content": [{"type": "text", "text": "a picture"}, image]})
    for to in ALL:
        exported = toolpair.export(messages, to=to)
        assert everything.PIXEL in text_of(exported.body), to
    chat = toolpair.export(messages, to="openai-chat")
    tool, user = chat.body["messages"][2:]
    assert tool["role"] == "tool" and isinstance(tool["content"], str) and "in the next user message" in tool["content"]
    assert user["role"] == "user" and user["content"][1]["type"] == "image_url"
    assert [note.count for note in chat.changed if note.what == "result_media"] == [1]


def test_images_of_parallel_results_come_after_the_last_tool_message() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": everything.PIXEL}}
    calls = [{"type": "tool_use", "id": f"t{n}", "name": "shot", "input": {}} for n in range(2)]
    results = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": [image]} for n in range(2)]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": [*results, {"type": "text", "text": "well?"}]},
    ]
    body = toolpair.export(messages, to="openai-chat").body
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "tool", "tool", "user"]
    kinds = [part["type"] for part in body["messages"][-1]["content"]]
    assert kinds == ["text", "image_url", "text", "image_url", "text"]
    assert "t1" in body["messages"][-1]["content"][2]["text"]


@each("to", ALL)
def test_an_empty_result_is_still_a_result(to: str) -> None:
    assert not refused(to, toolpair.export(failed({"content": ""}), to=to).body)


def test_what_is_left_out_is_said() -> None:
    for to, lost in {
        "openai-chat": {"thinking", "cache", "citations", "parameters", "provider_tools"},
        "openai-responses": {"thinking", "cache", "citations", "parameters", "provider_tools"},
        "gemini": {"thinking", "cache", "citations", "parameters", "provider_tools", "title"},
        "bedrock-converse": {"thinking", "citations", "parameters", "provider_tools", "media"},
    }.items():
        exported = toolpair.export(everything.anthropic(), to=to)
        assert {note.what for note in exported.lost} == lost, to
        assert all(str(note).endswith(".") and "{" not in str(note) for note in exported.notes)
    assert toolpair.export(everything.anthropic(), to="anthropic").lost == ()


def test_reasoning_is_kept_only_for_its_own_model() -> None:
    other = toolpair.export(everything.anthropic(), to="bedrock-converse", model="us.amazon.nova-pro-v1:0")
    same = toolpair.export(everything.anthropic(), to="bedrock-converse", model="us.anthropic.claude-sonnet-4-5-v1:0")
    assert "the thought" not in text_of(other.body) and "the thought" in text_of(same.body)
    assert "thinking" in {note.what for note in other.lost} and "thinking" not in {note.what for note in same.lost}


# The same API


def test_for_its_own_api_a_body_stays_as_it_is() -> None:
    body = everything.anthropic()
    assert toolpair.export(body, to="anthropic").body == body
    chat = everything.chat()
    exported = toolpair.export(chat, to="openai-chat")
    assert {key: exported.body[key] for key in chat} == chat
    assert [note.what for note in exported.made_up] == ["tools"]


def test_items_lose_only_what_a_request_must_not_have() -> None:
    exported = toolpair.export(everything.responses(), to="openai-responses").body
    assert exported["store"] is False and exported["instructions"] == "the system says"
    kinds = [item.get("type") for item in exported["input"]]
    assert kinds == [item.get("type") for item in everything.responses()["input"]]
    assert [item["id"] for item in exported["input"] if "id" in item] == ["rs_1", "ws_1"]
    assert exported["input"][3] == {"type": "message", "role": "assistant", "content": "the model says"}


def test_fields_that_are_no_request_s_are_left_out_and_named() -> None:
    exported = toolpair.export({"title": "mine", **everything.anthropic()}, to="anthropic")
    assert "title" not in exported.body
    assert [str(note) for note in exported.lost] == [
        "Left out 1 field beside the messages that the API does not know: title."
    ]


# Defaults


def test_what_is_made_up_is_said() -> None:
    messages = everything.anthropic()["messages"]
    exported = toolpair.export(messages, to="anthropic")
    assert exported.body["max_tokens"] == 1024 and exported.body["model"] == "$MODEL"
    assert [note.what for note in exported.made_up] == ["tools", "max_tokens", "model", "system"]
    assert [tool["name"] for tool in exported.body["tools"]] == ["Read", "Find"]
    assert exported.body["tools"][0]["input_schema"] == {"type": "object", "additionalProperties": True}
    assert "system" not in exported.body
    named = toolpair.export(messages, to="anthropic", model="claude-opus-4-5")
    assert named.body["model"] == "claude-opus-4-5" and "model" not in {note.what for note in named.made_up}


def test_a_model_of_another_provider_is_not_asked_for() -> None:
    assert toolpair.export(everything.anthropic(), to="openai-chat").body["model"] == "$MODEL"
    assert toolpair.export(everything.anthropic(), to="anthropic").body["model"] == "claude-sonnet-4-5"


# Broken sessions


def missing() -> list[JSON]:
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "run", "input": {}}]},
        {"role": "user", "content": "and?"},
    ]


@pytest.mark.parametrize("to", ALL)
def test_a_broken_history_is_fixed_first_and_that_is_said(to: str) -> None:
    exported = toolpair.export(missing(), to=to)
    assert [str(note) for note in exported.fixed] == ['Fixed first, in memory only: write "no result was recorded".']
    assert not refused(to, exported.body)
    as_is = toolpair.export(missing(), to=to, as_is=True)
    assert not as_is.fixed and refused(to, as_is.body)


def test_ids_that_differ_by_sanitising_are_fixed_not_made_equal() -> None:
    session = toolpair.open(SAMPLES / "sanitised-on-one-side.json")
    exported = toolpair.export(session, to="gemini")
    assert exported.fixed and not refused("gemini", exported.body)
    assert not session.staged
    as_is = toolpair.export(session, to="gemini", as_is=True)
    assert as_is.ids and len({new for _, new in as_is.ids}) == len(as_is.ids)


def test_what_no_fix_is_safe_for_is_refused() -> None:
    session = unfixable()
    with pytest.raises(toolpair.ExportRefused) as refusal:
        toolpair.export(session, to="anthropic")
    assert str(refusal.value) == (
        "Nothing was exported: Amazon Bedrock Converse would refuse it, and no safe fix is known. There are calls and "
        "results here, but the request declares no tools. (tools.undeclared)"
    )
    assert len(refusal.value.problems) == 1
    assert toolpair.export(session, to="anthropic", as_is=True).body["messages"]


def unfixable() -> toolpair.Session:
    """Bedrock's rules find something in it that no change of the messages can fix."""
    body = {"model": "m", "tools": [], "messages": failed({"content": "x"})}
    return toolpair.open("body", data=json.dumps(body).encode(), profile="bedrock-converse")


# Turns


def test_a_turn_is_the_request_that_produced_it() -> None:
    body = everything.anthropic()
    whole = toolpair.export(body, to="anthropic")
    assert whole.turns == 3 and whole.turn is None
    for turn, count in ((1, 1), (2, 3), (3, 5)):
        exported = toolpair.export(body, to="anthropic", turn=turn)
        assert exported.body["messages"] == body["messages"][:count]
        assert exported.turn == turn
    for odd in (0, 4, -1):
        with pytest.raises(ValueError, match=f"no assistant turn {odd}. There are 3"):
            toolpair.export(body, to="anthropic", turn=odd)


def test_what_the_model_makes_in_a_row_is_one_turn() -> None:
    exported = toolpair.export(everything.responses(), to="openai-responses", turn=1)
    assert exported.turns == 2
    assert [item.get("role") for item in exported.body["input"]] == ["developer", "user"]


def test_a_history_that_ends_with_the_assistant_says_so() -> None:
    exported = toolpair.export(everything.anthropic()["messages"][:6], to="anthropic")
    assert "ends" in {note.what for note in exported.made_up}
    assert "ends" not in {note.what for note in toolpair.export(everything.anthropic(), to="anthropic").made_up}


def test_a_path_is_no_list_of_messages() -> None:
    with pytest.raises(TypeError, match="open for files"):
        toolpair.export("session.jsonl", to="anthropic")
    with pytest.raises(toolpair.SessionError):
        toolpair.export([1, 2], to="anthropic")


def test_an_unknown_api_is_named() -> None:
    with pytest.raises(ValueError, match="no API 'claude' to export to; there are anthropic, "):
        toolpair.export(missing(), to="claude")


@each("to", ALL)
def test_the_body_s_json_commands_no_terminal(to: str) -> None:
    text = "a\x1b[31m\x7f\x9b\u202e\u2028b ü 漢"
    exported = toolpair.export([{"role": "user", "content": text}], to=to)
    assert json.loads(exported.json) == exported.body and text in json.dumps(exported.body, ensure_ascii=False).replace(
        "\\u001b", "\x1b"
    )
    written = exported.json.decode()
    assert not any(char in written for char in "\x1b\x7f\x9b\u202e\u2028") and "ü 漢" in written


@pytest.mark.parametrize("to", ALL)
def test_half_a_surrogate_pair_is_written_as_json_has_it(to: str) -> None:
    exported = toolpair.export([{"role": "user", "content": "a\ud83d"}], to=to, as_is=True)
    assert b"a\\ud83d" in exported.json and json.loads(exported.json) == exported.body
    assert not refused(to, toolpair.export([{"role": "user", "content": "a\ud83d"}], to=to).body)


# Samples


@pytest.mark.parametrize(("path", "to"), mixed(sorted(SAMPLES.glob("*.*")), ALL), ids=str)
def test_every_sample_is_exported_to_every_api(path: Path, to: str) -> None:
    if path.suffix in (".py", ".md"):
        pytest.skip("no session")
    exported = toolpair.export(toolpair.open(path), to=to)
    assert not refused(to, exported.body)
    assert json.loads(exported.json) == exported.body


@pytest.mark.parametrize(
    ("path", "api"),
    mixed(
        sorted(SAMPLES.glob("*.json*")),
        ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "anthropic", "gemini"],
    ),
    ids=str,
)
def test_each_call_of_a_sample_is_a_call_in_the_body(path: Path, api: str) -> None:
    """Whatever spelling its agent writes and sends."""
    if path.name == "proxy-log.jsonl":
        return
    session = open_session(path)
    session.stage_recommended()
    judged = session.conversation.judged
    sent = {block.id for message in judged.transcript.messages for block in message.blocks if block.kind == "result"}
    body = json.dumps(export(session, api, as_is=True).body)
    spelled = {
        "anthropic": '"type": "tool_result"',
        "openai-chat": '"role": "tool"',
        "openai-responses": '_call_output"',
        "gemini": '"functionResponse"',
        "bedrock-converse": '"toolResult"',
    }
    assert bool(sent) == (spelled[api] in body)
