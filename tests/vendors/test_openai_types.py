"""OpenAI's own types against toolpair's verdict about shape, and the SDK's objects as people have them in lists."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from tests.properties import transcripts
from tests.rounds import tries
from tests.vendors.sdk import Sdk
from tests.vendors.shapes import damaged, refused

pydantic, chat_types, item_types = Sdk("pydantic"), Sdk("openai.types.chat"), Sdk("openai.types.responses")
CHAT = cache(lambda: pydantic.TypeAdapter(chat_types.ChatCompletionMessageParam))
ITEM = cache(lambda: pydantic.TypeAdapter(item_types.ResponseInputItemParam))
SEEDS = st.integers(0, 10**9)


def responses(rng: random.Random, turns: int = 3) -> list[dict[str, Any]]:
    """A valid conversation as items."""
    items: list[dict[str, Any]] = []
    for message in transcripts.chat(rng, turns).messages:
        if message["role"] == "tool":
            items.append(
                {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            )
            continue
        if message.get("content"):
            items.append({"role": message["role"], "content": message["content"]})
        for call in message.get("tool_calls", ()):
            items.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    return items


def chat(rng: random.Random, turns: int = 3) -> list[dict[str, Any]]:
    return transcripts.chat(rng, turns).messages


KINDS = {"openai-chat": (CHAT, chat), "openai-responses": (ITEM, responses)}
ACCEPTED = {
    "openai-chat": {
        "null at tool_calls": "clients that write every field write null there, and most servers take it for none",
    },
    "openai-responses": {
        "words at type": "an item of a type that is not known may be of a newer API than this version's",
        "null at output": "told as a result without content: a warning, since servers take it for an empty one",
        "gone at output": "the same",
    },
}
"""What the types refuse and toolpair lets pass: the damage -> why."""
each = pytest.mark.parametrize("profile", KINDS)


def _kind(done: list[str]) -> str:
    how, _, path = done[0].partition(" at ")
    return f"{how} at {path.rpartition('.')[2]}"


def _is_explained(profile: str, done: list[str]) -> bool:
    return bool(done) and _kind(done) in ACCEPTED[profile]


@each
@settings(max_examples=tries(30))
@given(SEEDS)
def test_what_the_types_accept_as_valid_is_valid(profile: str, seed: int) -> None:
    types, make = KINDS[profile]
    messages = make(random.Random(seed))
    assert not refused(types(), messages)
    assert toolpair.check(messages, profile).ok


@each
@settings(max_examples=tries(100))
@given(SEEDS)
def test_what_the_types_refuse_is_an_error(profile: str, seed: int) -> None:
    types, make = KINDS[profile]
    rng = random.Random(seed)
    messages, done = damaged(rng, make(rng))
    try:
        report = toolpair.check(messages, profile)
    except ValueError:
        return  # so odd that it is no list of messages any more: never "valid"
    wrong = refused(types(), messages)
    if report.ok and wrong:
        assert _is_explained(profile, done), (done, wrong)


def _planted(rng: random.Random, make: Callable[..., Any], shapes: bool) -> tuple[list[Any], list[str]]:
    messages = make(rng)
    if make is chat:
        messages = transcripts.plant(rng, transcripts.Made(messages, []), 2).messages
    elif messages:
        messages.pop(rng.randrange(len(messages)))
    return damaged(rng, messages) if shapes else (messages, [])


@each
@settings(max_examples=tries(60))
@given(SEEDS, st.booleans())
def test_what_is_mended_passes_the_types(profile: str, seed: int, shapes: bool) -> None:
    types, make = KINDS[profile]
    messages, done = _planted(random.Random(seed), make, shapes)
    try:
        repaired = toolpair.repair(messages, profile)
    except ValueError:
        return
    if repaired.ok and not _is_explained(profile, done):
        assert not refused(types(), list(repaired.messages)), done


# --- the SDK's objects -------------------------------------------------------------------------------------


def _message(**changes: Any) -> Any:
    """A message of a response, as the SDK makes it of what the API sends."""
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    sent = {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [call]}
    return chat_types.ChatCompletionMessage.model_validate(sent | changes)


def test_messages_of_a_response() -> None:
    message = _message()
    messages: list[Any] = [{"role": "user", "content": "go"}, message, {"role": "user", "content": "and?"}]
    assert [found.rule for found in toolpair.check(messages, "openai-chat").errors] == ["result.missing"]
    mended = toolpair.guard(messages, "openai-chat", "repair")
    assert mended[1] is message and mended[2]["tool_call_id"] == "call_1"
    result = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    valid = [messages[0], message, result]
    assert toolpair.guard(valid, "openai-chat") is valid


def test_a_message_that_is_mended_passes_the_types() -> None:
    calls = [{"id": "", "type": "function", "function": {"name": "run", "arguments": "{}"}}]
    message = _message(tool_calls=calls, audio=None, function_call=None)
    result = {"role": "tool", "tool_call_id": "", "content": "ok"}
    mended = toolpair.guard([{"role": "user", "content": "go"}, message, result], "openai-chat", "repair")
    assert isinstance(mended[1], dict) and not refused(CHAT(), mended)
    assert json.loads(json.dumps(mended)) == mended
    assert mended[1]["content"] is None and not {"audio", "function_call", "refusal"} & set(mended[1])
    assert mended[1]["tool_calls"][0]["id"] == mended[2]["tool_call_id"] != ""


def test_a_whole_response_is_named() -> None:
    whole = {"id": "c", "object": "chat.completion", "choices": [{"message": {}}]}
    with pytest.raises(ValueError, match=r"choices\[0\]\.message"):
        toolpair.check([whole])


def test_items_of_a_response() -> None:
    call = item_types.ResponseFunctionToolCall(
        type="function_call", id="fc_1", call_id="call_1", name="run", arguments="{}", status="completed"
    )
    thought = item_types.ResponseReasoningItem(type="reasoning", id="rs_1", summary=[])
    items: list[Any] = [{"role": "user", "content": "go"}, thought, call]
    output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    assert toolpair.guard([*items, output]) == [*items, output]
    report = toolpair.check([*items, {"role": "user", "content": "and?"}])
    assert report.profile == "openai-responses" and [found.rule for found in report.errors] == ["result.missing"]
    mended = toolpair.guard([*items, {"role": "user", "content": "and?"}], mode="repair")
    assert mended[1] is thought and mended[2] is call and mended[3]["type"] == "function_call_output"
    assert not refused(ITEM(), [mended[0], *mended[3:]])


def test_an_item_that_is_mended_passes_the_types() -> None:
    call = item_types.ResponseFunctionToolCall(
        type="function_call", id="wrong_1", call_id="call_1", name="run", arguments="{}"
    )
    output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    mended = toolpair.guard([{"role": "user", "content": "go"}, call, output], mode="repair")
    assert mended[1] == {"type": "function_call", "call_id": "call_1", "name": "run", "arguments": "{}"}
    assert not refused(ITEM(), mended)


def test_outputs_for_calls_that_the_api_keeps() -> None:
    """With `previous_response_id` only the outputs are sent; the calls are in the stored response."""
    output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    for items in (
        [output],
        [output, {"role": "user", "content": "go on"}],
        [{"type": "item_reference", "id": "fc_1"}, output],
    ):
        assert toolpair.guard(items) is items  # type: ignore[type-var]


def test_messages_as_litellm_makes_them() -> None:
    """Pydantic objects of another package: what is None is left out, what is a default is not."""

    class Message(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        content: str | None = None
        role: str = "assistant"
        tool_calls: list[Any] | None = None
        function_call: Any = None
        provider_specific_fields: Any = None

    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    message = Message(tool_calls=[call])
    messages: list[Any] = [{"role": "user", "content": "go"}, message, {"role": "user", "content": "and?"}]
    assert [found.rule for found in toolpair.check(messages).errors] == ["result.missing"]
    mended = toolpair.guard([messages[0], message.model_copy(update={"tool_calls": [call | {"id": ""}]}), messages[2]], mode="repair")  # fmt: skip
    assert not refused(CHAT(), mended)
    assert mended[1].keys() == {"role", "content", "tool_calls"} and toolpair.check(mended).ok


def test_messages_of_langchain_are_named() -> None:
    class AIMessage(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        content: str
        type: str = "ai"
        tool_calls: list[Any] = []  # noqa: RUF012 - pydantic copies it

    with pytest.raises(ValueError, match="convert_to_openai_messages"):
        toolpair.check([AIMessage(content="", tool_calls=[{"name": "run", "args": {}, "id": "call_1"}])])
