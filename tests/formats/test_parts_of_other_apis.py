"""A result in another API's form, in the sessions of agents: paired, written in the agent's own, and nothing lost."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests import continue_sessions, gemini_sessions, goose_sessions, pi_sessions, qwen_sessions
from tests.formats.claude_code_files import Log, call, text
from tests.formats.codex_files import Rollout
from toolpair.session.session import Session, open_session

WORD = "word-one-word"
FORMS = ("anthropic", "chat", "responses", "gemini", "bedrock", "odd-text")


def part(form: str, id_: str) -> dict[str, Any]:
    return {
        "anthropic": {"type": "tool_result", "tool_use_id": id_, "content": [{"type": "text", "text": WORD}]},
        "chat": {"role": "tool", "tool_call_id": id_, "content": WORD},
        "responses": {"type": "function_call_output", "call_id": id_, "output": WORD},
        "gemini": {"functionResponse": {"id": id_, "name": "bash", "response": {"output": WORD}}},
        "bedrock": {"toolResult": {"toolUseId": id_, "status": "success", "content": [{"text": WORD}]}},
        "odd-text": {"type": "text", "text": "", "tool_use_id": id_, "content": WORD},
    }[form]


def written(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def errors(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def hold(name: str, data: bytes, own: str | None = None) -> list[Any]:
    """What has to be true; returns the records after the fix. `own`: the form that this agent writes itself."""
    session = open_session(name, data=data)
    rules = errors(session)
    assert rules == ([] if own is not None else ["field.missing"])
    for problem in session.problems:
        assert problem.rule != "field.missing" or problem.on_resume is None or problem.on_resume.effect == "dropped"
    session.stage_recommended()
    assert not errors(session) and not session.staging.losses
    made = session.to_bytes()
    assert made.count(WORD.encode()) == 1 and b"No result was recorded" not in made
    again = open_session(name, data=made)
    again.stage_recommended()
    assert not errors(again) and again.to_bytes() == made
    return [json.loads(line) for line in made.splitlines()]


@pytest.mark.parametrize("words", [[], [text("And now?")]], ids=["alone", "with words"])
@pytest.mark.parametrize("form", FORMS)
def test_claude_code(form: str, words: list[Any]) -> None:
    log = Log()
    log.user("u1", "Go.")
    log.says("a1", "m1", text("I look."), call("toolu_one"))
    log.record("user", "r1", message={"role": "user", "content": [part(form, "toolu_one"), *words]})
    log.says("a2", "m2", text("Done."))
    log.user("u2", "And?")
    log.says("a3", "m3", text("End."))
    made = hold("s.jsonl", written(log.values), "own" if form == "anthropic" else None)
    block = made[2]["message"]["content"][0]
    assert (block["type"], block["tool_use_id"]) == ("tool_result", "toolu_one")
    assert made[2]["uuid"] == "r1" and made[2]["message"]["content"][1:] == words


@pytest.mark.parametrize("content", [WORD, [text(WORD)]], ids=["a text", "parts"])
def test_a_message_of_another_api_in_a_record_of_claude_code(content: Any) -> None:
    log = Log()
    log.user("u1", "Go.")
    log.says("a1", "m1", text("I look."), call("toolu_one"))
    log.record("user", "r1", message={"role": "tool", "tool_call_id": "toolu_one", "content": content})
    log.says("a2", "m2", text("Done."))
    made = hold("s.jsonl", written(log.values))
    result = {"type": "tool_result", "tool_use_id": "toolu_one", "content": content}
    assert made[2]["message"] == {"role": "user", "content": [result]} and made[2]["uuid"] == "r1"


@pytest.mark.parametrize("form", [form for form in FORMS if form != "anthropic"])
def test_a_call_in_another_form_in_claude_code(form: str) -> None:
    given = {"path": "."}
    function = {"name": "look", "arguments": json.dumps(given)}
    asked: dict[str, Any] = {
        "chat": {"id": "toolu_one", "type": "function", "function": function},
        "responses": {"type": "function_call", "call_id": "toolu_one", **function},
        "gemini": {"functionCall": {"id": "toolu_one", "name": "look", "args": given}},
        "bedrock": {"toolUse": {"toolUseId": "toolu_one", "name": "look", "input": given}},
        "odd-text": {"type": "tool-call", "toolCallId": "toolu_one", "toolName": "look", "input": given},
    }
    log = Log()
    log.user("u1", "Go.")
    log.says("a1", "m1", text("I look."), asked[form])
    log.result("r1", "a1", "toolu_one", WORD)
    log.says("a2", "m2", text("Done."))
    made = hold("s.jsonl", written(log.values))
    block = made[1]["message"]["content"][1]
    assert block == {"type": "tool_use", "id": "toolu_one", "name": "look", "input": given}


@pytest.mark.parametrize("form", FORMS)
def test_pi(form: str) -> None:
    records = deepcopy(pi_sessions.sound().records)
    at = next(n for n, one in enumerate(records) if one.get("message", {}).get("toolCallId") == "toolu_one")
    time = records[at]["message"]["timestamp"]
    records[at]["message"] = {"role": "user", "content": [part(form, "toolu_one")], "timestamp": time}
    message = hold(pi_sessions.NAME, written(records))[at]["message"]
    assert (message["role"], message["toolCallId"], message["toolName"]) == ("toolResult", "toolu_one", "bash")
    assert message["timestamp"] == time and message["isError"] is False


@pytest.mark.parametrize("form", FORMS)
def test_gemini_cli(form: str) -> None:
    records = deepcopy(gemini_sessions.sound().records)
    del gemini_sessions.call_of(records, "one")["result"]
    id_ = gemini_sessions.call_id("one")
    record = {"id": "new", "timestamp": gemini_sessions.time(30), "type": "user", "content": [part(form, id_)]}
    records.insert(gemini_sessions.at(records, "one") + 1, record)
    name = "session-2026-11-21T08-04-made.jsonl"
    made = hold(name, written(records), "own" if form == "gemini" else None)
    (found,) = (one for one in made if WORD in json.dumps(one))
    answer = found["content"][0]["functionResponse"]
    assert (answer["id"], answer["response"]) == (id_, {"output": WORD})
    assert answer["name"] == ("bash" if form == "gemini" else "run_shell_command")


@pytest.mark.parametrize("form", FORMS)
def test_qwen_code(form: str) -> None:
    records = deepcopy(qwen_sessions.sound().records)
    at = next(n for n, one in enumerate(records) if WORD in json.dumps(one) and "functionResponse" in json.dumps(one))
    old = records[at]["message"]["parts"][0]["functionResponse"]
    records[at]["message"]["parts"] = [part(form, old["id"])]
    made = hold("s.jsonl", written(records), "own" if form == "gemini" else None)
    assert made[at]["message"]["parts"][0]["functionResponse"]["response"] == {"output": WORD}


@pytest.mark.parametrize("form", FORMS)
def test_goose(form: str, tmp_path: Path) -> None:
    rows = deepcopy(goose_sessions.sound())
    for row in rows:
        for number, one in enumerate(row.content):
            if one.get("type") == "toolResponse" and one["id"] == "call_one":
                row.content[number] = part(form, "call_one")
    database = goose_sessions.database(tmp_path / "sessions.db", rows)
    session = open_session(f"{database}::{goose_sessions.SESSION}")
    assert set(errors(session)) == {"field.missing"}
    session.stage_recommended()
    assert not errors(session) and not session.staging.losses
    made = session.to_bytes()
    assert made.count(WORD.encode()) == 1 and b"No result was recorded" not in made
    assert b'\\"toolResponse\\"' in made or b'"toolResponse"' in made


PLACES = [
    *((form, place) for form in FORMS for place in ("a part", "a part beside words")),
    ("chat", "the item"),
    ("chat", "a message"),
]


@pytest.mark.parametrize(("form", "place"), PLACES)
def test_codex_uses_the_output(form: str, place: str) -> None:
    """Codex does not read the item, so the result is written where it does, and no copy of it stays."""
    found, words = part(form, "call_one"), {"type": "input_text", "text": "words of mine"}
    content = [found, words] if "words" in place else [found]
    item = {"type": "message", "role": "user", "content": content}
    if place in ("the item", "a message"):
        item = found if place == "the item" else {"type": "message", **found}
    session = open_session(ROLLOUT, data=rollout(item))
    assert set(errors(session)) == {"result.missing", "rollout.not_loaded"}
    session.stage_recommended()
    assert not errors(session) and not session.staging.losses
    made = session.to_bytes()
    assert made.count(WORD.encode()) == 1 and b"No result was recorded" not in made
    outputs = [one.get("payload", {}) for one in map(json.loads, made.splitlines())]
    (output,) = (one for one in outputs if one.get("type") == "function_call_output")
    assert output["call_id"] == "call_one" and WORD in json.dumps(output["output"])
    assert made.count(b"words of mine") == ("words" in place)


ROLLOUT = "rollout-2026-11-21T08-00-00-0.jsonl"


def rollout(item: dict[str, Any]) -> bytes:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("call_one")
    made.uses()
    made.record("response_item", item)
    made.says("Done.")
    made.ends()
    return made.data


@pytest.mark.parametrize("form", ["anthropic", "gemini", "bedrock"])
def test_codex_uses_the_output_of_an_item_of_no_type_that_it_knows(form: str) -> None:
    session = open_session(ROLLOUT, data=rollout(part(form, "call_one")))
    assert errors(session) == ["result.missing"]
    session.stage_recommended()
    assert not errors(session) and b"No result was recorded" not in session.to_bytes()


@pytest.mark.parametrize("more", [{"text": "words of mine"}, {"call_id": "call_one", "body": "words of mine"}])
def test_a_message_of_codex_with_its_content_elsewhere_stays_as_it_is(more: dict[str, Any]) -> None:
    item = {"type": "message", "role": "user", **more}
    session = open_session(ROLLOUT, data=rollout(item))
    (problem,) = (found for found in session.problems if found.rule == "rollout.not_loaded")
    assert not problem.fixes and "under keys that toolpair does not know" in str(problem.no_fix)
    assert session.stage_recommended() is None, "the output may be in it"


def test_nor_does_a_call_get_a_placeholder_before_an_empty_message_that_says_something_elsewhere() -> None:
    item = {"type": "message", "role": "user", "content": [], "wording": ["words of mine"]}
    session = open_session(ROLLOUT, data=rollout(item))
    assert errors(session) == ["result.missing"] and session.stage_recommended() is None


def test_a_call_of_another_api_in_a_message_of_codex_is_not_dropped() -> None:
    call_ = {"id": "call_two", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    data = rollout({"type": "message", "role": "assistant", "content": None, "tool_calls": [call_]})
    session = open_session(ROLLOUT, data=data)
    (problem,) = (found for found in session.problems if found.rule == "rollout.not_loaded")
    assert not problem.fixes and "a call that is written as another API spells it" in str(problem.no_fix)


def test_a_message_of_codex_without_its_type_gets_it() -> None:
    said = {"role": "user", "content": [{"type": "input_text", "text": "words of mine"}]}
    session = open_session(ROLLOUT, data=rollout(said))
    assert "rollout.not_loaded" in errors(session)
    session.stage_recommended()
    payloads = [json.loads(line)["payload"] for line in session.to_bytes().splitlines()]
    assert {"type": "message", **said} in payloads and not session.staging.losses


def cline(*blocks: dict[str, Any], calls: int = 2) -> bytes:
    asked = [("list_files", {"path": "src"}), ("read_file", {"path": "src/a.py"}), ("read_file", {"path": "src/b.py"})]
    uses = [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}
        for number, (name, given) in enumerate(asked[:calls])
    ]
    messages = [
        {"role": "user", "content": [text("<task>\nGo.\n</task>")], "ts": 1},
        {"role": "assistant", "content": uses, "ts": 2},
        {"role": "user", "content": [*blocks, text("<environment_details>")], "ts": 3},
        {"role": "assistant", "content": [text("Done.")], "ts": 4},
        {"role": "user", "content": [text("And now?")], "ts": 5},
    ]
    return json.dumps(messages).encode()


def test_outputs_that_cline_wrote_as_texts() -> None:
    said = [f"[list_files for 'src'] Result:\n{WORD}", "[read_file for 'src/b.py'] Result:\nbee"]
    said.append("[read_file for 'src/a.py'] Result:\nay")
    data = cline(*map(text, said), calls=3)
    session = open_session("api_conversation_history.json", data=data)
    assert errors(session) == ["field.missing"] * 3
    problem = next(one for one in session.problems if one.rule == "field.missing")
    assert problem.impact == "harmless" and problem.cause is not None and "result missing" in problem.cause.evidence
    session.stage_recommended()
    assert not errors(session) and not session.staging.losses
    content = json.loads(session.to_bytes())[2]["content"]
    assert [(one["tool_use_id"], one["content"]) for one in content[:3]] == [
        ("toolu_0", said[0]),
        ("toolu_2", said[1]),
        ("toolu_1", said[2]),
    ]


def test_an_output_that_cline_wrote_as_the_next_text() -> None:
    data = cline(text("[list_files for 'src'] Result:"), text(WORD), calls=1)
    session = open_session("api_conversation_history.json", data=data)
    session.stage_recommended()
    assert not errors(session) and not session.staging.losses
    (result, *_) = json.loads(session.to_bytes())[2]["content"]
    assert result["content"] == f"[list_files for 'src'] Result:\n{WORD}"


def test_a_text_that_names_no_open_call_is_a_text() -> None:
    done = {"type": "tool_result", "tool_use_id": "toolu_0", "content": WORD}
    data = cline(done, text("[list_files for 'src'] Result:\nas I said"), calls=1)
    assert not errors(open_session("api_conversation_history.json", data=data))
    data = cline(text("[write_file for 'src'] Result:\nno such call"), calls=1)
    assert errors(open_session("api_conversation_history.json", data=data)) == ["result.missing"]


def test_continues_extension_leaves_its_items_of_results_out() -> None:
    made = continue_sessions.call(1)
    answer = continue_sessions.answer(made["id"], f"{continue_sessions.word(1)}\n")
    answer["message"]["id"] = "m3"
    history = [
        continue_sessions.user("Go."),
        continue_sessions.model("I look.", made),
        answer,
        continue_sessions.model("Done."),
    ]
    outer = {"sessionId": continue_sessions.ID, "title": "t", "workspaceDirectory": "file:///p"}
    data = json.dumps({**outer, "history": history}, indent=2).encode()
    session = open_session(continue_sessions.NAME, data=data)
    assert not errors(session)
    assert [message.role for message in session.conversation.transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    del answer["message"]["id"]  # as the command line would have it, which sends both
    data = json.dumps({**outer, "history": history}, indent=2).encode()
    assert errors(open_session(continue_sessions.NAME, data=data)) == ["result.duplicate"]


def test_an_orphan_of_gemini_cli_with_its_output_under_another_key() -> None:
    records = deepcopy(gemini_sessions.sound().records)
    stray = {"functionResponse": {"id": "gone", "name": "look", "result": {"output": "seen nowhere else"}}}
    records.insert(3, {"id": "new", "timestamp": gemini_sessions.time(1), "type": "user", "content": [stray]})
    session = open_session("session-2026-11-21T08-04-made.jsonl", data=written(records))
    (problem,) = (one for one in session.problems if one.rule == "result.orphan")
    assert problem.recommended is not None and problem.recommended.id == "keep-as-text"
    session.stage_recommended()
    assert session.to_bytes().count(b"seen nowhere else") == 1
