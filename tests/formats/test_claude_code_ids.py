"""Ids that a gateway reuses: told apart by the agent's links, and renamed everywhere."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.claude_code_files import Log, call, session, text
from tests.rounds import tries
from toolpair.dialects.block_texts import arguments, result_text
from toolpair.session.session import Session, open_session


def opened(values: list[Any]) -> Session:
    data = b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)
    return open_session("mine.jsonl", data=data)


def asks(id_: str, number: int) -> dict[str, Any]:
    return {**call(id_), "input": {"command": f"do {number}"}}


def mended(session: Session) -> Session:
    session.stage_recommended()
    again = open_session("mine.jsonl", data=session.to_bytes())
    assert not [problem.rule for problem in again.problems if problem.severity == "error"]
    return again


def answered(session: Session) -> dict[str, list[str]]:
    """Command -> outputs of its call."""
    return {
        arguments(pair.call)["command"]: [result_text(result) for result in pair.results]
        for pair in session.conversation.pairs
        if pair.call is not None
    }


def unique(session: Session) -> bool:
    ids = [pair.call.id for pair in session.conversation.pairs if pair.call is not None]
    return len(set(ids)) == len(ids)


def in_one_turn(order: list[int]) -> Log:
    log = Log(7.0)
    log.user("u1", "go")
    for number in range(3):
        log.says(f"a{number}", "m", asks("call_0", number))
    for number in order:
        log.result(f"r{number}", f"a{number}", "call_0", f"out {number}")
    log.says("e", "end", text("done"))
    return log


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_one_id_in_one_turn_whichever_call_finished_first(order: list[int]) -> None:
    found = opened(in_one_turn(order).values)
    shared = next(problem for problem in found.problems if problem.rule == "call.duplicate_id")
    assert shared.cause is not None
    assert ("taken for the first call's" in shared.cause.evidence) == (order[0] != 0)
    again = mended(found)
    assert unique(again) and answered(again) == {f"do {number}": [f"out {number}"] for number in range(3)}


def late(links: bool) -> Log:
    log = Log(7.0)
    log.user("u1", "go")
    log.says("a0", "m0", asks("call_0", 0))
    log.says("a1", "m1", asks("call_0", 1))
    log.user("u2", "and?")
    log.result("r0", "a0", "call_0", "out 0", parent="u2")
    log.result("r1", "a1", "call_0", "out 1", parent="r0")
    log.says("e", "m2", text("end"))
    if not links:
        for value in log.values:
            value.pop("sourceToolAssistantUUID", None)
    return log


def test_late_results_go_to_the_calls_that_they_link_to() -> None:
    again = mended(opened(late(links=True).values))
    assert unique(again) and answered(again) == {"do 0": ["out 0"], "do 1": ["out 1"]}


def test_late_results_without_links_are_a_guess() -> None:
    found = opened(late(links=False).values)
    guesses = {problem.rule for problem in found.problems if problem.guess}
    assert guesses == {"call.reused_id", "result.not_adjacent"}
    for problem in found.problems:
        if problem.guess:
            assert any(not fix.certain for fix in problem.fixes)
    before = found.to_bytes()
    assert found.stage_recommended() is None and found.to_bytes() == before, "nothing is decided by place alone"


def test_copies_of_a_shared_id_are_renamed_if_they_link_to_renamed_records() -> None:
    log = Log(7.0)
    log.user("u1", "go")
    for number in range(2):
        log.says(f"a{number}", f"m{number}", asks("call_0", number))
        log.record("attachment", f"t{number}", attachment={"type": "hook_success", "toolUseID": "call_0"})
        report = {"type": "bash_progress", "output": "x"}
        log.record("progress", f"p{number}", parentToolUseID="call_0", toolUseID="bash-progress-0", data=report)
        log.result(f"r{number}", f"a{number}", "call_0", f"out {number}")
    log.says("e", "end", text("done"))
    again = mended(opened(log.values))
    values = {record.value["uuid"]: record.value for record in again.conversation.document.records}
    new = values["a1"]["message"]["content"][0]["id"]
    assert new != "call_0" and values["r1"]["message"]["content"][0]["tool_use_id"] == new
    assert values["t1"]["attachment"]["toolUseID"] == values["p1"]["parentToolUseID"] == new
    assert values["p1"]["toolUseID"] == "bash-progress-0"
    assert values["t0"]["attachment"]["toolUseID"] == values["p0"]["parentToolUseID"] == "call_0"


def test_a_renamed_id_is_renamed_everywhere_in_the_file() -> None:
    log = session()
    notice = "<task-notification>\n<tool-use-id>toolu.D</tool-use-id>\n<status>completed</status>\n</task-notification>"
    log.user("u5", notice)
    log.user("u6", "the skill", isMeta=True, sourceToolUseID="toolu.D")
    log.record("system", "s1", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["toolu.D"]})
    log.note("queue-operation", operation="enqueue", content=notice)
    log.note("content-replacement", replacements=[{"toolUseId": "toolu.D"}])
    log.note(
        "api-request-blob", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu.D"}]}
    )
    values = json.loads(json.dumps(log.values).replace("echo toolu_D", "ls").replace("toolu_D", "toolu.D"))
    found = opened(values)
    before = found.conversation.document.records
    again = mended(found)
    after = again.conversation.document.records
    # The copy of a request is named by its hash and so stays.
    assert [record.body for record in after if b"toolu.D" in record.body] == [before[-1].body]
    assert sum(a.body != b.body for a, b in zip(before, after, strict=True)) == 8


def test_a_lost_result_is_found_under_the_renamed_id() -> None:
    log = session()
    gone = next(value for value in log.values if value.get("uuid") == "r4")
    values = [deepcopy(value) for value in log.values if value is not gone]
    part = {"type": "tool_result", "tool_use_id": "toolu.D", "content": "output D"}
    values.append({"type": "api-request-blob", "hash": "h", "message": {"role": "user", "content": [part]}})
    again = mended(opened(json.loads(json.dumps(values).replace("toolu_D", "toolu.D"))))
    assert ["output D"] in answered(again).values()


def test_with_a_shared_id_the_lost_output_is_the_one_that_no_other_call_has() -> None:
    values = list(in_one_turn([0, 2]).values)
    for number in range(3):
        part = {"type": "tool_result", "tool_use_id": "call_0", "content": f"out {number}"}
        values.append({"type": "api-request-blob", "hash": "h", "message": {"role": "user", "content": [part]}})
    again = mended(opened(values))
    assert unique(again) and answered(again) == {f"do {number}": [f"out {number}"] for number in range(3)}
    # With two outputs lost, each may belong to either call, so nothing is decided.
    values = [*in_one_turn([0]).values, *values[-3:]]
    missing = [found for found in opened(values).problems if found.rule == "result.missing"]
    assert len(missing) == 2 and all(found.guess for found in missing)
    assert all(fix.certain is not fix.id.startswith("use-copy") for found in missing for fix in found.fixes)


def test_a_sub_agents_description_with_the_old_id_is_mentioned(tmp_path: Path) -> None:
    log = session()
    values = json.loads(json.dumps(log.values).replace("toolu_D", "toolu.D"))
    folder = tmp_path / "mine" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-7.meta.json").write_text('{"toolUseId":"toolu.D"}')
    (folder / "agent-8.meta.json").write_text('{"toolUseId":"toolu_A"}')
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in values))
    fix = next(problem for problem in open_session(path).problems if problem.rule == "id.pattern").fixes[0]
    assert fix.note is not None and "mine/subagents/agent-7.meta.json still has the old id" in fix.note


def test_results_off_the_chain_that_two_turns_swapped() -> None:
    log = session()
    log.says("b1", "msg_9", asks("toolu_X", 1))
    log.says("b2", "msg_9", asks("toolu_Y", 2))
    log.result("q1", "b1", "toolu_X", "output X")
    log.result("q2", "b2", "toolu_Y", "output Y")
    log.says("b3", "msg_10", text("end"))
    values = {value["uuid"]: value for value in log.values if value.get("uuid")}
    values["r1"]["message"], values["q1"]["message"] = values["q1"]["message"], values["r1"]["message"]
    found = opened(log.values)
    # The agent assigns the first to the turn it is linked to, and finds the second by its id.
    assert [problem.rule for problem in found.problems if problem.severity == "error"] == ["result.orphan"]
    again = mended(found)
    assert {"do 1": ["output X"], "echo toolu_A": ["output A"]}.items() <= answered(again).items()


@given(seed=st.integers(min_value=0, max_value=2**32))
@settings(max_examples=tries(60))
def test_every_call_gets_its_own_output_back(seed: int) -> None:
    """Whatever the gateway did with ids, and in whichever order the calls of a turn finished."""
    rng = random.Random(seed)
    log = Log(7.0)
    log.user("u", "go")
    number = 0
    for turn in range(rng.randrange(1, 6)):
        calls = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            log.says(f"a{number}", f"m{turn}", asks(f"call_{rng.randrange(2)}", number))
            calls.append((number, log.values[-1]["message"]["content"][0]["id"]))
            number += 1
        rng.shuffle(calls)
        for one, id_ in calls:
            log.result(f"r{one}", f"a{one}", id_, f"<out {one}>")
    log.says("e", "end", text("done"))
    again = mended(opened(log.values))
    assert unique(again) and answered(again) == {f"do {one}": [f"<out {one}>"] for one in range(number)}
