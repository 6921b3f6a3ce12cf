"""New ids: they fit the provider, no two are the same, and what an old id carries is kept or told."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from tests.each import each
from tests.properties import transcripts
from tests.rounds import tries
from toolpair.dialects.new_ids import NATIVE, NewIds, loss, restored
from toolpair.rules.profiles import PROFILES, profile, profile_names

IDS = st.one_of(
    st.text(max_size=90),
    st.from_regex(r"(toolu_|call_|functions\.|)[A-Za-z0-9_.:|-]{0,80}", fullmatch=True),
    st.sampled_from(
        [
            None,
            "",
            "null",
            7,
            "call_0",
            "functions.read:0",
            "call_a|fc_b",
            "call_a__thought__QUJD+/==",
            "a" * 200,
            "\ud800",
        ]
    ),
)


@pytest.mark.parametrize("name", profile_names())
@settings(max_examples=tries(15, 2))
@given(st.lists(IDS, max_size=20), st.lists(st.booleans(), max_size=20))
def test_new_ids_fit_and_are_never_handed_out_twice(name: str, ids: list[Any], again: list[bool]) -> None:
    judged = profile(name)
    made = NewIds(judged.new_ids)
    made.take(ids)
    there = set(made.taken)
    handed = [made.make(id_, 2 if twice else 1, "read_file") for id_, twice in zip(ids, again, strict=False)]
    assert all(judged.accepts_id(id_) for id_ in handed)
    assert len(set(handed)) == len(handed)
    assert not there & set(handed)


@pytest.mark.parametrize("name", PROFILES)
def test_two_thousand_ids_stay_two_thousand(name: str) -> None:
    judged = profile(name)
    old = [f"functions.read file:{number}" for number in range(1000)] + [
        f"call_{'x' * 70}{n}|fc_{n}" for n in range(1000)
    ]
    runs = []
    for _ in range(2):
        ids = NewIds(judged.new_ids)
        ids.take(old)
        runs.append([ids.make(id_) for id_ in old])
    assert runs[0] == runs[1], "another run gives other ids"
    assert len(set(runs[0])) == 2000 and not set(runs[0]) & set(old)
    assert all(judged.accepts_id(id_) for id_ in runs[0])


def test_many_ids_of_one_stem_cost_no_search() -> None:
    class Counted(set[str]):
        asked = 0

        def __contains__(self, item: object) -> bool:
            Counted.asked += 1
            return super().__contains__(item)

    for name in ("anthropic", "mistral", "moonshot", "gemini"):
        for old in ("call_0", "functions.read:0", None, "call_1__thought__QQ"):
            Counted.asked = 0
            ids = NewIds(profile(name).new_ids, Counted([str(old)]))
            made = {ids.make(old, 2) for _ in range(1000)}
            assert len(made) == 1000
            assert Counted.asked < 4000, (name, old)


def test_a_hash_that_is_an_id_already_is_not_taken() -> None:
    first = NewIds(profile("mistral").new_ids).make("toolu_1")
    ids = NewIds(profile("mistral").new_ids)
    ids.take([first])
    assert ids.make("toolu_1") != first


def test_what_each_provider_likes() -> None:
    def new(name: str, old: Any, number: int = 1, tool: str | None = None) -> str:
        ids = NewIds(profile(name).new_ids)
        ids.take([old])
        return ids.make(old, number, tool)

    assert re.fullmatch(r"[A-Za-z0-9]{9}", new("mistral", "toolu_01ABC"))
    assert new("mistral", "call_a") != new("mistral", "call_b")
    assert new("anthropic", "").startswith("toolu_") and new("vertex-anthropic", None).startswith("toolu_vrtx_")
    assert new("bedrock-converse", None).startswith("tooluse_")
    assert new("bedrock-converse", "functions.my tool:0").startswith("functions.my_tool:0_")
    assert len(new("azure-openai", "call_" + "a" * 60)) <= 40
    assert len(new("openai-chat/older", "call_" + "a" * 60)) <= 40
    assert new("moonshot", "functions.read:0") == "functions.read:1"
    assert new("openai-chat", "functions.read:0", 2) == "functions.read:1"


def test_kimis_numbers_go_on_over_all_tools() -> None:
    ids = NewIds(profile("moonshot").new_ids)
    ids.take(["functions.read:0", "functions.write:1", "call_x"])
    assert ids.make("functions.read:0", 2) == "functions.read:2"
    assert ids.make("functions.write:1", 2) == "functions.write:3"


@each("name", PROFILES)
def test_a_joined_id_is_never_cut_in_the_middle(name: str) -> None:
    ids = NewIds(profile(name).new_ids)
    joined = "call_abcdefgh|fc_" + "9" * 70
    ids.take([joined])
    if profile(name).new_ids.exact is None:
        assert ids.make(joined) == "call_abcdefgh"
        assert ids.make(joined, 2).startswith("call_abcdefgh-")
    assert "item" in str(loss(joined, profile(name).new_ids))


def test_a_part_that_is_taken_is_not_given_again() -> None:
    ids = NewIds(profile("openai-responses").new_ids)
    ids.take(["call_a", "call_a|fc_1"])
    assert ids.make("call_a|fc_1") == "call_a-2"


def test_a_thought_signature_stays_for_gemini_and_is_told_elsewhere() -> None:
    signed = "call_7__thought__" + "QUJD" * 40
    ids = NewIds(profile("gemini").new_ids)
    ids.take([signed])
    assert ids.make(signed, 2) == "call_7-2__thought__" + "QUJD" * 40
    assert loss(signed, profile("gemini").new_ids) is None
    ids = NewIds(profile("openai-chat").new_ids)
    assert ids.make(signed) == "call_7"
    assert "signature" in str(loss(signed, profile("openai-chat").new_ids))


def test_kimis_own_ids_are_found_behind_sanitised_ones() -> None:
    assert restored("functions_read_file_0", "read_file") == "functions.read_file:0"
    assert restored("functions-read_file-12", "read_file") == "functions.read_file:12"
    assert restored("functions_read_file_0", "write_file") is None
    assert restored("functions.read_file:0", "read_file") is None
    assert restored("call_0", "read_file") is None


# --- in whole transcripts ------------------------------------------------------------------------------------


def chat(*ids: str, tool: str = "look") -> list[dict[str, Any]]:
    """One exchange for each id."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look."}]
    for id_ in ids:
        call = {"id": id_, "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": id_, "content": f"seen by {id_}"})
    return messages


