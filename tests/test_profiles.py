"""The profiles' data: complete, consistent, and what a family or a model's name changes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

import toolpair
from tests.each import each
from toolpair.rules.profiles import (
    PROFILES,
    Profile,
    family_of_model,
    is_profile,
    no_such_profile,
    profile,
    profile_names,
)

EVIDENCE = {"observed", "live", "documented", "executed", "inferred", "claimed", "unknown"}
PROOF = EVIDENCE - {"claimed", "unknown"}


def every() -> list[Profile]:
    return [profile(name) for name in profile_names()]


@each("name", PROFILES)
def test_each_profile_says_something_of_every_rule(name: str) -> None:
    rules = {rule for known in PROFILES for rule in profile(known).cells}
    assert set(profile(name).cells) == rules


@each("name", profile_names())
def test_cells_are_well_formed(name: str) -> None:
    for rule, cell in profile(name).cells.items():
        assert cell.severity in ("error", "warning", "info", None), rule
        assert cell.evidence in EVIDENCE, rule
        assert cell.link is None or cell.link.startswith("https://"), rule
        assert cell.note is None or 0 < len(cell.note) <= 140, rule
        assert cell.note is None or "\n" not in cell.note, rule


@each("name", profile_names())
def test_no_rule_is_an_error_on_hearsay(name: str) -> None:
    weak = {
        rule for rule, cell in profile(name).cells.items() if cell.severity == "error" and cell.evidence not in PROOF
    }
    assert not weak


@each("name", profile_names())
def test_what_is_judged_says_why(name: str) -> None:
    """A link or a note for each; what is only concluded, or only claimed, says so in words."""
    for rule, cell in profile(name).cells.items():
        if cell.severity is not None:
            assert cell.link or cell.note, rule
        if cell.severity is not None and cell.evidence == "claimed":
            assert cell.note and "claimed" in cell.note, rule


@each("name", PROFILES)
def test_the_data_has_no_unknown_keys(name: str) -> None:
    data = json.loads(files("toolpair.rules").joinpath("data", "profiles", f"{name}.json").read_text("utf-8"))
    for cells in (data["rules"], *(family["rules"] for family in data.get("families", ()))):
        for rule, cell in cells.items():
            assert set(cell) <= {"severity", "evidence", "note", "link"}, rule
            assert rule in profile(name).cells, rule
    changed = {"id", "title", "models", "rules", "id_pattern", "id_min", "id_max", "new_ids", "unless_chosen"}
    for family in data.get("families", ()):
        assert set(family) <= changed
        assert family["rules"], f"{name}/{family['id']} differs in nothing"
    assert profile(name).results and data["not_judged"]


def test_what_is_known_of_another_endpoint_is_no_error() -> None:
    known, alike = profile("openai-chat").cells, profile("openrouter").cells
    assert set(alike) == set(known) and {cell.severity for cell in alike.values()} == {None, "info", "warning"}
    assert all(cell.evidence == "inferred" for cell in alike.values() if cell.severity)
    assert known["result.missing"].severity == "error" and alike["result.missing"].severity == "warning"
    assert profile("dashscope").cells["result.missing"].severity == "error"
    # What a family of the other says, and what is known of the other two steps away, goes with it.
    assert profile("vllm/alternating").cells["turn.alternation"].severity == "error"
    assert profile("vllm").cells["name.missing"].severity == "warning"


def test_families_are_named_behind_their_profile() -> None:
    newer = profile("mistral/v13")
    assert (newer.id, newer.base, newer.family) == ("mistral/v13", "mistral", "v13")
    assert newer.accepts_id("call_of_any_length_that_there_is") and not newer.accepts_id("null")
    older = profile("mistral/v11")
    assert older.accepts_id("abcDEF123") and not older.accepts_id("abcDEF1234") and not older.accepts_id("abc_DEF12")
    assert profile("mistral").cells["content.mixed_with_tool"].severity == "warning"
    assert profile("mistral/v3").cells["content.mixed_with_tool"].severity == "error"
    assert newer.cells["content.mixed_with_tool"].severity is None


@each("name", ["", "mistral/", "mistral/v99", "/v13", "nobody", "mistral/v13/x", "../secrets"])
def test_other_names_are_none(name: str) -> None:
    assert not is_profile(name)
    with pytest.raises(KeyError):
        profile(name)
    assert no_such_profile(name).count(".") + no_such_profile(name).count("?") >= 1


@each(
    ("name", "meant"),
    [
        ("mistrl", "mistral"),
        ("Mistral", "mistral"),
        ("antropic", "anthropic"),
        ("openai", "openai-chat"),
        ("kimi", "moonshot"),
        ("claude", "anthropic"),
        ("bedrock", "bedrock-converse"),
        ("mistral/v12", "mistral/v2"),
        ("anthropic/before4.6", "anthropic/before-4.6"),
    ],
)
def test_the_nearest_name_is_told(name: str, meant: str) -> None:
    assert f"did you mean {meant}" in no_such_profile(name)


@each(
    ("base", "model", "family"),
    [
        ("anthropic", "claude-3-5-sonnet-20241022", "before-4.6"),
        ("anthropic", "claude-3-opus-latest", "before-4.6"),
        ("anthropic", "claude-2.1", "before-4.6"),
        ("anthropic", "claude-sonnet-4-20250514", "before-4.6"),
        ("anthropic", "claude-opus-4-1-20250805", "before-4.6"),
        ("anthropic", "claude-sonnet-4-5", "before-4.6"),
        ("anthropic", "claude-haiku-4.5", "before-4.6"),
        ("anthropic", "claude-opus-4-5-20251101", "before-4.6"),
        ("anthropic", "anthropic/claude-opus-4", "before-4.6"),
        ("vertex-anthropic", "claude-sonnet-4@20250514", "before-4.6"),
        ("anthropic", "claude-opus-4-6", "4.6"),
        ("anthropic", "claude-sonnet-4-6-20260201", "4.6"),
        ("anthropic", "claude-opus-4.7", "4.6"),
        ("anthropic", "claude-opus-5", "4.6"),
        ("anthropic", "claude-opus-5-20260601", "4.6"),
        ("anthropic", "claude-opus-5-1", "5.1"),
        ("anthropic", "claude-sonnet-5-1-20260901", "5.1"),
        ("anthropic", "claude-sonnet-5.2", "5.1"),
        ("anthropic", "claude-opus-6", "5.1"),
        ("anthropic", "mock-model", "other-models"),
        ("anthropic", "<synthetic>", None),
        ("anthropic", "gpt-5.5", "other-models"),
        ("gemini", "gemini-2.5-pro", "2"),
        ("gemini", "gemini-1.5-flash-002", "2"),
        ("gemini", "models/gemini-3-pro-preview", "3"),
        ("gemini", "gemini-3.7-flash", "3"),
        ("gemini", "gemini-exp-1206", None),
        ("deepseek", "deepseek-chat", "plain"),
        ("deepseek", "deepseek-reasoner", "thinking"),
        ("deepseek", "deepseek-v4", None),
        ("moonshot", "kimi-k2-thinking", "thinking"),
        ("moonshot", "kimi-k2-0905-preview", "plain"),
        ("moonshot", "moonshot-v1-128k", "plain"),
        ("moonshot", "kimi-k2.5", None),
        ("mistral", "mistral-large-2411", None),
    ],
)
def test_a_models_name_tells_its_family(base: str, model: str, family: str | None) -> None:
    assert family_of_model(base, model) == family
    fitting = [one.id for one in profile(base).families if one.models and one.models.search(model)]
    assert len(fitting) <= 1, "two families claim one model"


def ending_in_words(model: str) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello, I"}],
    }


def judged(body: dict[str, Any], name: str | None = None) -> dict[str, str]:
    session = toolpair.open("request.json", data=json.dumps(body).encode(), profile=name)
    return {found.rule: found.severity for found in session.problems}


def test_a_models_name_makes_a_rule_lighter_and_never_worse() -> None:
    rule = "turn.trailing_assistant"
    assert judged(ending_in_words("some-model"), "anthropic")[rule] == "warning"
    assert judged(ending_in_words("claude-sonnet-4-5"), "anthropic")[rule] == "info"
    # A history that is only kept ends with the model's words, too: it is no error that it names a new model.
    assert judged(ending_in_words("claude-opus-4-6"), "anthropic")[rule] == "warning"
    for name in PROFILES:
        base = profile(name)
        weight = {None: 0, "info": 1, "warning": 2, "error": 3}
        for family in base.families:
            model = {"before-4.6": "claude-3-opus", "4.6": "claude-opus-4-6", "5.1": "claude-opus-5-1"}.get(family.id)
            lighter = base.for_model(model)
            for known, cell in lighter.cells.items():
                assert weight[cell.severity] <= weight[base.cells[known].severity], (name, known)


def test_a_family_that_was_chosen_stays() -> None:
    rule = "turn.trailing_assistant"
    assert judged(ending_in_words("claude-sonnet-4-5"), "anthropic/4.6")[rule] == "error"
    assert judged(ending_in_words("claude-opus-4-6"), "anthropic/before-4.6")[rule] == "info"
    assert profile("anthropic/4.6").for_model("claude-2").id == "anthropic/4.6"


def test_families_that_a_name_tells_do_not_differ_in_ids() -> None:
    """The lighter rules are taken from them, and ids have to fit all the same."""
    for base in map(profile, PROFILES):
        for family in base.families:
            if family.models is not None:
                whole = profile(f"{base.id}/{family.id}")
                assert (whole.id_pattern, whole.id_min, whole.id_max) == (base.id_pattern, base.id_min, base.id_max)
                assert whole.new_ids == base.new_ids


@each("name", profile_names())
def test_the_library_takes_every_name(name: str) -> None:
    chat = [
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call:of|fc_any", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ],
        },
        {"role": "user", "content": "And?"},
    ]
    refused = any(profile(name).cells[rule].severity == "error" for rule in ("result.missing", "content.null"))
    # A chat template does not count the call between the user's two messages.
    assert toolpair.check(chat, profile=name).ok != (refused or name.endswith("/alternating"))
    mended = toolpair.repair(chat, profile=name)
    if name.endswith("/thinking"):
        # What the model thought cannot be made up.
        assert {found.rule for found in mended.left} <= {"reasoning.missing_before_call"}
        return
    assert not mended.left
    assert toolpair.check(mended.messages, profile=name).ok
    assert toolpair.guard(mended.messages, profile=name) is mended.messages


@each("name", ["anthropic/4.6", "vertex-anthropic", "bedrock-converse/separate", "mistral/v13"])
def test_messages_keep_their_shape_whatever_the_profile(name: str) -> None:
    """Blocks stay blocks and chat stays chat: a profile says what is refused, not how the list is written."""
    blocks = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "And?"}]},
    ]
    mended = toolpair.repair(blocks, profile=name)
    answers = [part for message in mended.messages[2:] for part in message["content"] if isinstance(part, dict)]
    assert any(part.get("type") == "tool_result" for part in answers)


def test_a_text_in_a_list_a_missing_question_and_null_beside_calls() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    answered = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "passed"},
    ]
    parts = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com/x.png"}}]}

    def errors(messages: list[dict[str, Any]], name: str) -> dict[str, Any]:
        return {problem.rule: problem for problem in toolpair.check(messages, profile=name).errors}

    assert set(errors(answered, "zai")) == {"turn.no_user"} and not errors(answered, "openrouter")
    mended = toolpair.repair(answered, profile="zai")
    assert mended.messages == [{"role": "user", "content": "(conversation resumed)"}, *answered] and not mended.left
    assert set(errors([{"role": "user", "content": "Go."}, *answered], "xai")) == {"content.null"}
    assert toolpair.repair(answered, profile="xai").messages[0]["content"] == "(no content)"
    for name in ("deepseek", "groq"):
        assert set(errors(parts, name)) == {"content.not_a_string"}
        assert toolpair.repair(parts, profile=name).messages[1]["content"] == "Done."
    assert not errors(parts, "openai-chat") and not errors([image], "groq")
    assert errors([image], "deepseek")["content.not_a_string"].fixes == ()
