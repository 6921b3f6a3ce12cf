"""A response whose parts are apart in the chain: they are brought together by one fix."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.claude_code_files import Log, call, text
from toolpair.dialects.block_texts import result_text
from toolpair.recipes import RECIPES
from toolpair.session.session import Session, open_session


def opened(values: list[Any]) -> Session:
    return open_session("session.jsonl", data="".join(json.dumps(value) + "\n" for value in values).encode())


def errors(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def mended_once(session: Session) -> Session:
    """The fixed session, read again; a second run changes nothing."""
    session.stage_recommended()
    data = session.to_bytes()
    again = open_session("session.jsonl", data=data)
    assert errors(again) == []
    assert again.stage_recommended() is None and again.to_bytes() == data
    return again


def copied_response(link: str | None) -> list[Any]:
    """Two parallel calls; the second also has a copy under another message id, and its link is broken."""
    log = Log(step=10)
    log.user("u1", "two things", promptId="p")
    log.says("a1", "msg_1", text("Two."))
    log.says("a2", "msg_1", call("toolu_A"))
    log.says("b1", "msg_copy", call("toolu_B"), parent="a2")
    log.result("r2", "b1", "toolu_B", "output B", promptId="p")
    log.says("a3", "msg_1", call("toolu_B"), parent=link)
    log.result("r1", "a2", "toolu_A", "output A", promptId="p")
    log.says("a4", "msg_2", text("Done."), parent="a3")
    return log.values


def test_a_response_copied_into_another_with_a_lost_link_is_fixed_for_good() -> None:
    for link in (None, "lost"):
        session = opened(copied_response(link))
        assert errors(session)
        again = mended_once(session)
        told = [result_text(block) for message in again.conversation.transcript.messages for block in message.results]
        assert {"output A", "output B"} <= set(told)
        assert again.conversation.verdict.outputs_seen == again.conversation.verdict.outputs_total


def parted(tail: bool) -> list[Any]:
    """The links lead from the first part of a response through another response to its second part."""
    log = Log()
    log.user("u1", "two things", promptId="p")
    log.says("a1", "msg_1", call("toolu_A"))
    log.says("b1", "msg_2", call("toolu_B"))
    log.result("rb", "b1", "toolu_B", "output B", promptId="p")
    log.says("a2", "msg_1", call("toolu_C"))
    log.result("rc", "a2", "toolu_C", "output C", promptId="p")
    if tail:
        log.says("z", "msg_3", text("Done."))
    log.result("ra", "a1", "toolu_A", "output A", parent="rc" if not tail else "a1", promptId="p")
    if tail:
        log.values[-1], log.values[-2] = log.values[-2], log.values[-1]
    return log.values


def test_results_after_another_response_move_after_their_calls() -> None:
    for tail in (True, False):
        session = opened(parted(tail))
        assert "result.not_adjacent" in errors(session)
        again = mended_once(session)
        seen = again.conversation.judged.seen
        assert seen is not None
        order = [part.value.get("id") for message in seen.messages for part in message.parts if "id" in part.value]
        assert order == ["toolu_A", "toolu_C", "toolu_B"]
        assert again.conversation.verdict.outputs_seen == 3


def test_a_result_under_another_id_on_another_branch_is_not_lost_there() -> None:
    log = Log()
    log.user("u1", "begin")
    log.says("a1", "msg_1", text("Which way?"))
    log.user("l1", "left", parent="a1")
    log.says("l2", "msg_2", call("toolu_01Left"))
    log.result("l3", "l2", "toolu:01Left", "left output")
    log.user("r1", "right", parent="a1")
    log.says("r2", "msg_3", text("Right."))
    assert not opened(log.values).problems
    # Without the record of its call, nothing leads to it.
    alone = [value for value in log.values if value["uuid"] != "l2"]
    assert [problem.rule for problem in opened(alone).problems] == ["result.unreached"]


@pytest.mark.parametrize("link", [None, "lost", "b1"])
def test_any_kind_of_id_is_brought_together(link: str | None) -> None:
    values = copied_response(link)
    values[2]["message"]["content"][0]["id"] = ["toolu_A"]
    values[6]["message"]["content"][0]["tool_use_id"] = {"id": "toolu_A"}
    for recipe in RECIPES.values():
        session = opened(values)
        session.stage_recipe(recipe.name)
        assert open_session("session.jsonl", data=session.to_bytes()).format is session.format
