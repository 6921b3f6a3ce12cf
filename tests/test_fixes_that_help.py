"""A recommended fix settles its problem, whatever the session is like: examples in which it once changed nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.claude_code_files import Log, call, text
from tests.hostile.sessions import gemini
from tests.openclaw_sessions import sound as openclaw_session
from tests.pi_sessions import sound as pi_session
from tests.qwen_sessions import sound as qwen_session
from toolpair.recipes.recommended import pick
from toolpair.session.session import Session, open_session

HALF = "\ud83d"


def settled(data: bytes, name: str = "session.jsonl", **how: Any) -> Session:
    """The session with its recommended fixes: no such fix is left, and a second run changes nothing."""
    session = open_session(name, data=data, **how)
    session.stage_recommended()
    assert [(problem.rule, problem.record) for problem in session.problems if pick(problem) is not None] == []
    made = session.to_bytes()
    again = open_session(name, data=made, **how)
    again.stage_recommended()
    assert again.to_bytes() == made
    return session


def lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def sent(session: Session) -> list[tuple[str, list[str]]]:
    """Each message of the history with what its blocks are: the text, or the kind and the id."""
    return [
        (
            str(message.role),
            [block.text if block.id is None else f"{block.kind} {block.id}" for block in message.blocks],
        )
        for message in session.conversation.transcript.messages
    ]


def compacted(log: Log, *kept: Any, **fields: Any) -> None:
    log.record(
        "system", "c1", None, subtype="compact_boundary", content="compacted",
        compactMetadata={"trigger": "auto", "preservedMessages": {"uuids": list(kept), "anchorUuid": "s1"}}, **fields,
    )  # fmt: skip
    log.user("s1", "the summary", parent="c1", isCompactSummary=True)


def test_calls_come_last_over_the_records_of_a_response() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.says("a2", "m1", {"type": "thinking", "thinking": "hm", "signature": "s"})
    log.says("a3", "m1", text("I look."), call("toolu_B"))
    log.result("r1", "a1", "toolu_A", "output A")
    log.result("r2", "a3", "toolu_B", "output B")
    log.user("u2", "thanks")
    assert sent(settled(lines(log.values)))[1] == ("assistant", ["hm", "I look.", "call toolu_A", "call toolu_B"])


def test_a_result_is_put_in_before_the_line_of_a_compaction() -> None:
    """The agent looks for no results beside the chain there, other than those that the compaction kept."""
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "output A")
    log.user("s1", "the summary", parent="c1", isCompactSummary=True)
    log.says("a2", "m2", call("toolu_B"), parent="s1")
    log.says("a3", "m2", call("toolu_C"))
    log.result("r3", "a3", "toolu_C", "output C")
    log.user("u3", "thanks")
    log.record("system", "c1", None, subtype="compact_boundary", content="compacted")
    log.note("last-prompt", lastPrompt="thanks", leafUuid="u3")
    assert sent(settled(lines(log.values)))[-1] == ("user", ["result toolu_B", "result toolu_C", "thanks"])


@pytest.mark.parametrize("uuid", [None, True, 7, {"a": 1}])
def test_a_call_whose_line_has_no_uuid_gets_a_result(uuid: Any) -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", text("I look."))
    log.says("a2", "m1", call("toolu_A"))["uuid"] = uuid
    log.says("a3", "m1", call("toolu_B"), parent="a1")
    log.result("r3", "a3", "toolu_B", "output B")
    log.user("u2", "thanks")
    answers = sent(settled(lines(log.values)))[2]
    assert set(answers[1]) == {"result toolu_A", "result toolu_B", "thanks"}


def test_the_parts_of_a_response_come_together_around_one_without_an_id() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", text("I look."))
    log.says("a2", "m2", text("Another."))["message"]["id"] = 7
    log.says("a3", "m1", call("toolu_A"))
    log.result("r3", "a3", "toolu_A", "output A")
    log.user("u2", "thanks")
    assert sent(settled(lines(log.values)))[-1][0] == "user"


@pytest.mark.parametrize("other", [7, None, {}, "gone"])
def test_the_list_of_what_a_compaction_kept_is_mended_whatever_it_holds(other: Any) -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "output A")
    compacted(log, "a1", "r1", other)
    log.says("a2", "m2", text("And so."))
    assert "output A" in str(sent(settled(lines(log.values)))) or "result toolu_A" in str(
        sent(settled(lines(log.values)))
    )


@pytest.mark.parametrize("uuid", [None, 51, "named"])
def test_the_line_of_a_compaction_gets_the_uuid_that_its_summary_names(uuid: Any) -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "output A")
    compacted(log, "a1", "r1")
    if uuid != "named":
        log.values[-2]["uuid"] = uuid
    log.says("a2", "m2", text("And so."))
    session = settled(lines(log.values))
    assert "result toolu_A" in str(sent(session))
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == []


def roo(**summary: Any) -> list[dict[str, Any]]:
    asks = {"type": "tool_use", "id": "read_0", "name": "read", "input": {}}
    told = {"type": "tool_result", "tool_use_id": "read_0", "content": "output"}
    return [
        {"role": "user", "content": "go", "ts": 1, "condenseParent": "c"},
        {"role": "assistant", "content": [asks], "ts": 2, "condenseParent": "c"},
        {"role": "user", "content": [told], "ts": 3, "condenseParent": "c"},
        {"role": "user", "content": "the summary", "ts": 4, "isSummary": True, "condenseId": "c"},
        {"role": "assistant", "content": [asks], "ts": 5},
        {"role": "user", "content": [{**told, "content": "another output"}], "ts": 6},
        {"role": "assistant", "content": "done", "ts": 7},
    ]


ROO = "api_conversation_history.json"


def test_roo_code_keeps_a_result_whose_id_a_condensed_call_had_as_well() -> None:
    values = roo()
    session = open_session(ROO, data=json.dumps(values).encode())
    assert session.format.id == "roo-code" and not session.problems
    assert ("user", ["result read_0"]) in sent(session)
    del values[5]["content"][0]
    values[5]["content"].append(text("and now?"))
    assert ("user", ["result read_0", "and now?"]) in sent(settled(json.dumps(values).encode(), ROO))


def test_an_output_that_is_blank_is_no_better_than_a_blank_result() -> None:
    values = roo()
    values[2]["content"][0]["content"] = " "
    values[5]["content"] = "cut"
    settled(json.dumps(values).encode(), ROO)


@pytest.mark.parametrize("native", [True, False])
def test_a_half_in_a_text_leaves_what_stands_beside_it(native: bool) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [text("I look."), f"more{HALF}"]},
        {"role": "user", "content": [f"mine{HALF}", text("beside")]},
    ]
    for number, message in enumerate(messages if native else ()):
        message["ts"] = number
    session = settled(json.dumps(messages).encode(), ROO if native else "messages.json")
    assert sent(session)[1:] == [("assistant", ["I look.", "more\ufffd"]), ("user", ["mine\ufffd", "beside"])]
    assert not session.staging.losses.texts and not session.staging.losses.words


@pytest.mark.parametrize(
    "part", [{f"k{HALF}": 1}, {"type": [HALF], "text": "x"}, {"type": "odd", f"{HALF}": {HALF: HALF}}]
)
def test_a_half_in_a_part_that_nobody_knows_is_replaced(part: dict[str, Any]) -> None:
    values = json.loads(json.dumps(pi_session().records))
    message = next(value["message"] for value in values if value.get("message", {}).get("role") == "assistant")
    message["content"].append(part)
    made = settled(lines(values))
    assert HALF not in json.dumps(json.loads(made.to_bytes().splitlines()[values.index(values[-1])]))
    assert b"\\ud83d" not in made.to_bytes()


@pytest.mark.parametrize("make", [pi_session, openclaw_session, qwen_session])
def test_a_line_that_stands_twice_changes_twice(make: Any) -> None:
    """Else its copy would be another record with its id."""
    values = json.loads(json.dumps(make().records))
    answers = [value for value in values if "word-two-word" in json.dumps(value)]
    after = values.index(answers[-1]) + 1
    values.insert(after, json.loads(json.dumps(values[after])))
    values.remove(answers[-1])
    session = settled(lines(values))
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == []
    made = session.to_bytes().splitlines()
    assert len(set(made)) == len(made) - 1


def test_a_line_whose_id_is_nothing_to_the_agent_is_no_parent() -> None:
    values = json.loads(json.dumps(openclaw_session().records))
    at = next(number for number, value in enumerate(values) if "word-five-word" in json.dumps(value)) - 1
    values[at]["id"] = 0
    assert ("user", ["Begin."]) in sent(settled(lines(values)))


def test_a_call_in_a_part_that_pi_does_not_write_keeps_its_form() -> None:
    values = json.loads(json.dumps(pi_session().records))
    message = next(value["message"] for value in values if value.get("message", {}).get("role") == "assistant")
    part = next(part for part in message["content"] if part["type"] == "toolCall")
    part["type"] = "tool_use"
    assert b'"input"' in settled(lines(values)).to_bytes()


def test_of_a_loop_the_link_within_it_is_mended() -> None:
    """Not that of a line below it, which was moved to the front of the file."""
    log = Log(60)
    log.user("u1", "go")
    log.result("r2", "a2", "toolu_B", "output B", parent="a2")
    log.says("a1", "m1", call("toolu_A"), parent="u2")
    log.result("r1", "a1", "toolu_A", "output A")
    log.user("u2", "go on")
    log.says("a2", "m2", call("toolu_B"))
    log.says("a3", "m3", text("done"), parent="r2")
    session = settled(lines(log.values))
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == []
    assert sent(session)[-2:] == [("user", ["result toolu_B"]), ("assistant", ["done"])]


def test_a_result_gets_the_name_of_its_call_in_its_part() -> None:
    data = lines(gemini()).replace(b'"name": "run_shell_command", "response"', b'"name": "another", "response"')
    session = open_session("session.jsonl", data=data)
    problem = next(problem for problem in session.problems if problem.rule == "result.name")
    result = problem.result
    session.stage(problem)
    assert [one.result for one in session.problems if one.rule == "result.name" and one.key == problem.key] == []
    assert result is not None and result.name == "another"


def openclaw_rows() -> list[Any]:
    sample = Path(__file__).parent.parent / "sample_sessions" / "openclaw-cut-history.db"
    return [json.loads(line) for line in open_session(sample).to_bytes().splitlines()]


def events(values: list[Any]) -> list[dict[str, Any]]:
    return [value["transcript_events"] for value in values if "transcript_events" in value]


def test_links_are_changed_only_where_they_can_say_what_the_list_says() -> None:
    values = openclaw_rows()
    first, last = events(values)[2], events(values)[-2]
    first["seq"], last["seq"] = last["seq"], first["seq"]
    values.sort(key=lambda value: value["transcript_events"]["seq"] if "transcript_events" in value else -1)
    session = settled(lines(values))
    left = next(problem for problem in session.problems if problem.rule == "chain.list_differs")
    assert left.no_fix and [fix.id for fix in left.fixes] == ["follow-links"]


def test_the_row_that_says_which_session_it_is_gets_its_id_back() -> None:
    values = openclaw_rows()
    events(values)[0]["event_json"]["id"] = {}
    session = settled(lines(values))
    assert [problem.rule for problem in session.problems if problem.rule == "rollout.no_meta"] == []
    assert len(session.to_bytes().splitlines()) == len(values)


def test_a_name_in_the_index_of_ids_is_mended_with_the_list() -> None:
    values = openclaw_rows()
    events(values)[-2]["identity_event_id"] = "another"
    session = settled(lines(values))
    assert [problem.rule for problem in session.problems if problem.rule == "chain.list_differs"] == []
