"""Anthropic's own types against toolpair's verdict about shape, and the SDK's objects as people have them in lists."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from tests.properties import transcripts
from tests.rounds import tries
from tests.vendors.sdk import Sdk
from tests.vendors.shapes import damaged, refused

anthropic, pydantic = Sdk("anthropic"), Sdk("pydantic")
MESSAGE = cache(lambda: pydantic.TypeAdapter(anthropic.types.MessageParam))
SEEDS = st.integers(0, 10**9)

ACCEPTED = {
    "words at type": "a block of a type that is not known may be of a newer API than this version's",
    "null at content": "the content of a result may be left out, and the API takes null for that: a warning at most",
}
"""What the types refuse and toolpair lets pass: the damage -> why."""


def _kind(done: list[str]) -> str:
    how, _, path = done[0].partition(" at ")
    return f"{how} at {path.rpartition('.')[2]}" if done else ""


@settings(max_examples=tries(40))
@given(SEEDS)
def test_what_the_types_accept_as_valid_is_valid(seed: int) -> None:
    made = transcripts.anthropic(random.Random(seed), 3)
    assert not refused(MESSAGE(), made.messages)
    assert toolpair.check(made.messages, "anthropic").ok


@settings(max_examples=tries(120))
@given(SEEDS)
def test_what_the_types_refuse_is_an_error(seed: int) -> None:
    rng = random.Random(seed)
    messages, done = damaged(rng, transcripts.anthropic(rng, 3).messages)
    try:
        report = toolpair.check(messages, "anthropic")
    except ValueError:
        return  # so odd that it is no list of messages any more: never "valid"
    wrong = refused(MESSAGE(), messages)
    if report.ok and wrong:
        assert _kind(done) in ACCEPTED, (done, wrong)


@settings(max_examples=tries(80))
@given(SEEDS, st.booleans())
def test_what_is_mended_passes_the_types(seed: int, shapes: bool) -> None:
    rng = random.Random(seed)
    made = transcripts.anthropic(rng, 3)
    planted = transcripts.plant(rng, made, 2)
    messages, done = damaged(rng, planted.messages) if shapes else (planted.messages, [])
    try:
        repaired = toolpair.repair(messages, "anthropic")
    except ValueError:
        return
    if repaired.ok and not (done and _kind(done) in ACCEPTED):
        assert not refused(MESSAGE(), list(repaired.messages)), (done, planted.defects)


# --- the SDK's objects -------------------------------------------------------------------------------------

TEXT = {"type": "text", "text": "I look.", "citations": None}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def _response(*content: dict[str, Any]) -> Any:
    """A response as the SDK makes it of what the API sends."""
    return anthropic.types.Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5",
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": list(content),
        }
    )


def _sent(messages: Any) -> Any:
    """The messages as the SDK's client puts them on the wire."""
    import importlib

    base = importlib.import_module("anthropic._base_client")
    http = next(module for name in ("httpx", "httpx2") if (module := getattr(base, name, None)) is not None)
    bodies: list[bytes] = []

    def answer(request: Any) -> Any:
        bodies.append(request.content)
        return http.Response(200, json=_response(TEXT).model_dump(mode="json"))

    client = anthropic.Anthropic(api_key="none", http_client=http.Client(transport=http.MockTransport(answer)))
    client.messages.create(model="claude-sonnet-5", max_tokens=10, messages=messages)
    return json.loads(bodies[0])["messages"]


def test_blocks_of_a_response() -> None:
    response = _response(THOUGHT, TEXT, CALL)
    said = {"role": "assistant", "content": response.content}
    messages = [{"role": "user", "content": "go"}, said, {"role": "user", "content": "and?"}]
    assert [found.rule for found in toolpair.check(messages, "anthropic").errors] == ["result.missing"]
    mended = toolpair.guard(messages, "anthropic", "repair")
    assert mended[1] is said and said["content"] is response.content
    sent = _sent(mended)
    assert [block["type"] for block in sent[1]["content"]] == ["thinking", "text", "tool_use"]
    assert not refused(MESSAGE(), sent) and toolpair.check(sent, "anthropic").ok


def test_a_block_that_is_mended_has_only_what_the_api_knows() -> None:
    call = anthropic.types.ToolUseBlock.model_validate({**CALL, "id": "bad id!", "caller": None})
    parsed = getattr(anthropic.types, "ParsedTextBlock", anthropic.types.TextBlock)
    text = parsed.model_construct(type="text", text="I look.", citations=None, parsed_output={"answer": 1})
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [text, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "bad id!", "content": "ok"}]},
    ]
    mended = toolpair.guard(messages, "anthropic", "repair")
    said = mended[1]["content"]
    assert said[0] == {"type": "text", "text": "I look."}
    assert set(said[1]) == {"type", "id", "name", "input"} and said[1]["id"] == mended[2]["content"][0]["tool_use_id"]
    assert not refused(MESSAGE(), mended) and toolpair.check(_sent(mended), "anthropic").ok


def test_a_whole_response_in_the_list() -> None:
    """Appended itself it is sent with its id, model and usage, which the API refuses."""
    response = _response(TEXT, CALL)
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
    messages: list[Any] = [{"role": "user", "content": "go"}, response, {"role": "user", "content": [result]}]
    report = toolpair.check(messages, "anthropic")
    assert {"id", "model", "usage"} <= set(_sent(messages)[1])
    assert [found.rule for found in report.errors] == ["field.unsupported"]
    mended = toolpair.guard(messages, "anthropic", "repair")
    assert set(mended[1]) == {"role", "content"} and mended[0] is messages[0] and mended[2] is messages[2]
    assert not refused(MESSAGE(), mended) and toolpair.check(_sent(mended), "anthropic").ok


def test_keys_of_a_program_s_own_are_refused_in_a_request_and_noted_in_a_file(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "go"}], "timestamp": 1}]
    assert not toolpair.check(messages, "anthropic")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(messages))
    problems = toolpair.open(path, profile="anthropic").problems
    assert [(found.rule, found.severity) for found in problems] == [("field.unsupported", "warning")]
