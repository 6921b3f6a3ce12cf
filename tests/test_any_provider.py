"""Transcripts judged by providers that they were not written for, and the rules that only some providers have.

A case names what is written, who judges it, and the errors and warnings that a person would read.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolpair
from tests.each import each
from toolpair.rules.profiles import PROFILES
from toolpair.session.session import open_session
from toolpair.transcript.model import PLACEHOLDER

Messages = list[dict[str, Any]]
ASKS: dict[str, Any] = {"role": "user", "content": "Look."}
SAYS: dict[str, Any] = {"role": "assistant", "content": "Well."}
TURNS = ("anthropic", "vertex-anthropic", "bedrock-converse", "gemini")
CHATS = ("openai-chat", "azure-openai", "mistral", "deepseek", "moonshot", "groq")


def found(messages: Messages, profile: str, severity: str = "error") -> list[str]:
    return [
        problem.rule for problem in toolpair.check(messages, profile=profile).problems if problem.severity == severity
    ]


def mended(messages: Messages, profile: str) -> Messages:
    repaired = toolpair.repair(messages, profile=profile)
    assert repaired.ok
    return list(repaired.messages)


def use(id_: str = "callNo001", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": "look", "input": {}, **more}


def result(id_: str = "callNo001", content: Any = "seen", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def text(words: str = "words") -> dict[str, Any]:
    return {"type": "text", "text": words}


def blocks(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def function(id_: str = "callNo001", arguments: Any = "{}", name: str = "look", **more: Any) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def calls(*made: dict[str, Any], content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(made), **more}


def tool(id_: str = "callNo001", content: Any = "seen", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content, **more}


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
IMAGE_URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


# --- what a conversion makes good is no error ------------------------------------------------------------


@each("profile", TURNS)
def test_tool_messages_in_a_row_and_the_words_behind_them_are_one_turn(profile: str) -> None:
    messages = [ASKS, calls(function("callNo001"), function("callNo002")), tool("callNo001"), tool("callNo002"), ASKS]
    assert found(messages, profile) == []


@each("profile", TURNS)
def test_instructions_are_lifted_out_before_a_turn_is_judged(profile: str) -> None:
    messages = [ASKS, calls(function()), {"role": "system", "content": "Be kind."}, tool(), SAYS, ASKS]
    assert found(messages, profile) == []
    assert found(messages, "openai-chat") == ["result.not_adjacent"]


@each("profile", CHATS)
def test_text_before_a_result_stands_behind_it_in_chat(profile: str) -> None:
    messages = [ASKS, blocks("assistant", use()), blocks("user", text(), result())]
    assert "result.not_first" not in found(messages, profile)
    assert found(messages, "anthropic") == ["result.not_first"]


@each("profile", CHATS)
def test_results_in_two_messages_are_tool_messages_in_a_row(profile: str) -> None:
    pair = [blocks("user", result("callNo001")), blocks("user", result("callNo002"))]
    messages = [ASKS, blocks("assistant", use("callNo001"), use("callNo002")), *pair]
    assert found(messages, profile) == []
    words_between = [*messages[:2], blocks("user", result("callNo001"), text()), pair[1]]
    late = "warning" if profile == "groq" else "error"
    assert "result.not_adjacent" in found(words_between, profile, late)


@each("profile", CHATS)
def test_an_input_of_any_kind_can_be_written_as_a_string(profile: str) -> None:
    messages = [ASKS, blocks("assistant", use(input=[1])), blocks("user", result())]
    assert found(messages, profile) == []
    assert found(messages, "anthropic") == ["args.not_object"]


@each("profile", CHATS)
def test_a_result_without_content_becomes_an_empty_tool_message(profile: str) -> None:
    without = {"type": "tool_result", "tool_use_id": "callNo001"}
    messages = [ASKS, blocks("assistant", use()), blocks("user", without)]
    assert found(messages, profile) == (["content.empty_result"] if profile == "moonshot" else [])


@each("profile", (*CHATS, "gemini", "openai-responses"))
def test_what_only_anthropic_has_is_left_out_for_others(profile: str) -> None:
    server = {"type": "server_tool_use", "id": "odd id", "name": "web_search", "input": {}}
    messages = [ASKS, blocks("assistant", {"type": "thinking", "thinking": "hm"}, server, text()), ASKS]
    assert found(messages, profile) == []
    assert set(found(messages, "anthropic")) == {"reasoning.bad_signature", "server.call_unpaired"}


# --- what a conversion cannot make good is --------------------------------------------------------------


@each("profile", TURNS[:3])
@each(
    ("given", "wanted"),
    [
        ('{"cut": "of', {"cut": "of"}),
        ('{"cut": "of", "th', {"raw_arguments": '{"cut": "of", "th'}),
        ("[1]", {"raw_arguments": "[1]"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
    ],
)
def test_arguments_in_a_string_have_to_hold_an_object(profile: str, given: str, wanted: Any) -> None:
    messages = [ASKS, calls(function(arguments=given)), tool()]
    assert found(messages, profile) == ["args.not_object"]
    made = mended(messages, profile)[1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(made) == wanted


@each("profile", TURNS)
@each("given", ["", "  ", "{}", None])
def test_no_arguments_are_an_empty_object(profile: str, given: Any) -> None:
    assert "args.not_object" not in found([ASKS, calls(function(arguments=given)), tool()], profile)


@each("profile", CHATS)
def test_images_in_results_move_behind_them_for_chat(profile: str) -> None:
    messages = [ASKS, blocks("assistant", use()), blocks("user", result(content=[text("seen"), IMAGE]))]
    said = found(messages, profile) + found(messages, profile, "warning")
    assert "result.type_not_allowed" in said
    if "result.type_not_allowed" in found(messages, profile):
        made = mended(messages, profile)
        assert made[2]["content"][0]["content"] == [text("seen")]
        assert made[-1]["content"][-1] == IMAGE


@pytest.mark.parametrize("part", [IMAGE_URL, {"type": "file", "file": {"file_data": "AAAA"}}])
def test_an_output_that_becomes_text_keeps_what_is_no_text_beside_it(part: dict[str, Any]) -> None:
    repaired = toolpair.repair([ASKS, SAYS, tool(content=[text("seen"), part]), ASKS], profile="openai-chat")
    assert repaired.ok and part in repaired.messages[2]["content"] and not repaired.losses


@each("profile", TURNS)
def test_images_in_tool_messages_can_go_into_results(profile: str) -> None:
    assert found([ASKS, calls(function()), tool(content=[text(), IMAGE_URL])], profile) == []


def test_a_chat_image_in_an_anthropic_result_becomes_an_image() -> None:
    made = mended([ASKS, blocks("assistant", use()), blocks("user", result(content=[IMAGE_URL]))], "anthropic")
    assert made[2]["content"][0]["content"] == [IMAGE]


@each("profile", TURNS[:3])
@each("content", ["", None, []])
def test_an_empty_message_of_the_user_is_refused_and_one_beside_calls_is_not(profile: str, content: Any) -> None:
    assert found([ASKS, calls(function(), content=content), tool()], profile) == []
    empty = {"role": "user", "content": content}
    assert "content.empty_message" in found([empty, calls(function()), tool()], profile)


# --- rules of single providers --------------------------------------------------------------------------


def test_bedrock_wants_roles_to_alternate() -> None:
    messages = [
        ASKS,
        {"role": "user", "content": "Please."},
        SAYS,
        blocks("assistant", use()),
        blocks("user", result()),
    ]
    assert found(messages, "bedrock-converse") == ["turn.alternation", "turn.alternation"]
    assert found(messages, "anthropic") == []
    made = mended(messages, "bedrock-converse")
    assert [message["role"] for message in made] == ["user", "assistant", "user"]
    assert made[0]["content"] == [text("Look."), text("Please.")]
    assert made[1]["content"] == [text("Well."), use()]


def test_bedrock_joins_chat_messages_in_their_last_which_has_the_calls() -> None:
    made = mended([ASKS, SAYS, calls(function(), content="Now."), tool()], "bedrock-converse")
    assert made[1:] == [calls(function(), content="Well.\n\nNow."), tool()]


def test_bedrock_refuses_json_that_is_no_object_and_errors_without_words() -> None:
    messages = [ASKS, blocks("assistant", use()), blocks("user", result(content=[{"json": [1, 2]}]))]
    assert found(messages, "bedrock-converse") == ["result.json_not_object"]
    assert mended(messages, "bedrock-converse")[2]["content"][0]["content"] == [text("[1, 2]")]
    assert found([*messages[:2], blocks("user", result(content=[{"json": {"a": 1}}]))], "bedrock-converse") == []
    silent = [*messages[:2], blocks("user", result(content="", is_error=True))]
    assert found(silent, "bedrock-converse") == ["error.empty_content"]


def test_bedrock_models_that_want_text_apart() -> None:
    messages = [ASKS, blocks("assistant", text("I look."), use()), blocks("user", result(), text("And?"))]
    assert set(found(messages, "bedrock-converse", "warning")) >= {"content.mixed_with_tool", "result.text_after"}
    made = mended(messages, "bedrock-converse/separate")
    assert [message["role"] for message in made] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert made[1]["content"] == [text("I look.")]
    assert made[-1]["content"] == [text("And?")]


def test_bedrock_wants_tools_to_be_declared_at_all() -> None:
    body = {"model": "m", "tools": [], "messages": [ASKS, blocks("assistant", use()), blocks("user", result())]}
    session = open_session("r.json", data=json.dumps(body).encode(), profile="bedrock-converse")
    undeclared = [problem for problem in session.problems if problem.rule == "tools.undeclared"]
    assert [(problem.severity, bool(problem.no_fix)) for problem in undeclared] == [("error", True)]


def test_gemini_takes_no_call_behind_its_own_words_or_at_the_beginning() -> None:
    messages = [ASKS, SAYS, calls(function()), tool()]
    assert found(messages, "gemini") == ["turn.call_after_model"]
    assert mended(messages, "gemini")[1] == calls(function(), content="Well.")
    assert found(messages[2:], "gemini") == ["turn.first_not_user"]
    assert found([SAYS, ASKS], "gemini") == []


def test_gemini_names_results_by_their_calls() -> None:
    messages = [ASKS, calls(function()), tool(name="other")]
    assert found(messages, "gemini", "warning") == ["result.name"]
    assert found([ASKS, calls(function()), tool(name="look")], "gemini", "warning") == []
    assert found([ASKS, calls(function()), tool()], "gemini", "warning") == []


def signed(signature: Any) -> dict[str, Any]:
    return function(extra_content={"google": {"thought_signature": signature}})


def test_gemini_signatures_where_the_transcript_shows_that_there_are_any() -> None:
    old = [ASKS, calls(signed("c2lnbmVk")), tool()]
    step = [calls(function("callNo002"), function("callNo003")), tool("callNo002"), tool("callNo003")]
    assert found([*old, *step], "gemini") == ["reasoning.missing_signature"]
    assert found([*old, ASKS, calls(signed("c2lnbmVk")), tool()], "gemini") == []
    assert found([ASKS, *step], "gemini") == []
    assert found([ASKS, *step], "gemini/3") == ["reasoning.missing_signature"]
    assert found([ASKS, *step, SAYS, ASKS], "gemini/3") == []  # an earlier turn
    assert found([ASKS, calls(signed("no signature!")), tool()], "gemini") == ["reasoning.bad_signature"]
    made = mended([*old, *step], "gemini")
    google = made[3]["tool_calls"][0]["extra_content"]["google"]
    assert google == {"thought_signature": "skip_thought_signature_validator"}


def test_mistral_wants_the_assistant_between_a_result_and_the_user() -> None:
    chat = [ASKS, calls(function()), tool(), ASKS]
    assert found(chat, "mistral") == ["turn.user_after_tool"]
    assert [message["role"] for message in mended(chat, "mistral")] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    array = [ASKS, blocks("assistant", use()), blocks("user", result(), text("And?"))]
    assert found(array, "mistral") == ["turn.user_after_tool"]
    made = mended(array, "mistral")
    assert made[2] == blocks("user", result())
    assert made[4] == blocks("user", text("And?"))


def test_mistral_takes_instructions_in_front_alone() -> None:
    system = {"role": "system", "content": "Be kind."}
    assert found([system, ASKS, system, SAYS, ASKS], "mistral") == []
    assert found([ASKS, SAYS, system, ASKS], "mistral") == ["role.unknown"]
    assert mended([ASKS, SAYS, system], "mistral")[2] == {"role": "user", "content": "Be kind."}


def test_mistral_does_not_count_the_calls_of_the_very_first_message() -> None:
    assert found([calls(function()), tool()], "mistral") == ["turn.first_not_user"]
    assert found([SAYS, ASKS], "mistral") == []


def test_mistral_ends_with_the_user_or_with_a_prefix() -> None:
    assert found([ASKS, SAYS], "mistral") == ["turn.trailing_assistant"]
    assert found([ASKS, {**SAYS, "prefix": True}], "mistral") == []


def test_mistral_families_that_take_words_or_calls() -> None:
    messages = [ASKS, calls(function(), content="I look."), tool()]
    assert found(messages, "mistral", "warning") == ["content.mixed_with_tool"]
    assert found(messages, "mistral/v7", "warning") == []
    made = mended(messages, "mistral/v3")
    assert made[1] == {"role": "assistant", "content": "I look."}
    assert made[2]["tool_calls"] and not made[2].get("content")


@pytest.mark.parametrize("profile", ["mistral", "deepseek"])
def test_old_function_calls_become_tool_calls(profile: str) -> None:
    messages = [
        ASKS,
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "seen"},
    ]
    assert found(messages, "openai-chat") == []
    assert found(messages, profile) == ["role.unknown"]
    made = mended(messages, profile)
    assert made[2]["role"] == "tool"
    assert made[2]["content"] == "seen"
    assert made[1]["tool_calls"][0]["id"] == made[2]["tool_call_id"]
    assert "function_call" not in made[1]


@pytest.mark.parametrize("profile", ["deepseek", "moonshot"])
def test_thinking_that_some_messages_bring_back_and_others_do_not(profile: str) -> None:
    kept = calls(function("callNo001"), reasoning_content="Hm.")
    lost = [calls(function("callNo002")), tool("callNo002")]
    messages = [ASKS, kept, tool("callNo001"), *lost]
    assert found(messages, profile) == ["reasoning.missing_before_call"]
    (problem,) = toolpair.check(messages, profile=profile).errors
    assert problem.recommended is None
    assert problem.no_fix
    assert not toolpair.repair(messages, profile=profile).changed
    assert found([ASKS, *lost], profile) == []  # nothing says that there was any
    assert found([ASKS, *lost], f"{profile}/thinking") == ["reasoning.missing_before_call"]


def test_deepseek_may_want_thinking_only_until_the_user_asks_again() -> None:
    lost = [calls(function("callNo002")), tool("callNo002")]
    messages = [ASKS, *lost, SAYS, ASKS, calls(function("callNo001"), reasoning_content="Hm."), tool("callNo001")]
    assert found(messages, "deepseek") == []
    assert found(messages, "deepseek", "warning") == ["reasoning.missing_before_call"]
    assert found(messages, "moonshot") == ["reasoning.missing_before_call"]


@each("content", ["", "  ", [], None])
def test_kimi_wants_results_that_say_something(content: Any) -> None:
    messages = [ASKS, calls(function()), tool(content=content)]
    assert found(messages, "moonshot") == ["content.empty_result"]
    assert mended(messages, "moonshot")[2]["content"] == "(no output)"


def test_kimi_wants_texts_that_are_not_empty() -> None:
    assert found([ASKS, {"role": "assistant", "content": ""}, ASKS], "moonshot") == ["content.empty_text"]
    assert found([ASKS, calls(function(), content=""), tool()], "moonshot") == []
    parts = {"role": "user", "content": [text(" "), text("words")]}
    assert mended([parts], "moonshot") == [{"role": "user", "content": [text("words")]}]


def test_groq_refuses_keys_that_it_does_not_know() -> None:
    messages = [{**ASKS, "timestamp": 1}, calls(function(), reasoning_content="Hm."), tool(is_error=False)]
    assert found(messages, "groq") == ["field.unsupported"] * 3
    assert mended(messages, "groq") == [ASKS, calls(function()), tool()]
    assert found([ASKS, calls(function(), reasoning="Hm."), tool()], "groq") == []


def test_groq_wants_ids_even_where_their_difference_is_only_a_warning() -> None:
    messages = [ASKS, calls(function("")), tool("callNo001")]
    assert found(messages, "groq") == ["id.empty"]
    made = mended(messages, "groq")
    assert made[1]["tool_calls"][0]["id"] == made[2]["tool_call_id"] != ""


@each("profile", PROFILES)
def test_names_are_written_as_each_provider_takes_them(profile: str) -> None:
    messages = [ASKS, calls(function(name="9mcp tool/x")), tool(name="9mcp tool/x")]
    if profile in ("deepseek", "groq"):
        assert "name.pattern" in found(messages, profile, "warning")
        return
    made = mended(messages, profile)
    name = made[1]["tool_calls"][0]["function"]["name"]
    assert found(made, profile) == []
    assert made[2]["name"] == name


META: Any = {
    "id": "01a1fd17-7a6c-7c11-9e18-deaa896459f4",
    "timestamp": "2026-01-01T00:00:00Z",
    "cwd": "/",
    "originator": "codex_exec",
    "cli_version": "0.169.0",
}


def test_an_unsupported_provider_of_items_still_sees_them_as_they_are() -> None:
    """A rollout's items carry no turns: who converts them makes the turns."""
    lines = [
        {"type": "session_meta", "payload": META},
        *(
            {"type": "response_item", "payload": payload}
            for payload in (
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Now."}]},
                {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "callNo001"},
                {"type": "function_call_output", "call_id": "callNo001", "output": "seen"},
            )
        ),
    ]
    for line in lines:
        line["timestamp"] = "2026-01-01T00:00:00Z"
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    for profile in PROFILES:
        session = open_session("rollout-2026-01-01T00-00-00-s.jsonl", data=data, format="codex", profile=profile)
        assert [problem.rule for problem in session.problems if problem.severity == "error"] == [], profile


