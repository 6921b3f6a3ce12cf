"""A lost output is searched for where Claude Code leaves copies, and replaces a placeholder."""

from __future__ import annotations

import json
import os
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.formats.claude_code_files import Log, call, session, text
from toolpair.dialects.block_texts import is_placeholder_text, result_text
from toolpair.formats.claude_code import output_files
from toolpair.rules.problem import Problem
from toolpair.session.session import Session, open_session
from toolpair.source.sibling_files import FilesBeside
from toolpair.transcript.edits import InsertResult

INTERRUPTED = (
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. "
    "Check whether it took effect before relying on it or running it again.]"
)
REMINDER = "\n\n<system-reminder>\n<total_tokens>5 tokens left</total_tokens>\n</system-reminder>"


def as_bytes(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)


def without(log: Log, uuid: str) -> list[Any]:
    """The records without one; its children are linked to its parent."""
    gone = next(value for value in log.values if value.get("uuid") == uuid)
    values = [deepcopy(value) for value in log.values if value is not gone]
    for value in values:
        if value.get("parentUuid") == uuid:
            value["parentUuid"] = gone["parentUuid"]
    return values


def saved(folder: Path, values: list[Any], name: str = "mine.jsonl") -> Session:
    path = folder / name
    path.write_bytes(as_bytes(values))
    return open_session(path)


def blob(id_: str, content: Any, **fields: Any) -> dict[str, Any]:
    part = {"tool_use_id": id_, "type": "tool_result", "content": content, **fields}
    return {"type": "api-request-blob", "hash": "h", "message": {"role": "user", "content": [part]}}


def problem(session: Session, rule: str) -> Problem:
    return next(found for found in session.problems if found.rule == rule)


def answers(session: Session) -> dict[str, str]:
    return {
        str(block.id): result_text(block)
        for message in session.conversation.transcript.messages
        for block in message.results
    }


def mended(session: Session) -> Session:
    session.stage_recommended()
    data = session.to_bytes()
    again = open_session("mine.jsonl", data=data)
    assert not [found for found in again.problems if found.severity == "error"]
    assert again.stage_recommended() is None and again.to_bytes() == data
    return again


def test_the_copy_of_a_request_answers_a_lost_result(tmp_path: Path) -> None:
    values = [*without(session(), "r4"), blob("toolu_D", "output D" + REMINDER, is_error=True)]
    found = saved(tmp_path, values)
    fix = problem(found, "result.missing").recommended
    assert (
        fix is not None
        and fix.title == f"use the real output found in the copy of an earlier request, line {len(values)}"
    )
    assert isinstance(fix.edits[0], InsertResult) and fix.edits[0].is_error
    assert answers(mended(found))["toolu_D"] == "output D"


def test_different_copies_are_left_to_a_person(tmp_path: Path) -> None:
    values = [*without(session(), "r4"), blob("toolu_D", "output D"), blob("toolu_D", "other")]
    missing = problem(saved(tmp_path, values), "result.missing")
    assert [fix.id for fix in missing.fixes] == [
        "use-copy-1",
        "use-copy-2",
        "insert-placeholder",
        "call-as-text",
        "remove-call",
    ]
    assert missing.guess and missing.recommended is None
    assert not any(fix.certain or fix.recommended for fix in missing.fixes[:2])
    assert missing.fixes[0].title.endswith('("output D")') and missing.fixes[1].title.endswith('("other")')


def test_requests_are_trusted_over_details_and_these_over_progress_reports(tmp_path: Path) -> None:
    values = without(session(), "r4")
    report = {"type": "bash_progress", "output": "so", "fullOutput": "so far"}
    values.append({"type": "progress", "uuid": "p", "parentUuid": "a6", "parentToolUseID": "toolu_D", "data": report})
    found = saved(tmp_path, values)
    fix = problem(found, "result.missing").recommended
    assert fix is not None and fix.note is not None and "incomplete" in fix.note
    assert answers(mended(found))["toolu_D"].startswith("so far\n\n[Recorded while the call ran")
    lost = {"uuid": "x", "parentUuid": "a6", "type": "user", "sourceToolAssistantUUID": "a6"}
    values.append({**lost, "message": None, "toolUseResult": {"stdout": "out", "stderr": "err"}})
    assert answers(mended(saved(tmp_path, values)))["toolu_D"] == "out\nerr"
    values.append(blob("toolu_D", "as sent"))
    assert answers(mended(saved(tmp_path, values)))["toolu_D"] == "as sent"


