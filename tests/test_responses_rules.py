"""What the Responses API refuses of items, and that the fixes mend it and keep every output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests.agents.codex_rollouts import Record, Rollout, whole, word
from tests.each import each
from toolpair.rules.errors.error_detection import recognise
from toolpair.rules.problem import Problem
from toolpair.session.session import Session, open_session

Open = Callable[[Rollout], Session]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    def do(made: Rollout) -> Session:
        path = tmp_path / "rollout.jsonl"
        path.write_bytes(made.data())
        return open_session(path)

    return do


def of(session: Session, rule: str) -> list[Problem]:
    return [problem for problem in session.problems if problem.rule == rule]


def mended(session: Session) -> list[dict[str, Any]]:
    """The payloads of the items after all recommended fixes, which must leave no error."""
    session.stage_recommended()
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == []
    records = [json.loads(line) for line in session.to_bytes().splitlines()]
    return [record["payload"] for record in records if record["type"] == "response_item"]


def test_a_sound_rollout_has_no_problem(opened: Open) -> None:
    assert list(opened(whole()).problems) == []
    assert list(opened(whole(paginated=False)).problems) == []


def test_an_output_of_another_kind_gets_the_kind_of_its_call(opened: Open) -> None:
    made = whole()
    made.of("p", output=True)["payload"]["type"] = "function_call_output"
    session = opened(made)
    (problem,) = session.problems
    assert (problem.rule, problem.severity) == ("result.kind", "error")
    assert problem.api_says == "No tool output found for custom tool call call_p."
    output = next(item for item in mended(session) if item["type"] == "custom_tool_call_output")
    assert word("p") in output["output"]
    assert "id" not in output, "an id that begins with fco is refused on this kind of item"


def test_an_output_that_answers_a_tool_search_stays_as_text(opened: Open) -> None:
    made = whole(shell="tool_search_call")
    payload = made.of("d", output=True)["payload"]
    del payload["tools"]
    payload |= {"type": "function_call_output", "output": word("found")}
    session = opened(made)
    assert of(session, "result.kind")
    items = mended(session)
    assert any(item["type"] == "message" and word("found") in json.dumps(item) for item in items)
    assert any(item["type"] == "tool_search_output" for item in items)


def test_a_call_that_was_written_twice_is_dropped_once(opened: Open) -> None:
    made = whole()
    call = made.of("d")
    made.insert(call, json.loads(json.dumps(call)))
    session = opened(made)
    (problem,) = of(session, "item.duplicate_id")
    assert problem.api_says == (
        f"Duplicate item found with id {call['payload']['id']}. Remove duplicate items from your input and try again."
    )
    items = mended(session)
    assert [item["type"] for item in items if item.get("call_id") == "call_d"] == [
        "function_call",
        "function_call_output",
    ]
    assert "No result was recorded" not in json.dumps(items)


def test_a_pair_that_was_written_twice_is_dropped_once(opened: Open) -> None:
    made = whole()
    last = made.of("d", output=True)
    for record in reversed(made.all_of("d")):
        made.insert(last, json.loads(json.dumps(record)))
    items = mended(opened(made))
    assert len([item for item in items if item.get("call_id") == "call_d"]) == 2


def test_items_that_differ_keep_what_they_say_and_lose_the_later_id(opened: Open) -> None:
    made = whole()
    id_ = made.of("d")["payload"]["id"]
    made.of("e")["payload"]["id"] = id_
    items = mended(opened(made))
    calls = [item for item in items if item.get("call_id") in ("call_d", "call_e") and item["type"] == "function_call"]
    assert [item.get("id") for item in calls] == [id_, None]


def test_words_of_the_user_with_the_id_of_others_stay(opened: Open) -> None:
    made = whole()
    users = [found for found in made.records if found["payload"].get("role") == "user"]
    users[1]["payload"]["id"] = users[0]["payload"]["id"]
    items = mended(opened(made))
    assert [item["content"][0]["text"] for item in items if item.get("role") == "user"] == [
        "Look at everything.",
        "And the rest?",
    ]


@pytest.mark.parametrize(
    ("find", "id_", "wanted"),
    [
        (lambda made: made.of("d"), "call_01", "fc"),
        (lambda made: made.of("p"), "fc_01", "ctc"),
        (lambda made: next(r for r in made.records if r["payload"].get("type") == "reasoning"), "item_01", "rs"),
        (lambda made: next(r for r in made.records if r["payload"].get("role") == "assistant"), "25fdab0e", "msg"),
        (lambda made: made.of("d"), "", "fc"),
    ],
)
def test_an_item_id_of_another_kind_is_taken_off(
    opened: Open, find: Callable[[Rollout], Record], id_: str, wanted: str
) -> None:
    made = whole()
    find(made)["payload"]["id"] = id_
    session = opened(made)
    (problem,) = session.problems
    assert (problem.rule, problem.severity) == ("item.id_prefix", "error")
    assert problem.api_says is not None
    assert problem.api_says.endswith(f".id': '{id_}'. Expected an ID that begins with '{wanted}'.")
    before = [record["payload"] for record in made.records if record["type"] == "response_item"]
    assert mended(session) == [
        {key: value for key, value in item.items() if key != "id"} if item.get("id") == id_ else item for item in before
    ]


def test_an_item_id_that_is_too_long_is_taken_off(opened: Open) -> None:
    made = whole()
    made.of("d")["payload"]["id"] = "fc_" + "0" * 80
    session = opened(made)
    assert [problem.rule for problem in session.problems] == ["id.length"]
    assert "id" not in next(item for item in mended(session) if item.get("call_id") == "call_d")


def test_reasoning_that_nothing_follows(opened: Open) -> None:
    made = whole()
    made.drop(*made.all_of("d"), *made.all_of("p"))
    made.drop(next(found for found in made.records if "All done." in json.dumps(found)))
    reasoning = next(found for found in made.records if found["payload"].get("type") == "reasoning")
    session = opened(made)
    assert [(problem.rule, problem.severity) for problem in session.problems] == [("reasoning.dangling", "warning")]
    del reasoning["payload"]["encrypted_content"]
    session = opened(made)
    assert [(problem.rule, problem.severity) for problem in session.problems] == [("reasoning.dangling", "error")]
    assert all(item["type"] != "reasoning" for item in mended(session))


def test_reasoning_at_the_end_may_go_on(opened: Open) -> None:
    made = whole()
    made.item(type="reasoning", summary=[])
    assert list(opened(made).problems) == []


def test_an_output_may_hold_what_the_api_takes(opened: Open) -> None:
    made = whole()
    parts = [{"type": "input_text", "text": "seen"}, {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]
    made.of("d", output=True)["payload"]["output"] = parts
    assert list(opened(made).problems) == []
    made.of("d", output=True)["payload"]["output"] = [{"type": "text", "text": word("d")}]
    session = opened(made)
    assert [problem.rule for problem in session.problems] == ["result.type_not_allowed"]
    output = next(
        item for item in mended(session) if item["type"] == "function_call_output" and item["call_id"] == "call_d"
    )
    assert output["output"][0]["type"] == "input_text"
    assert word("d") in output["output"][0]["text"]


@each(
    ("text", "id_", "rules"),
    [
        ("No tool output found for function call call_k20F.", "RSP01", ("call_k20F",)),
        ("No tool output found for custom tool call functions.x:0.", "RSP02", ("functions.x:0",)),
        ("No tool call found for function call output with call_id call_u.", "RSP03", ("call_u",)),
        ("Item 'rs_1' of type 'reasoning' was provided without its required following item.", "RSP05", ("rs_1",)),
        (
            '{"error": {"message": "Duplicate item found with id fc_1. Remove duplicate items from your input"}}',
            "RSP06",
            ("fc_1",),
        ),
        ("Invalid 'input[22].call_id': empty string. Expected a string with minimum length 1", "RSP08", ()),
        ("Invalid 'input[49].id': 'fc_1w'. Expected an ID that begins with 'ctc'.", "RSP09", ("fc_1w",)),
    ],
)
def test_the_words_of_the_api_are_recognised(text: str, id_: str, rules: tuple[str, ...]) -> None:
    known = recognise(text)
    assert known is not None
    assert (known.error.id, known.ids) == (id_, rules)


def test_calls_that_share_an_id_are_told_apart(opened: Open) -> None:
    made = whole()
    for record in made.all_of("e"):
        record["payload"]["call_id"] = "call_d"
    session = opened(made)
    assert [(problem.rule, problem.severity) for problem in session.problems] == [("call.reused_id", "error")]
    items = [item for item in mended(session) if "call_id" in item]
    assert len({item["call_id"] for item in items}) == len(items) / 2
    later = [item for item in items if item["type"] == "function_call_output"][-1]
    assert word("e") in later["output"]


def test_calls_of_different_kinds_that_share_an_id_are_a_warning(opened: Open) -> None:
    made = whole()
    for record in made.all_of("p"):
        record["payload"]["call_id"] = "call_d"
    session = opened(made)
    assert {problem.severity for problem in session.problems} == {"warning"}
    session.stage_recommended()
    assert session.to_bytes() == made.data()


def test_an_error_that_names_an_item_finds_it(opened: Open) -> None:
    made = whole()
    made.of("e")["payload"]["name"] = ""
    made.of("d")["payload"]["name"] = ""
    made.of("p")["payload"]["id"] = "fc_01"
    session = opened(made)
    found = session.find("Invalid 'input[49].id': 'fc_01'. Expected an ID that begins with 'ctc'.")
    assert found is not None
    assert found.problem is not None
    assert found.problem.call is not None
    assert found.problem.call.id == "call_p"
    sent = [record["payload"] for record in made.records if record["type"] == "response_item"]
    at = sent.index(made.of("e")["payload"]) + 1  # the agent's instructions stand in front
    found = session.find(f"Invalid 'input[{at}].name': empty string. Expected a string with minimum length 1")
    assert found is not None
    assert found.problem is not None
    assert found.problem.call is not None
    assert found.problem.call.id == "call_e"


def test_a_list_of_items_is_judged_as_items() -> None:
    items = [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "call_a", "name": "look", "arguments": "{}"},
        {"role": "user", "content": "And?"},
    ]
    for profile in (None, "openai-responses"):
        report = toolpair.check(items, profile)
        assert report.profile == "openai-responses"
        assert [(found.rule, found.message) for found in report.errors] == [("result.missing", 1)]
    repaired = toolpair.repair(items)
    assert repaired.ok and repaired.messages[2]["type"] == "function_call_output"
    assert [repaired.messages[number] is items[number] for number in (0, 1)] == [True, True]


def test_a_call_whose_type_is_not_text_is_a_call_wherever_it_stands() -> None:
    """The first item alone does not say how the list is written."""
    call = {"type": 7, "call_id": "call_1", "name": "run", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    repaired = toolpair.repair([call, output, {"role": "user", "content": "Go on."}], "openai-responses")
    assert repaired.ok
    assert repaired.messages[:2] == [{**call, "type": "function_call"}, output]


@each(
    ("changed", "wanted"),
    [
        ({"content": None}, {"role": "assistant", "content": ""}),
        ({"content": {"said": "x"}}, {"role": "assistant", "content": '{"said": "x"}'}),
        ({"role": "narrator"}, {"role": "user", "content": "Next."}),
        ({"role": None}, {"role": "user", "content": "Next."}),
    ],
)
def test_the_second_of_several_items_of_one_message_is_mended(changed: dict[str, Any], wanted: dict[str, Any]) -> None:
    said = {"type": "message", "role": "assistant", "content": "First."}
    items = [
        {"type": "message", "role": "user", "content": "Go."},
        said,
        {"type": "message", "role": "assistant", "content": "Next.", **changed},
        {"type": "message", "role": "user", "content": "Thanks."},
    ]
    repaired = toolpair.repair(items, "openai-responses")
    assert not repaired.left and repaired.messages == [*items[:2], {"type": "message", **wanted}, items[3]]