ODD: tuple[Messages, ...] = (
    [ASKS, calls(function("")), tool(""), {"role": "assistant", "content": "Well.", "tool_calls": []}, ASKS],
    [ASKS, calls(function("call_" + "1" * 60, name="look/at")), tool("call_" + "1" * 60), ASKS],
    [ASKS, calls(function("call.1"), content=""), tool("call.1", [{"type": "image_url", "image_url": {}}]), SAYS],
    [ASKS, blocks("assistant", use(), text()), blocks("user", text(" "), result(content=[]), text()), ASKS],
    [SAYS, blocks("assistant", use()), blocks("user", result(content=[{"type": "image"}], is_error=True)), SAYS],
)


@each("profile", PROFILES)
def test_a_refusal_is_claimed_only_where_it_is_known(profile: str) -> None:
    claims = ("refuses", "does not accept", "does not take", " must ", "is refused", "are refused")
    for messages in ODD:
        for problem in toolpair.check(messages, profile=profile).problems:
            if problem.severity != "error":
                assert not any(claim in problem.text for claim in claims), (problem.rule, problem.text)


def test_a_list_of_ollamas_own_api_is_read_as_that_and_its_results_are_no_turns() -> None:
    def calls(*names: str) -> dict[str, Any]:
        listed = [{"function": {"name": name, "arguments": {"city": "Oslo"}}} for name in names]
        return {"role": "assistant", "content": "", "tool_calls": listed}

    answers = [{"role": "tool", "tool_name": name, "content": f"saw {name}"} for name in ("look", "ask")]
    messages = [{"role": "user", "content": "go"}, calls("look", "ask"), *answers, {"role": "user", "content": "on"}]
    session = open_session("x.json", data=json.dumps({"model": "m", "messages": messages}).encode())
    assert (session.format.id, session.profile.id, list(session.problems)) == ("ollama-chat", "ollama", [])
    session = open_session("x.json", data=json.dumps([*messages[:3], messages[4]]).encode())
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.call and problem.call.name) == ("result.missing", "warning", "ask")
    session.stage(problem)
    made = json.loads(session.to_bytes())
    assert made[:3] == messages[:3] and made[3] == {"role": "tool", "tool_name": "ask", "content": PLACEHOLDER}
    own = json.loads(json.dumps(messages))
    for number, call in enumerate(own[1]["tool_calls"]):
        call |= {"id": f"call_{number}", "type": "function"}
        own[2 + number]["tool_call_id"] = f"call_{number}"
    assert open_session("x.json", data=json.dumps(own).encode()).format.id == "openai-chat"