@pytest.mark.parametrize("beside", [INTERRUPTED, f"Error: {INTERRUPTED}"])
def test_a_real_output_replaces_a_placeholder(tmp_path: Path, beside: str) -> None:
    log = session()
    record = next(value for value in log.values if value.get("uuid") == "r4")
    record["message"]["content"][0].update(content=INTERRUPTED, is_error=True)
    record.update(toolUseResult=beside, toolDenialKind="interrupted")
    assert not [p for p in saved(tmp_path, log.values).problems if p.rule == "result.placeholder"]
    found = saved(tmp_path, [*log.values, blob("toolu_D", "output D" + REMINDER)])
    known = problem(found, "result.placeholder")
    assert known.severity == "error" and known.impact == "loses"
    before = {record.uid: record.body for record in found.conversation.document.records}
    again = mended(found)
    assert answers(again)["toolu_D"] == "output D"
    changed = [r for r in found.conversation.document.records if before[r.uid] != r.body]
    assert len(changed) == 1
    assert set(record) - set(changed[0].value) == {"toolUseResult", "toolDenialKind"}
    assert "is_error" not in changed[0].value["message"]["content"][0]


def test_an_empty_result_gets_the_output_that_only_the_details_have(tmp_path: Path) -> None:
    log = session()
    record = next(value for value in log.values if value.get("uuid") == "r4")
    record["message"]["content"][0]["content"] = ""
    assert not [p for p in saved(tmp_path, log.values).problems if p.rule == "result.placeholder"]
    record["toolUseResult"] = {"stdout": "output D", "stderr": ""}
    again = mended(saved(tmp_path, log.values))
    assert answers(again)["toolu_D"] == "output D"


def test_a_result_that_a_compaction_cut_off_answers_its_own_call_only(tmp_path: Path) -> None:
    log = session()
    metadata = {"preservedMessages": {"anchorUuid": "c2", "uuids": ["a6", "a7"], "allUuids": ["a6", "a7"]}}
    log.record("system", "c1", None, subtype="compact_boundary", compactMetadata=metadata)
    log.user("c2", "This session is being continued", isCompactSummary=True)
    log.user("u9", "go on")
    log.note("last-prompt", leafUuid="u9")
    found = saved(tmp_path, log.values)
    fix = problem(found, "result.missing").recommended
    assert fix is not None and fix.title == "use the real output found before the compaction, line 15"
    assert answers(mended(found)) == {"toolu_D": "output D"}
    # The same id on another call, whose result has the agent's own link.
    other = deepcopy(next(value for value in log.values if value.get("uuid") == "a6"))
    other.update(uuid="b6")
    other["message"]["content"][0]["input"] = {"command": "something else"}
    log.values.insert(12, other)
    result = next(value for value in log.values if value.get("uuid") == "r4")
    result.update(parentUuid="b6", sourceToolAssistantUUID="b6")
    assert problem(saved(tmp_path, log.values), "result.missing").fixes[0].id == "insert-placeholder"


def test_a_result_on_another_branch_answers_the_call_in_the_history(
    tmp_path: Path,
) -> None:
    log = session()
    values = without(log, "r4")
    other = deepcopy(next(value for value in log.values if value.get("uuid") == "a6"))
    other.update(uuid="b6")
    other["message"]["id"] = "msg_other"
    result = deepcopy(next(value for value in log.values if value.get("uuid") == "r4"))
    result.update(uuid="b7", parentUuid="b6", sourceToolAssistantUUID="b6")
    place = next(n for n, value in enumerate(values) if value.get("uuid") == "a6")
    values[place:place] = [other, result]
    found = saved(tmp_path, values)
    fix = problem(found, "result.missing").recommended
    assert fix is not None and fix.title == f"use the real output found on another branch, line {place + 2}"
    assert answers(mended(found))["toolu_D"] == "output D"


def test_a_forked_session_beside_it_is_searched(tmp_path: Path) -> None:
    log = session()
    long_id = "toolu_01" + "D" * 16
    values = json.loads(json.dumps(log.values).replace("toolu_D", long_id))
    whole = deepcopy(values)
    for value in whole:
        value["sessionId"] = "another"
    log.values = values
    mine = without(log, "r4")
    stranger = json.loads(re.sub(r'"([utar]\d)"', r'"s-\1"', json.dumps(whole)))
    (tmp_path / "stranger.jsonl").write_bytes(as_bytes(stranger))
    assert problem(saved(tmp_path, mine), "result.missing").fixes[0].id == "insert-placeholder"
    (tmp_path / "fork.jsonl").write_bytes(as_bytes(whole))
    found = saved(tmp_path, mine)
    fix = problem(found, "result.missing").recommended
    assert fix is not None and fix.title == "use the real output found in the forked session fork.jsonl"
    assert answers(mended(found))[long_id] == "output D"


