"""Lost links in Claude Code files with several faults: what each link meant, and that fixing them all takes linear
time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.formats.claude_code_files import Log, call, text
from tests.formats.test_claude_code_chain import at, errors, long_session, opened, said
from tests.rounds import some
from tests.work import work_of
from toolpair.dialects.block_texts import result_text
from toolpair.session.session import Session, open_session

Values = list[Any]


def outputs(session: Session) -> list[str]:
    return [result_text(block) for message in session.conversation.transcript.messages for block in message.results]


def interleaved() -> Values:
    """Two prompts answered at the same time from one turn on; the conversation continues from the second."""
    log = long_session()
    log.user("b1", "left", parent="a9", promptId="left")
    log.user("c1", "right", parent="a9", promptId="right")
    log.says("b2", "mb", call("toolu_L"), parent="b1")
    log.says("c2", "mc", call("toolu_R"), parent="c1")
    log.result("b3", "b2", "toolu_L", "left output", promptId="left")
    log.result("c3", "c2", "toolu_R", "right output", promptId="right")
    log.says("b4", "mb2", text("left done"), parent="b3")
    log.says("c4", "mc2", text("right"), parent="c3")
    log.says("c5", "mc3", call("toolu_S"))
    log.result("c6", "c5", "toolu_S", "last output", promptId="right")
    return log.values


def test_a_lost_link_goes_to_the_branch_of_its_prompt() -> None:
    whole = outputs(opened(interleaved()))
    assert whole[-2:] == ["right output", "last output"] and "left output" not in whole
    for uuid in ("c4", "c3"):
        values = interleaved()
        values[at(values, uuid)]["parentUuid"] = "lost"
        session = opened(values)
        assert "chain.missing_parent" in errors(session)
        session.stage_recommended()
        assert outputs(session) == whole and not errors(session)


def test_a_note_on_where_the_conversation_ended_names_the_branch_if_nothing_follows_it() -> None:
    log = long_session()
    log.user("b1", "left", parent="a6")
    log.says("b2", "mb", text("left done"))
    log.note("last-prompt", lastPrompt="second", leafUuid="a9")
    log.says("c1", "mc", text("right"), parent="lost")
    session = opened(log.values)
    session.stage_recommended()
    assert "left" not in str(said(session)) and said(session)[-1][1] == ["right"] and not errors(session)
    behind = [value for value in log.values if value["type"] != "last-prompt"]
    session = opened(behind)
    session.stage_recommended()
    assert "left done" in str(said(session))


def test_what_the_last_prompt_hides_is_linked_to_the_record_it_names() -> None:
    log = long_session()
    log.user("u3", "third")
    log.says("p1", "mp", call("toolu_P"))
    log.says("p2", "mp", call("toolu_Q"))
    log.result("q1", "p1", "toolu_P", "output P")
    log.result("q2", "p2", "toolu_Q", "output Q")
    log.says("p3", "mp2", text("both"), parent="q2")
    values = deepcopy(log.values)
    values[at(values, "q2")]["parentUuid"] = "lost"
    values.append({"type": "last-prompt", "leafUuid": "q1", "sessionId": values[0]["sessionId"]})
    session = opened(values)
    session.stage_recommended()
    assert outputs(session)[-2:] == ["output P", "output Q"] and "both" in str(said(session)) and not errors(session)


def test_a_link_may_need_another_fix_after_a_duplicate_uuid_is_fixed() -> None:
    values = deepcopy(long_session().values)
    result = values[at(values, "r8")]
    copy = {**deepcopy(result), "uuid": "r8-again", "parentUuid": "a8"}
    result["uuid"] = "a8"
    values.insert(values.index(result) + 1, copy)
    session = opened(values)
    session.stage_recommended()
    assert not errors(session) and "output E" in str(outputs(session))
    assert session.stage_recommended() is None


def test_a_cycle_through_a_lost_link_is_broken_where_it_leads_forward() -> None:
    values = deepcopy(long_session().values)
    whole = outputs(opened(values))
    values[at(values, "a7")]["parentUuid"] = "a9"
    values[at(values, "a9")]["parentUuid"] = "lost"
    session = opened(values)
    session.stage_recommended()
    assert outputs(session) == whole and not errors(session)


def test_a_result_at_the_end_without_a_link_does_not_hide_what_followed_its_call() -> None:
    values = deepcopy(long_session().values)
    whole = outputs(opened(values))
    moved = values.pop(at(values, "r2"))
    values[at(values, "a3")]["parentUuid"] = "a2"
    moved["parentUuid"] = "lost"
    values.append(moved)
    session = opened(values)
    session.stage_recommended()
    assert sorted(outputs(session)) == sorted(whole) and not errors(session)


def test_swapped_results_of_two_turns_go_where_their_ids_say() -> None:
    """As measured: the later call gets its own output, which comes before it; the earlier one gets an error."""
    values = deepcopy(long_session().values)
    first, second = (values[at(values, uuid)]["message"]["content"][0] for uuid in ("r7", "r8"))
    for key in ("tool_use_id", "content"):
        first[key], second[key] = second[key], first[key]
    session = opened(values)
    seen = session.conversation.judged.seen
    assert seen is not None
    sent = {
        part.value["tool_use_id"]: part.value["content"]
        for message in seen.messages
        for part in message.parts
        if isinstance(part.value, dict) and part.value.get("type") == "tool_result"
    }
    assert sent["toolu_E"] == "output E" and "missing" in sent["toolu_D"]
    session.stage_recommended()
    assert outputs(session)[-2:] == ["output D", "output E"]


def test_a_report_without_a_parent_does_not_end_the_conversation() -> None:
    log = long_session()
    whole = outputs(opened(log.values))
    log.record("attachment", "late", "lost", attachment={"type": "total_tokens_reminder"})
    session = opened(log.values)
    assert outputs(session) == whole and not errors(session)


def test_a_lone_surrogate_in_the_second_of_two_prompts_is_replaced() -> None:
    log = long_session()
    log.user("u3", "one")
    log.user("u4", "two \ud83d")
    session = opened(log.values)
    assert errors(session) == ["record.lone_surrogate"]
    session.stage_recommended()
    assert not errors(session) and "two \ufffd" in str(said(session)) and "one" in str(said(session))


def turns(count: int) -> Values:
    log = Log(0)
    log.user("u", "go")
    for number in range(count):
        log.says(f"a{number}", f"m{number}", call(f"toolu_{number}"))
        log.result(f"r{number}", f"a{number}", f"toolu_{number}", f"output {number}")
    for number, value in enumerate(log.values):
        minutes, seconds = divmod(number * 7, 60)
        value["timestamp"] = f"2026-11-21T{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}.000Z"
    return log.values


def lines_lost(values: Values) -> Values:
    return [value for number, value in enumerate(values) if number % 10 != 5]


def links_lost(values: Values) -> Values:
    for value in values[5::10]:
        value["parentUuid"] = "lost-" + value["uuid"]
    return values


def uuids_doubled(values: Values) -> Values:
    for number in range(7, len(values), 10):
        values[number]["uuid"] = values[number - 2]["uuid"]
    return values


@pytest.mark.parametrize("break_", some([lines_lost, links_lost, uuids_doubled], 1))
def test_ten_times_the_lost_links_cost_ten_times_the_work(break_: Callable[[Values], Values]) -> None:
    def mend(count: int) -> int:
        values = break_(turns(count))

        def run() -> None:
            session = opened(values)
            session.stage_recommended()
            assert not errors(session)

        return work_of(run)

    assert mend(150) < 12 * mend(15)


@pytest.mark.parametrize("odd", [{"a": 1}, [1], 7, "", None])
@pytest.mark.parametrize("key", ["uuid", "parentUuid", "sourceToolAssistantUUID", "promptId", "compactMetadata"])
def test_odd_values_instead_of_names_do_no_harm(key: str, odd: Any) -> None:
    whole = interleaved()
    for uuid in ("c3", "a8"):
        values = deepcopy(whole)
        values[at(values, uuid)][key] = odd
        lines = [json.dumps(value).encode() for value in values]
        number = at(whole, uuid)
        glued = [*lines[:number], lines[number] + lines[number + 1], *lines[number + 2 :]]
        for data in (b"\n".join(lines), b"\n".join(glued)):
            session = open_session("session.jsonl", data=data + b"\n")
            session.stage_recommended()
            assert session.conversation.verdict.sentence and session.conversation.judged.seen is not None