def ids_of(messages: Any) -> tuple[list[str], list[str]]:
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    return calls, [message["tool_call_id"] for message in messages if message["role"] == "tool"]


@pytest.mark.parametrize("name", profile_names())
@settings(max_examples=tries(8, 2))
@given(st.lists(st.text("ab.:|_-", min_size=1, max_size=70), min_size=1, max_size=6, unique=True))
def test_a_mended_pair_has_one_id_on_both_sides(name: str, ids: list[str]) -> None:
    given_ = chat(*ids)
    mended = toolpair.repair(given_, profile=name)
    calls, results = ids_of(mended.messages)
    assert calls == results, "a side was left behind"
    assert all(profile(name).accepts_id(id_) for id_ in calls) or profile(name).cells["id.length"].severity != "error"
    left = {found.rule for found in mended.left}
    assert left <= ({"reasoning.missing_before_call"} if name.endswith("/thinking") else set())
    renames = [taken for taken in mended.taken if taken.rule.startswith("id.")]
    assert len(renames) == sum(old != new for old, new in zip(ids, calls, strict=True)), "one rename for a pair"
    assert toolpair.repair(given_, profile=name).messages == mended.messages, "another run gives other ids"
    assert not toolpair.repair(mended.messages, profile=name).changed


def test_a_switch_to_mistral() -> None:
    mended = toolpair.repair(chat("toolu_01A", "toolu_01B"), profile="mistral")
    calls, results = ids_of(mended.messages)
    assert calls == results and all(re.fullmatch("[A-Za-z0-9]{9}", id_) for id_ in calls)
    assert toolpair.repair(chat("toolu_01A", "toolu_01B"), profile="mistral/v13").changed is False


def test_kimis_ids_are_left_alone_for_kimi_and_given_back() -> None:
    native = chat("functions.look:0", "functions.look:1")
    assert not [found for found in toolpair.check(native, profile="moonshot").problems if found.rule.startswith("id.")]
    twice = toolpair.repair(chat("functions.look:0", "functions.look:0"), profile="moonshot")
    assert ids_of(twice.messages)[0] == ["functions.look:0", "functions.look:1"]
    report = toolpair.check(chat("functions_look_0"), profile="moonshot")
    told = [found for found in report.problems if found.rule == "id.pattern"]
    assert [found.severity for found in told] == ["info"] and "functions.look:0" in told[0].fixes[0].title
    assert report.ok


def test_the_fix_says_what_goes_with_the_old_id() -> None:
    def note(id_: str, name: str) -> str:
        report = toolpair.check(chat(id_), profile=name)
        found = next(one for one in report.problems if one.rule in ("id.pattern", "id.length"))
        return str(found.fixes[0].note)

    assert "item" in note("call_a|fc_" + "1" * 80, "azure-openai")
    assert "signature" in note("call_a__thought__QUJD+/==", "mistral")
    assert "Kimi" in note("functions.look:0", "mistral")


