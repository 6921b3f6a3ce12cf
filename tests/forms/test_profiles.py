"""A list says which API it is sent to: by the name of its provider or model, or by ids that all begin as one's do."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolpair
from tests.forms.made_lists import MadeList, made_lists
from toolpair.session.session import Session, open_session

TELLING: list[tuple[str, dict[str, Any], str]] = [
    ("pydantic-ai", {"provider_name": "google-gla"}, "gemini"),
    ("pydantic-ai", {"provider_name": "google-cloud"}, "gemini"),
    ("pydantic-ai", {"model_name": "claude-sonnet-4-5"}, "anthropic"),
    ("langchain state", {"response_metadata": {"model_provider": "bedrock_converse"}}, "bedrock-converse"),
    ("langchain state", {"response_metadata": {"model_provider": "google_vertexai"}}, "gemini"),
    ("langchain dict", {"response_metadata": {"model_provider": "groq"}}, "groq"),
    ("ui", {"providerMetadata": {"mistral": {}}}, "mistral"),
    ("ui", {"providerMetadata": {"googleVertex": {}, "vertex": {}}}, "gemini"),
    ("model", {"providerOptions": {"google": {}}}, "gemini"),
    ("model", {"providerOptions": {"amazonBedrock": {}, "bedrock": {}}}, "bedrock-converse"),
]


def _opened(made: MadeList) -> Session:
    return open_session("s.jsonl" if made.lines else "s.json", data=made.data())


def _with_ids(name: str, first: str, second: str) -> MadeList:
    made = made_lists()[name]
    elements = json.dumps(made.elements).replace("call_9f2c71aa", first).replace("call_9f2c71bb", second)
    return MadeList(made.form, json.loads(elements), made.around, made.lines)


def _said_by_model(made: MadeList, more: dict[str, Any]) -> MadeList:
    for element in made.elements:
        message = element.get("data", element)
        parts = message.get("parts") if "providerMetadata" in more else message.get("content")
        if message.keys() & {"kind"} or message.get("type") == "ai":
            message |= more
        elif isinstance(parts, list) and message["role"] == "assistant":
            parts[1] |= more
    return made


@pytest.mark.parametrize(("name", "more", "profile"), TELLING)
def test_what_is_written_there_names_the_profile(name: str, more: dict[str, Any], profile: str) -> None:
    session = _opened(_said_by_model(made_lists()[name], more))
    assert session.profile.id == profile
    assert session.format.id == made_lists()[name].form


@pytest.mark.parametrize("name", ["pydantic-ai", "model", "langchain state", "langchain dict"])
def test_ids_count_where_all_begin_so(name: str) -> None:
    one, other = "toolu_01Ab9f2c71aa", "toolu_01Ab9f2c71bb"
    assert _opened(_with_ids(name, one, "call_9f2c71bb")).profile.id == "openai-chat"
    assert _opened(_with_ids(name, "tooluse_9f2c71aa", other)).profile.id == "openai-chat"
    made = _with_ids(name, one, other)
    assert _opened(made).profile.id == "anthropic"
    assert toolpair.check(made.elements).profile == "anthropic"


def test_thoughts_without_a_signature_are_no_list_of_anthropics() -> None:
    assert _opened(_with_ids("ui", "toolu_01Ab9f2c71aa", "toolu_01Ab9f2c71bb")).profile.id == "openai-chat"


@pytest.mark.parametrize("profile", ["anthropic", "gemini"])
def test_results_that_are_messages_are_sent_as_one(profile: str) -> None:
    """And a system message is sent beside them: neither is a problem of the list."""
    made = _with_ids("langchain state", "toolu_01Ab9f2c71aa", "toolu_01Ab9f2c71bb")
    made.elements.insert(0, {**made.elements[0], "type": "system", "content": "Be kind."})
    if profile == "gemini":
        _said_by_model(made, {"response_metadata": {"model_provider": "google_genai"}})
    session = _opened(made)
    assert (session.profile.id, session.problems) == (profile, ())
    for missing in (3, 4):
        broken = MadeList(made.form, [one for n, one in enumerate(made.elements) if n != missing], made.around)
        session = _opened(broken)
        assert [one.rule for one in session.problems] == ["result.missing"]
        session.stage_recommended()
        again = open_session("s.json", data=session.to_bytes())
        assert (again.profile.id, again.problems) == (profile, ())
        messages = json.loads(session.to_bytes())["values"]["messages"]
        assert [one["type"] for one in messages] == ["system", "human", "ai", "tool", "tool", "ai", "human"]