def _forked(tmp_path: Path, long_id: str = "toolu_01" + "D" * 16) -> tuple[Log, list[Any], list[Any]]:
    """A session, its records without the output of one call, and a fork's with it."""
    log = session()
    values = json.loads(json.dumps(log.values).replace("toolu_D", long_id))
    whole = [{**value, "sessionId": "another"} for value in deepcopy(values)]
    log.values = values
    return log, without(log, "r4"), whole


def test_of_many_other_sessions_the_newest_are_searched_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, mine, whole = _forked(tmp_path)
    stranger = deepcopy(mine)
    for number, values in enumerate((whole, stranger, stranger)):
        path = tmp_path / f"fork-{number}.jsonl"
        path.write_bytes(as_bytes(values))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    sizes = [(tmp_path / f"fork-{number}.jsonl").stat().st_size for number in range(3)]
    recommended = problem(saved(tmp_path, mine), "result.missing").recommended
    assert recommended is not None and recommended.title.endswith("in the forked session fork-0.jsonl")
    monkeypatch.setattr(output_files, "_MOST", 2 * sizes[2] + 10)
    found = problem(saved(tmp_path, mine), "result.missing")
    assert found.recommended is None
    assert found.no_fix is not None and found.no_fix.startswith("2 other sessions (")
    assert found.no_fix.endswith(" KB) were not searched for its output, which may be there.")
    os.utime(tmp_path / "fork-0.jsonl", (1_800_000_000, 1_800_000_000))
    recommended = problem(saved(tmp_path, mine), "result.missing").recommended
    assert recommended is not None and recommended.title.endswith("in the forked session fork-0.jsonl")


def test_an_id_that_means_nothing_elsewhere_is_not_held_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, mine, whole = _forked(tmp_path, "toolu_D")
    (tmp_path / "fork.jsonl").write_bytes(as_bytes(whole))
    monkeypatch.setattr(output_files, "_MOST", 10)
    recommended = problem(saved(tmp_path, mine), "result.missing").recommended
    assert recommended is not None and recommended.placeholder


def test_no_other_session_is_searched_for_a_call_that_may_be_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, _, whole = _forked(tmp_path)
    end = next(place for place, value in enumerate(log.values) if value.get("uuid") == "r4")
    (tmp_path / "fork.jsonl").write_bytes(as_bytes(whole))
    asked: list[str] = []
    monkeypatch.setattr(FilesBeside, "start", lambda self, name, *more: (asked.append(name), b"")[1])
    monkeypatch.setattr(FilesBeside, "lines_with", lambda self, name, words: (asked.append(name), {})[1])
    found = problem(saved(tmp_path, log.values[:end]), "turn.trailing_call")
    assert found.severity == "info" and "fork.jsonl" not in asked


@pytest.mark.parametrize("described", [True, False])
def test_the_last_text_of_a_sub_agent_is_the_output_of_its_call(tmp_path: Path, described: bool) -> None:
    log = Log(7.0)
    log.user("u1", "go")
    asked = {**call("toolu_A", "Task"), "input": {"prompt": "count the notes"}}
    log.says("a1", "m1", asked)
    log.says("a2", "m2", text("end"))
    own = Log()
    own.user("s1", "count the notes", isSidechain=True)
    own.says("s2", "n1", text("I look."), call("toolu_S"), isSidechain=True)
    own.result("s3", "s2", "toolu_S", "a b", isSidechain=True)
    folder = tmp_path / "mine" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-1.jsonl").write_bytes(as_bytes(own.values))
    if described:
        (folder / "agent-1.meta.json").write_text('{"toolUseId": "toolu_A"}')
    fix = problem(saved(tmp_path, log.values), "result.missing").recommended
    assert fix is not None and fix.note is not None, "it was stopped before its end"
    own.says("s4", "n2", text("Two notes."), isSidechain=True)
    (folder / "agent-1.jsonl").write_bytes(as_bytes(own.values))
    found = saved(tmp_path, log.values)
    fix = problem(found, "result.missing").recommended
    assert fix is not None and fix.note is None and "mine/subagents/agent-1.jsonl" in fix.title
    assert answers(mended(found))["toolu_A"] == "Two notes."