def test_a_mismatch_is_mended_by_the_side_that_is_accepted() -> None:
    messages = chat("functions.look:0")
    messages[2]["tool_call_id"] = "functions_look_0"
    sides = {
        "moonshot": "functions.look:0",  # both are accepted, and the model knows its own
        "bedrock-converse": "functions.look:0",
    }
    for name, kept in sides.items():
        calls, results = ids_of(toolpair.repair(messages, profile=name).messages)
        assert calls == results == [kept], name
    messages[1]["tool_calls"][0]["id"], messages[2]["tool_call_id"] = "functions_look_0", "functions.look:0"
    calls, results = ids_of(toolpair.repair(messages, profile="moonshot").messages)
    assert calls == results == ["functions.look:0"]
    calls, results = ids_of(toolpair.repair(messages, profile="mistral").messages)
    assert calls == results and re.fullmatch("[A-Za-z0-9]{9}", calls[0])


def test_ids_that_are_not_sent_are_not_given_out_again() -> None:
    """A new id must not be that of a call on another branch: the file would then name two calls by it."""
    other = "call_a"
    lines = [
        {"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": "Look."}},
        _claude("left", "u", other),
        _claude("right", "u", "call_a|fc_1"),
    ]
    for line in lines:
        line |= {"sessionId": "s", "timestamp": "2026-11-21T08:00:00Z", "version": "2.1.0"}
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    session = toolpair.open("s.jsonl", data=data)
    assert other in {block.id for block in session.conversation.transcript.inactive_blocks}
    found = next(problem for problem in session.problems if problem.rule == "id.pattern")
    assert found.fixes[0].title.startswith("give the call the id call_a-2")


def _claude(uuid: str, parent: str, id_: str) -> dict[str, Any]:
    block = {"type": "tool_use", "id": id_, "name": "Read", "input": {}}
    message = {"role": "assistant", "id": f"msg_{uuid}", "type": "message", "content": [block]}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}


def test_native_ids_are_what_kimi_writes() -> None:
    assert NATIVE.fullmatch("functions.get_weather:0")
    assert not NATIVE.fullmatch("functions.get weather:0")


def test_ids_of_the_providers_own_tools_keep_their_prefix_and_apart() -> None:
    ids = NewIds(profile("anthropic").new_ids)
    ids.take(["srvtoolu_a.b", "srvtoolu_a-b", "ws_1"])
    made = [ids.make_server(old) for old in ("srvtoolu_a.b", "srvtoolu_a-b", "ws_1")]
    assert made == ["srvtoolu_a_b", "srvtoolu_a_bx2", "srvtoolu_ws_1"]


def test_a_new_id_is_no_occasion_to_guess() -> None:
    """Two calls share an id that Mistral refuses, and one late result may be either's: that is left to a person."""
    messages = chat("call_0", "call_0")
    late = messages.pop(2)
    del messages[-1]
    messages.insert(2, {"role": "user", "content": "And again."})
    messages += [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Yes."}, late]
    judged = toolpair.check(messages, profile="mistral")
    assert [one.guess for one in judged.problems if one.rule == "id.pattern"] == [True], "one decision for both calls"
    assert all(one.guess for one in judged.errors), "a placeholder for one call would give the result to the other"
    assert toolpair.repair(messages, profile="mistral").messages is messages
    mended = toolpair.repair(messages, profile="mistral", recipe="keep")
    assert toolpair.check(mended.messages, profile="mistral").ok
    text = json.dumps(mended.messages)
    assert text.count("seen by call_0") == 1
    answers = [message for message in mended.messages if message["role"] == "tool"]
    assert not any("seen by" in str(message["content"]) for message in answers), "it was given to one of the two"


STYLES = (
    "functions.{name}:{number}",
    "call_{number}|fc_{number}" + "x" * 70,
    "call_{number}__thought__QUJD+/==",
    "toolu.{number} x",
    "chatcmpl-tool-" + "a" * 60 + "{number}",
)
"""How the ids of other providers look."""


@pytest.mark.parametrize("name", profile_names())
@settings(max_examples=tries(4, 2))
@given(st.integers(0, 10_000), st.sampled_from(STYLES))
def test_a_switch_of_provider_keeps_pairs_and_words(name: str, seed: int, style: str) -> None:
    made = transcripts.anthropic(random.Random(seed))
    ids: dict[str, str] = {}
    for block in _blocks(made.messages):
        if block["type"] == "tool_use":
            old, block["id"] = block["id"], style.format(name=block["name"], number=len(ids))
            ids[old] = block["id"]
        elif block["type"] == "tool_result":
            block["tool_use_id"] = ids.get(block["tool_use_id"], block["tool_use_id"])
    mended = toolpair.repair(made.messages, profile=name)
    assert not mended.left
    calls = [block["id"] for block in _blocks(mended.messages) if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in _blocks(mended.messages) if block["type"] == "tool_result"]
    assert sorted(calls) == sorted(results) and len(set(calls)) == len(calls)
    assert all(profile(name).accepts_id(id_) for id_ in calls) or profile(name).cells["id.length"].severity != "error"
    text = json.dumps(mended.messages)
    assert all(marker in text for marker in made.markers)
    assert not toolpair.repair(mended.messages, profile=name).changed


def _blocks(messages: Any) -> list[dict[str, Any]]:
    return [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
