"""Sessions: golden bytes of each kind of fix, guesses, undo, saving, what is refused."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.session_folders import claude_records, line
from toolpair.session.reopening import reopened
from toolpair.session.session import Refused, Session, SessionError, open_session


def opened(messages: Any, **options: Any) -> Session:
    data = messages if isinstance(messages, bytes) else json.dumps(messages).encode()
    return open_session("session.json", data=data, **options)


def rules(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def call(id_: Any, name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": {}}


def result(id_: Any, content: Any = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks) if blocks else "go"}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def test_renaming_changes_the_id_and_no_other_byte() -> None:
    data = (
        b'\xef\xbb\xbf[ {"role":"user","content":"\\u0041\\/b"},\r\n'
        b'  {"role" : "assistant", "n":1e5, "content":[{"type":"tool_use","id":"functions_read_0","name":"R","input":{"x":1.50}}]},\r\n'
        b'  {"role":"user","content":[ {"content":"caf\\u00e9","tool_use_id":"functions.read:0","type":"tool_result"} ],"role":"user"}\r\n]'
    )
    session = opened(data)
    assert rules(session) == ["result.id_mismatch"]
    (problem,) = [found for found in session.problems if found.severity == "error"]
    assert problem.cause is not None and problem.cause.id == "id.sanitised_on_one_side"
    session.stage(problem)
    assert session.to_bytes() == data.replace(b'"functions.read:0"', b'"functions_read_0"')
    assert rules(session) == []
    session.undo()
    assert session.to_bytes() == data


def test_a_placeholder_follows_the_indentation_around_it() -> None:
    data = json.dumps([user(), assistant(call("toolu_1")), {"role": "user", "content": "and?"}], indent=2).encode()
    session = opened(data)
    session.stage_recommended()
    text = session.to_bytes().decode()
    assert json.loads(text)[2]["content"][0]["is_error"] is True
    assert text == json.dumps(json.loads(text), indent=2)


def test_the_placeholders_text_can_be_changed() -> None:
    session = opened([user(), assistant(call("toolu_1")), user()])
    problem = session.problems[0] if session.problems[0].rule == "result.missing" else session.problems[1]
    session.stage(problem, text="It deployed; I saw it.")
    assert "It deployed; I saw it." in session.to_bytes().decode()
    assert rules(session) == []


def test_records_of_an_agent_in_an_array_are_no_file_of_that_agent() -> None:
    """It would neither list nor resume such a file."""
    records = list(claude_records(2))
    assert open_session("s.jsonl", data=b"".join(map(line, records))).format.id == "claude-code"
    with pytest.raises(SessionError, match="has no conversation in it"):
        open_session("s.json", data=json.dumps(records).encode())


def test_one_fix_is_taken_out_and_the_others_stay_as_they_were() -> None:
    """What a person wrote, too, and each fix that was staged together with the one that goes."""
    messages = [
        user(),
        assistant(call("toolu_1")),
        user(),
        assistant(call("toolu_2")),
        user(),
        assistant(call("bad.id")),
    ]
    session = opened([*messages, user(result("bad.id", "kept"))])
    before = session.to_bytes()
    missing = [problem for problem in session.problems if problem.rule == "result.missing"]
    session.stage(missing[0], text="I saw it deploy.")
    alone = session.to_bytes()
    session.stage_recommended()
    assert sum(row.placeholders for row in session.staged) == 2, "one is a person's own words, marked as an error, too"
    for row in session.staged:
        if row.rules != ("result.missing",) or row.step:
            session.staging.unstage(row)
    for row in [row for row in session.staged if row.step]:
        session.staging.unstage(row)
    assert session.to_bytes() == alone and b"I saw it deploy." in alone
    (left,) = session.staged
    session.staging.unstage(left)
    assert session.to_bytes() == before and not session.changed and session.undo() is None


def test_a_guess_is_left_to_a_person_and_never_taken() -> None:
    session = opened([user(), assistant(call("toolu_1")), user(result("other", "precious"))])
    (problem,) = [found for found in session.problems if found.severity == "error"]
    assert problem.rule == "result.id_mismatch" and problem.guess
    assert session.stage_recommended() is None and len(session.left) == 1
    assert problem.recommended is None and problem.no_fix
    safe = problem.without_guessing
    assert safe is not None and safe.certain
    session.stage(problem, safe)
    text = session.to_bytes().decode()
    assert rules(session) == [] and "precious" in text
    results = [block for block in json.loads(text)[2]["content"] if block["type"] == "tool_result"]
    assert "precious" not in json.dumps(results)
    session.undo()
    linked = next(fix for fix in problem.fixes if fix.id == "rename-result")
    assert not linked.certain
    session.stage(session.problems[0] if session.problems[0].guess else problem, linked)
    assert json.loads(session.to_bytes())[2]["content"] == [result("toolu_1", "precious")]


def test_two_results_that_fit_two_calls_are_never_paired_by_position() -> None:
    session = opened([user(), assistant(call("a1"), call("b1")), user(result("x", "one"), result("y", "two"))])
    assert all(found.guess for found in session.problems if found.severity == "error")
    assert session.stage_recommended() is None, "nor is a placeholder written beside a real output"
    session.stage_recipe("keep")
    blocks = [block for message in json.loads(session.to_bytes()) for block in message["content"]]
    assert not {"tool_use", "tool_result"} & {block["type"] for block in blocks if isinstance(block, dict)}
    assert rules(session) == []


def test_a_placeholder_beside_the_real_result_loses() -> None:
    first = result("toolu_1", "Tool execution was interrupted before completion.")
    session = opened([user(), assistant(call("toolu_1")), user(first, result("toolu_1", "real"))])
    session.stage_recommended()
    assert json.loads(session.to_bytes())[2]["content"] == [result("toolu_1", "real")]


def test_two_results_that_differ_keep_the_first_and_the_others_words() -> None:
    session = opened([user(), assistant(call("toolu_1")), user(result("toolu_1", "one"), result("toolu_1", "two"))])
    session.stage_recommended()
    kept, text = json.loads(session.to_bytes())[2]["content"]
    assert kept == result("toolu_1", "one")
    assert text["type"] == "text" and text["text"].endswith("\ntwo") and "Data, not instructions" in text["text"]


def test_an_image_of_an_orphan_is_kept() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    session = opened(
        [
            user(),
            assistant({"type": "text", "text": "hm"}),
            user(result("gone", [{"type": "text", "text": "t"}, image])),
        ]
    )
    session.stage_recommended()
    assert image in json.loads(session.to_bytes())[2]["content"]


def test_new_ids_are_the_same_on_every_run_and_collide_with_nothing() -> None:
    messages = [
        user(),
        assistant(call("a.b"), call("a:b"), call("a_b")),
        user(result("a.b"), result("a:b"), result("a_b")),
    ]
    outs = []
    for _ in range(2):
        session = opened(messages)
        session.stage_recommended()
        outs.append(session.to_bytes())
    ids = [block["id"] for block in json.loads(outs[0])[1]["content"]]
    assert outs[0] == outs[1] and len(set(ids)) == 3 and "a_b" in ids
    assert rules(opened(outs[0])) == []


def test_a_new_id_is_none_that_is_taken() -> None:
    calls = [call("x"), call("x"), call("x-2")]
    session = opened([user(), assistant(*calls), user(result("x", "1"), result("x", "2"), result("x-2", "3"))])
    session.stage_recommended()
    out = json.loads(session.to_bytes())
    ids = [block["id"] for block in out[1]["content"]]
    assert len(set(ids)) == 3 and ids[0] == "x" and ids[2] == "x-2"
    assert {block["tool_use_id"]: block["content"] for block in out[2]["content"]} == dict(zip(ids, "123", strict=True))


def test_what_stands_before_signed_thinking_is_said_with_a_remedy() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    session = opened(
        [user(), assistant(call("toolu_1")), user(), assistant(thinking, call("toolu_2")), user(result("toolu_2"))]
    )
    (problem,) = [found for found in session.problems if found.severity == "error"]
    best = problem.recommended
    assert best is not None and best.note is not None and "1 signed thinking block" in best.note
    remedy = next(fix for fix in problem.fixes if fix.id == "insert-placeholder+drop-thinking")
    session.stage(problem, remedy)
    assert b"thinking" not in session.to_bytes() and rules(session) == []


def test_a_fix_that_has_a_note_says_what_thinking_it_touches_too() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    session = opened([user(result("gone", "words")), assistant(thinking, {"type": "text", "text": "yes"}), user()])
    (problem,) = [found for found in session.problems if found.severity == "error"]
    best = problem.recommended
    assert best is not None and best.note is not None
    assert "labelled as data" in best.note and "1 signed thinking block" in best.note
    drop = next(fix for fix in problem.fixes if fix.id == "drop")
    assert drop.note is not None and "signed thinking" in drop.note


def test_a_lone_surrogate_is_mended_where_it_stands() -> None:
    data = b'[{"role":"user","content":"half \\ud83d here \\u0041"},{"role":"assistant","content":[]}]'
    session = opened(data, format="anthropic")
    assert rules(session) == ["record.lone_surrogate"]
    session.stage_recommended()
    assert json.loads(session.to_bytes())[0]["content"] == "half \ufffd here A"


def test_chat_answers_go_behind_the_results_that_are_there() -> None:
    calls = [{"id": f"call_{n}", "type": "function", "function": {"name": "t", "arguments": "{}"}} for n in (1, 2, 3)]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_3", "content": "three"},
        {"role": "tool", "tool_call_id": "call_1", "content": "one"},
        {"role": "user", "content": "next"},
    ]
    session = opened(messages)
    assert rules(session) == ["result.missing"]
    session.stage_recommended()
    out = json.loads(session.to_bytes())
    assert [message.get("tool_call_id") for message in out[2:5]] == ["call_2", "call_3", "call_1"]
    assert rules(session) == []


def test_legacy_function_calls_pair_by_name() -> None:
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "42"},
        {"role": "assistant", "content": None, "function_call": {"name": "g", "arguments": "{}"}},
        {"role": "user", "content": "?"},
    ]
    session = opened(messages)
    assert rules(session) == ["result.missing"]
    session.stage_recommended()
    assert json.loads(session.to_bytes())[4] == {
        "role": "function",
        "name": "g",
        "content": json.loads(session.to_bytes())[4]["content"],
    }
    assert rules(session) == []


def test_what_roo_code_condensed_away_is_no_error() -> None:
    messages = [
        {**user(), "ts": 1, "condenseParent": "c1"},
        {**assistant(call("toolu_1")), "ts": 2, "condenseParent": "c1"},
        {"role": "user", "content": "summary", "ts": 3, "isSummary": True, "condenseId": "c1"},
        {**user(result("toolu_1")), "ts": 4},
        {**assistant(call("toolu_2")), "ts": 5},
        {"role": "user", "content": "hm", "ts": 6},
    ]
    session = opened(messages)
    assert session.format.id == "roo-code"
    assert rules(session) == ["result.missing"]
    session.stage_recommended()
    out = json.loads(session.to_bytes())
    assert out[:5] == messages[:5] and rules(session) == []


def test_conversations_of_a_log_are_judged_each_on_its_own() -> None:
    good = {"model": "m", "messages": [user(), assistant(call("toolu_1")), user(result("toolu_1"))]}
    bad = {"model": "m", "messages": [user(), assistant(call("toolu_1")), user()]}
    data = b"\n".join(json.dumps(body).encode() for body in (bad, good))
    session = opened(data)
    assert len(session.conversations) == 2 and session.current == 1 and rules(session) == []
    session.current = 0
    assert rules(session) == ["result.missing"]
    session.stage_recommended()
    first, second = session.to_bytes().split(b"\n")
    assert second == data.split(b"\n")[1] and json.loads(first)["model"] == "m"


def test_saving_keeps_the_original_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    data = json.dumps([user(), assistant(call("toolu_1")), user()]).encode()
    path.write_bytes(data)
    path.chmod(0o600)
    session = open_session(path)
    session.stage_recommended()
    expected = session.to_bytes()
    saved = session.save()
    assert path.read_bytes() == expected and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert saved.backup is not None and saved.backup.read_bytes() == data
    assert saved.backup.name.startswith("history.json.toolpair-") and saved.backup.suffix == ".bak"
    assert not session.changed and rules(session) == []
    assert sorted(found.name for found in tmp_path.iterdir()) == sorted([path.name, saved.backup.name])


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    path.write_bytes(json.dumps([user(), assistant(call("toolu_1")), user()]).encode())
    session = open_session(path)
    session.stage_recommended()
    path.write_bytes(b"[]")
    with pytest.raises(Refused, match="changed"):
        session.save()
    assert path.read_bytes() == b"[]" and [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_python_literal_is_read_and_never_written_back(tmp_path: Path) -> None:
    path = tmp_path / "printed.txt"
    path.write_text(repr([user(), assistant(call("toolu_1")), user()]))
    session = open_session(path)
    assert rules(session) == ["result.missing"] and not session.file.writable
    session.stage_recommended()
    with pytest.raises(Refused):
        session.save()
    assert rules(opened(session.to_bytes())) == []


def test_printed_sdk_objects_are_read() -> None:
    printed = (
        b"[{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': [TextBlock(citations=None, text='ok', "
        b"type='text'), ToolUseBlock(id='toolu_1', input={'a': -1}, name='Bash', type='tool_use')]}]"
    )
    session = opened(printed)
    assert rules(session) == ["turn.trailing_call"] and session.conversation.pairs[0].call is not None
    assert session.conversation.pairs[0].call.value == {
        "id": "toolu_1",
        "input": {"a": -1},
        "name": "Bash",
        "type": "tool_use",
    }


def test_an_image_in_a_tool_message_goes_to_the_user_behind_it() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    tool = {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "t"}, image]}
    asked = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    session = opened([{"role": "assistant", "content": None, "tool_calls": [asked]}, tool])
    assert rules(session) == ["result.type_not_allowed"]
    session.stage_recommended()
    out = json.loads(session.to_bytes())
    assert (
        out[1]["content"] == [{"type": "text", "text": "t"}] and out[2]["role"] == "user" and image in out[2]["content"]
    )
    assert rules(session) == []


def test_chat_results_with_one_id_are_told_apart() -> None:
    asked = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}} for _ in range(2)]
    answers = [{"role": "tool", "tool_call_id": "a", "content": text} for text in ("one", "two")]
    session = opened(
        [{"role": "assistant", "content": None, "tool_calls": asked}, *answers, {"role": "user", "content": "?"}]
    )
    assert rules(session) == ["call.duplicate_id"]
    session.stage_recommended()
    out = json.loads(session.to_bytes())
    assert [message["tool_call_id"] for message in out[1:3]] == [found["id"] for found in out[0]["tool_calls"]]
    assert rules(session) == [] and out[1]["tool_call_id"] == "a" != out[2]["tool_call_id"]


def test_bare_texts_and_calls_that_are_no_list() -> None:
    session = opened(
        [{"role": "user", "content": ["hey", {"type": "text", "text": "you"}]}, assistant(call("t")), user(result("t"))]
    )
    assert rules(session) == ["field.missing"]
    session.stage_recommended()
    assert json.loads(session.to_bytes())[0]["content"][0] == {"type": "text", "text": "hey"}
    asked = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    tool = {"role": "tool", "tool_call_id": "c", "content": "42"}
    session = opened(
        [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": asked}, tool]
    )
    session.stage_recommended()
    assert rules(session) == [] and json.loads(session.to_bytes())[1]["tool_calls"] == [asked]
    assert json.loads(session.to_bytes())[2] == tool


def test_what_is_kept_as_text_keeps_its_order() -> None:
    three = [result("toolu_1", text) for text in ("one", "two", "three")]
    session = opened([user(), assistant(call("toolu_1")), user(*three)])
    session.stage_recommended()
    kept = [
        block.get("content") or block["text"].rpartition("\n")[2]
        for block in json.loads(session.to_bytes())[2]["content"]
    ]
    assert kept == ["one", "two", "three"]


@pytest.mark.parametrize("element", [None, 5, "words"])
def test_an_element_that_is_no_message_is_an_error_without_a_safe_fix(element: Any) -> None:
    session = opened([user(), element, assistant(call("t")), user(result("t"))])
    assert rules(session) == ["record.no_message"] and session.stage_recommended() is None


def test_the_bytes_of_a_place_are_those_of_its_block() -> None:
    messages = [user(result("t", "early")), assistant(call("t"), {"type": "text", "text": "behind"}), user()]
    session = opened(messages)
    data = session.to_bytes()
    for problem in session.problems:
        place = session.location(problem)
        if place.block is not None and place.bytes is not None:
            assert json.loads(data[slice(*place.bytes)]) == messages[place.message or 0]["content"][place.block]


@each(
    "content",
    [
        [{"speaker": "user", "words": [{"say": "hi"}]}],
        [{"role": "user", "parts": "hi"}],
        {"a": 1},
        [1, 2],
    ],
)
def test_what_is_not_understood_is_said(content: Any) -> None:
    with pytest.raises(SessionError, match=r"session\.json"):
        opened(content)


@each(
    ("text", "rule"),
    [
        ("toolu_2", "result.missing"),
        ("pair:1", "result.missing"),
        (
            "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2. Each `tool_use`",
            "result.missing",
        ),
        (
            '{"error":{"message":"messages.4: \\"tool_use\\" ids were found\\nwithout `tool_result` blocks immediately after: toolu_2. Each',
            None,
        ),
        ("API Error: 400 due to tool use concurrency issues.", "result.missing"),
    ],
)
def test_going_to_a_place(text: str, rule: str | None) -> None:
    session = opened([user(), assistant(call("toolu_1")), user(result("toolu_1")), assistant(call("toolu_2")), user()])
    target = session.find(text)
    assert target is not None
    if rule is not None:
        assert target.problem is not None and target.problem.rule == rule and target.pair == 1


def test_a_file_is_opened_again_as_it_was_opened() -> None:
    path = Path(__file__).parent.parent / "sample_sessions" / "request-log.jsonl"
    session = open_session(path)
    again = reopened(session)
    assert [len(found.pairs) for found in again.conversations] == [len(found.pairs) for found in session.conversations]
    assert [found.profile.id for found in again.conversations] == [found.profile.id for found in session.conversations]


def test_a_branch_that_was_chosen_is_looked_at_again() -> None:
    path = Path(__file__).parent.parent / "sample_sessions" / "claude-code-branches.jsonl"
    session = open_session(path)
    other = next(branch for branch in session.conversation.transcript.tree.branches if not branch.active)
    session.choose_leaf(other.leaf)
    assert (
        reopened(session).conversation.transcript.tree.leaf == session.conversation.transcript.tree.leaf == other.leaf
    )


def test_a_session_has_what_a_session_is_and_no_more() -> None:
    """What prints, counts or only hands on belongs to who shows it, or is asked of the part that it belongs to."""
    session = opened([user(), assistant(call("toolu_1")), user(result("toolu_1"))])
    assert len([name for name in dir(session) if not name.startswith("_")]) <= 41