def test_a_stored_output_comes_back_as_the_agent_would_send_it(tmp_path: Path) -> None:
    log = session()
    record = next(value for value in log.values if value.get("uuid") == "r4")
    record["message"]["content"][0]["content"] = ""
    elsewhere = "/home/dev/.claude/projects/-p/mine/tool-results/b1.txt"
    record["toolUseResult"] = {"stdout": "cut off", "stderr": "", "persistedOutputPath": elsewhere}
    stored = tmp_path / "mine" / "tool-results"
    stored.mkdir(parents=True)
    (stored / "b1.txt").write_text("all of it")
    assert answers(mended(saved(tmp_path, log.values)))["toolu_D"] == "all of it"
    (stored / "b1.txt").write_text("a long line of output\n" * 50_000)
    told = answers(mended(saved(tmp_path, log.values)))["toolu_D"]
    assert told.startswith("<persisted-output>\nOutput too large (1.0MB). Full output saved to: " + elsewhere)
    assert len(told) < 3000 and told.endswith("\n...\n</persisted-output>")
    # Only the session's own folder is read, whatever the path says.
    (tmp_path / "secret.txt").write_text("secret")
    record["toolUseResult"]["persistedOutputPath"] = "../../secret.txt"
    assert answers(mended(saved(tmp_path, log.values)))["toolu_D"] == "cut off"


@pytest.mark.parametrize("relinked", [True, False])
def test_an_unreached_result_of_a_lost_parallel_call_joins_the_history(tmp_path: Path, relinked: bool) -> None:
    log = Log(7.0)
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.says("a2", "m1", call("toolu_B"))
    log.result("r1", "a1", "toolu_A", "output A")
    log.result("r2", "a2", "toolu_B", "output B")
    log.says("a3", "m2", text("end"))
    values = [value for value in deepcopy(log.values) if value["uuid"] != "a1"]
    for value in values:
        if value["parentUuid"] == "a1" and (relinked or value["uuid"] == "a2"):
            value["parentUuid"] = "u1"
    found = saved(tmp_path, values)
    lost = problem(found, "result.unreached")
    assert lost.severity == "error" and lost.impact == "loses"
    again = mended(found)
    words = [block.text for message in again.conversation.transcript.messages for block in message.blocks]
    assert sum("output A" in said for said in words) == 1
    assert answers(again) == {"toolu_B": "output B"}
    assert [message.role for message in again.conversation.transcript.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]


def test_a_second_result_that_differs_off_the_chain_is_said(tmp_path: Path) -> None:
    log = Log(7.0)
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.says("a2", "m1", call("toolu_B"))
    log.result("r1", "a1", "toolu_A", "output A")
    log.result("again", "r1", "toolu_A", "another output")
    log.result("r2", "a2", "toolu_B", "output B")
    log.says("a3", "m2", text("end"))
    log.values[4]["toolUseResult"] = {"filePath": "f", "newString": "what stands nowhere else"}
    found = saved(tmp_path, log.values)
    lost = problem(found, "result.unreached")
    assert (lost.severity, lost.impact) == ("error", "loses") and "has another result there" in lost.text
    before = found.conversation.verdict
    assert (before.outputs_seen, before.outputs_total) == (2, 3) and before.badge == "RESUMES, LOSES 1 OUTPUT"
    found.stage_recommended()
    assert found.conversation.verdict.outputs_seen == found.conversation.verdict.outputs_total == 3
    assert b"what stands nowhere else" in b"".join(found.conversation.document.aside)
    after = saved(tmp_path, [json.loads(line) for line in found.to_bytes().splitlines()])
    words = [block.text for message in after.conversation.transcript.messages for block in message.blocks]
    assert sum("another output" in said for said in words) == 1
    assert answers(after) == {"toolu_A": "output A", "toolu_B": "output B"}
    log.values[4]["message"]["content"][0]["content"] = "output A"
    assert not [one for one in saved(tmp_path, log.values).problems if one.severity == "error"]


def test_placeholders_of_agents_are_recognised() -> None:
    for said in (
        INTERRUPTED,
        "[Tool result missing due to internal error]",
        "<tool_use_error>Error: this call did not run. It came with no tool_use id, or with another.</tool_use_error>",
        "Tool execution result was not recorded — likely interrupted by network failure.",
    ):
        assert is_placeholder_text(said), said
    for said in (
        "User rejected tool use",
        "[Request interrupted by user for tool use]",
        "<tool_use_error>File has not been read yet.</tool_use_error>",
        "aborted by user after 3 of 4 tests, see log",
    ):
        assert not is_placeholder_text(said), said
