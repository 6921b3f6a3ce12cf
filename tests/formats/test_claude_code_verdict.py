"""What toolpair says about Claude Code's files is what the agent does: no false alarm, and no silent loss."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.agents.planted import Records, sound, written
from tests.agents.shapes import at, by_name
from tests.each import each
from tests.formats.claude_code_files import Log, call, text
from toolpair.session.session import Session, open_session

PLACEHOLDER = "[Tool result missing due to internal error]"


def opened(records: Records | list[Any], **how: Any) -> Session:
    return open_session("session.jsonl", data=written(records), **how)


def errors(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def sent(session: Session) -> list[Any]:
    """What the agent would send, as plain values."""
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is None
    return [(message.role, [part.value for part in message.parts]) for message in seen.messages]


def recommended(session: Session) -> Session:
    session.stage_recommended()
    return open_session("session.jsonl", data=session.to_bytes())


def exchange() -> Log:
    """Three calls, one after the other; records are one second apart."""
    log = Log()
    log.user("u1", "begin")
    for number in (1, 2, 3):
        log.says(f"t{number}", f"m{number}", text(f"step {number}"))
        log.says(f"a{number}", f"m{number}", call(f"toolu_{number}"))
        log.result(f"r{number}", f"a{number}", f"toolu_{number}", f"output {number}")
    log.says("a4", "m4", text("done"))
    return log


# Links


@each("seed", range(12))
def test_the_order_of_lines_does_not_matter(seed: int) -> None:
    records = exchange().values
    as_written = sent(opened(records))
    rng = random.Random(seed)
    moved = records[::-1] if seed == 0 else rng.sample(records, len(records))
    if moved[-1] is not records[-1] and seed:
        # If the history continues from the last line, that is the newest record below it.
        moved = [record for record in moved if record is not records[0]] + [records[0]]
    session = opened(moved)
    assert sent(session) == as_written
    assert not [problem for problem in session.problems if problem.rule.startswith("chain.")]
    assert session.conversation.verdict.outputs_seen == session.conversation.verdict.outputs_total == 3


def with_a_report_in_the_gap(report: float, follows: float) -> Session:
    """A record is lost; a progress report links to it, and the next text to that report."""
    log = exchange()
    log.record("progress", "p1", "gone", data={"type": "hook_progress"})
    log.user("u2", "next")
    log.says("a5", "m5", text("yes"))
    known = by_name(log)
    at(known["p1"], log_time(known["a4"]) + report)
    at(known["u2"], log_time(known["a4"]) + follows)
    at(known["a5"], log_time(known["a4"]) + follows + 1)
    return opened(log.values)


def log_time(record: dict[str, Any]) -> float:
    minutes, seconds = record["timestamp"][14:-1].split(":")
    return int(minutes) * 60 + float(seconds)


def test_a_report_in_the_gap_does_not_hide_that_history_is_lost() -> None:
    session = with_a_report_in_the_gap(2, 9)
    assert errors(session) == ["chain.missing_parent"]
    assert session.problems[0].impact == "loses"
    assert len(sent(session)) == 2 and session.conversation.verdict.outputs_seen == 0
    again = recommended(session)
    assert errors(again) == [] and again.conversation.verdict.outputs_seen == 3


@pytest.mark.parametrize("report", [2, 9])
def test_text_soon_after_the_gap_is_bridged_whenever_the_report_came(report: float) -> None:
    session = with_a_report_in_the_gap(report, 4)
    assert errors(session) == [] and session.conversation.verdict.outputs_seen == 3


# What a person did


def test_a_refusal_counts_even_if_the_command_had_printed_something() -> None:
    log = exchange()
    record = by_name(log)["r2"]
    record["message"]["content"][0] |= {
        "content": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a "
        "file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell "
        "you how to proceed.",
        "is_error": True,
    }
    record["toolUseResult"] = "User rejected tool use"
    progress = {"type": "bash_progress", "output": "half", "fullOutput": "half of it"}
    log.record("progress", "p1", "a2", data=progress, parentToolUseID="toolu_2")
    session = opened(log.values)
    assert not session.problems
    assert session.conversation.verdict.outputs_seen == session.conversation.verdict.outputs_total == 3


# Blank texts


def test_a_blank_text_that_the_agent_leaves_out_is_a_note() -> None:
    log = Log()
    log.user("u1", "begin")
    log.says("a1", "m1", text("\n\n"))
    log.says("a2", "m1", call("toolu_1"))
    log.result("r1", "a2", "toolu_1", "output")
    log.says("a3", "m2", text("done"))
    session = opened(log.values)
    assert [(problem.rule, problem.severity) for problem in session.problems] == [("content.empty_text", "info")]
    assert session.problems[0].on_resume is not None and session.problems[0].on_resume.effect == "healed"
    assert session.stage_recommended() is None
    # Another provider would receive what the file holds.
    assert "content.empty_text" in errors(opened(log.values, profile="bedrock-converse"))


def test_a_blank_text_that_is_sent_is_an_error() -> None:
    log = exchange()
    by_name(log)["t2"]["message"]["content"].append(text(" "))
    session = opened(log.values)
    assert errors(session) == ["content.empty_text"]
    again = recommended(session)
    assert errors(again) == [] and again.conversation.verdict.outputs_seen == 3


def test_a_fix_for_something_else_leaves_blank_texts_alone() -> None:
    log = exchange()
    known = by_name(log)
    known["t2"]["message"]["content"] = [text("\n\n")]
    known["r3"]["message"]["content"][0]["tool_use_id"] = "toolu.3"
    session = opened(log.values)
    before = session.to_bytes().splitlines()
    session.stage_recommended()
    after = session.to_bytes().splitlines()
    changed = [number for number, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert [json.loads(before[number])["uuid"] for number in changed] == ["r3"]


# Outputs found elsewhere


def test_an_output_in_a_record_of_an_unknown_type_is_found() -> None:
    log = exchange()
    by_name(log)["r2"]["type"] = "tool_result"
    session = opened(log.values)
    (problem,) = [problem for problem in session.problems if problem.rule == "result.missing"]
    assert problem.recommended is not None and problem.recommended.id == "use-copy"
    assert "line 7" in problem.recommended.title and session.conversation.verdict.outputs_total == 3
    again = recommended(session)
    assert errors(again) == [] and again.conversation.verdict.outputs_seen == 3


def test_without_links_it_is_found_as_well() -> None:
    log = exchange()
    record = by_name(log)["r2"]
    by_name(log)["t3"]["parentUuid"] = "a2"
    record["type"] = "tool_result"
    del record["uuid"], record["parentUuid"]
    session = opened(log.values)
    (problem,) = [problem for problem in session.problems if problem.rule == "result.missing"]
    assert problem.recommended is not None and problem.recommended.id == "use-copy"


def test_the_empty_output_of_a_call_that_ran_beats_a_placeholder() -> None:
    log = exchange()
    known = by_name(log)
    empty = json.loads(json.dumps(known["r2"]))
    known["r2"]["message"]["content"][0] |= {"content": PLACEHOLDER, "is_error": True}
    empty["uuid"], empty["parentUuid"] = "r2b", "r2"
    empty["message"]["content"][0]["content"] = ""
    empty["toolUseResult"] = {"stdout": "", "stderr": "", "interrupted": False}
    known["t3"]["parentUuid"] = "r2b"
    log.values.insert(log.values.index(known["r2"]) + 1, empty)
    session = opened(log.values)
    (problem,) = [problem for problem in session.problems if problem.severity == "error"]
    assert problem.rule == "result.duplicate" and problem.impact == "loses"
    again = recommended(session)
    results = [part for _, parts in sent(again) for part in parts if part.get("tool_use_id") == "toolu_2"]
    assert [(part["content"], part.get("is_error")) for part in results] == [("", None)]
    assert errors(again) == []


def test_an_empty_output_on_another_branch_beats_a_new_placeholder() -> None:
    log = exchange()
    known = by_name(log)
    known["r2"]["message"]["content"][0] |= {"content": ""}
    known["t3"]["parentUuid"] = "a2"
    known["r2"]["isSidechain"] = False
    known["r2"]["message"]["content"].append(text("words"))
    other = json.loads(json.dumps(known["a2"]))
    other["uuid"], other["message"]["id"], other["parentUuid"] = "b2", "m9", "t1"
    known["r2"]["parentUuid"] = known["r2"]["sourceToolAssistantUUID"] = "b2"
    log.values.insert(log.values.index(known["a2"]) + 1, other)
    session = opened(log.values)
    found = [problem for problem in session.problems if problem.rule == "result.missing"]
    assert found and found[0].recommended is not None and found[0].recommended.id == "use-copy"


def test_the_sound_session_stays_sound() -> None:
    assert errors(opened(sound())) == []
