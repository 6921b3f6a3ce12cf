"""Whatever is asked of a long conversation, and done to it, comes out as with the whole one."""

from __future__ import annotations

import json
import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
import toolpair.session.opening
from tests.formats.claude_code_files import Log, call
from tests.history.asking import assert_same
from tests.history.opening import SIZES, both, judged_by
from tests.history.sessions import session as claude_code
from tests.history.test_lists import broken
from tests.history.unlit import unlit
from tests.rounds import tries
from toolpair.formats import get_format
from toolpair.history.conversation import Conversation
from toolpair.session.carrying_out import preview
from toolpair.session.session import Session, open_session

SEEDS = st.integers(min_value=0, max_value=2**32)
SOME = settings(derandomize=True, max_examples=tries(8, 2), suppress_health_check=list(HealthCheck))
FORMATS = ("anthropic", "openai-chat", "claude-code")
UNLIT = ("anthropic without a light", "openai-chat without a light")
RECIPES = ("recommended", "roo-code", "roo-code-reorder")


def content(rng: random.Random, messages: list[Any], form: str) -> bytes:
    lines = [json.dumps(message).encode() for message in messages]
    if form == "twice":
        at = rng.randrange(len(lines))
        lines[at] = lines[at][:-1] + b', "x": 1, "x": 2}'
    if form == "odd":
        lines[rng.randrange(len(lines))] = rng.choice([b"[1,2]", b"null", b"3"])
    if form == "request":
        tools = json.dumps([{"name": "Read"}, {"function": {"name": "Bash"}}]).encode()
        return b'{"model": "m", "tools": ' + tools + b', "messages": [' + b",\n".join(lines) + b'], "x": 1}\n'
    end = b"\r\n" if form == "crlf" else b"\n"
    body = b"".join(line + end + (end if form == "blank" and rng.random() < 0.2 else b"") for line in lines)
    return body[: -len(end)] if form == "unended" else body


def opened(kind: str, seed: int) -> tuple[Session, Session, int, int] | None:
    rng = random.Random(seed)
    like = kind.split(maxsplit=1)[0]
    messages = claude_code(seed) if kind == "claude-code" else broken(seed, like)
    forms = ["lines", "crlf", "blank", "unended", "twice"] + ["odd", "request"] * (kind != "claude-code")
    least = rng.choice([4, *SIZES])
    if not messages:
        return None
    found = get_format(like) if kind == like else unlit(like)
    with patch.object(toolpair.session.opening, "get_format", lambda id_: found):
        whole, long = both(content(rng, messages, rng.choice(forms)), like, None, least)
    if not long.conversation.fixes_are_local:
        return None
    return whole, long, len(whole.conversation.document.records), least


@pytest.mark.parametrize("kind", FORMATS + UNLIT)
@given(seed=SEEDS)
@SOME
def test_whatever_is_done_it_answers_as_the_whole_does(kind: str, seed: int) -> None:
    made = opened(kind, seed)
    if made is None:
        return
    whole, long, records, least = made
    rng = random.Random(seed)
    before = whole.to_bytes()
    with judged_by(least):
        assert_same(whole, long, records, rng)
        for _ in range(3):
            act(whole, long, rng)
            assert_same(whole, long, records, rng)
        while whole.staged:
            whole.undo()
            long.undo()
        assert_same(whole, long, records, rng)
    assert long.to_bytes() == before


def act(whole: Session, long: Session, rng: random.Random) -> None:
    """One thing that a user may do, to both."""
    number, share = rng.randrange(1 << 20), rng.random()
    recipe, profile = rng.choice(RECIPES), rng.choice(["anthropic", "openai-chat", "anthropic"])
    for session in (whole, long):
        fixable = [problem for problem in session.problems if problem.fixes]
        if share < 0.5 and fixable:
            problem = fixable[number % len(fixable)]
            fix = problem.fixes[number % len(problem.fixes)]
            assert isinstance(preview(session.conversation, fix), list)
            session.stage(problem, fix)
        elif share < 0.6 and session.conversation.groups:
            session.stage_group(session.conversation.groups[number % len(session.conversation.groups)])
        elif share < 0.7:
            session.stage_recipe(recipe)
        elif share < 0.8:
            session.set_profile(profile)
        elif share < 0.9 and session.staged:
            session.staging.unstage(session.staged[number % len(session.staged)])
        else:
            session.undo()
            session.redo()


def test_what_was_previewed_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = history(3)
    del messages[4]
    session = open_session("list.json", data=json.dumps(messages).encode())
    problem = next(one for one in session.problems if one.recommended is not None)
    fix = problem.recommended
    assert fix is not None and preview(session.conversation, fix)
    monkeypatch.setattr(Conversation, "apply", lambda *_: pytest.fail("applied twice"))
    assert session.stage(problem, fix) is not None and session.changed


def exchange(number: int, told: str = "done") -> list[dict[str, Any]]:
    used = {"type": "tool_use", "id": f"toolu_{number:03d}", "name": "Read", "input": {"n": number}}
    given_back = {"type": "tool_result", "tool_use_id": f"toolu_{number:03d}", "content": f"{told} {number}"}
    return [{"role": "assistant", "content": [used]}, {"role": "user", "content": [given_back]}]


def history(exchanges: int) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": "begin"}]
    for number in range(exchanges):
        messages += exchange(number)
    return messages


def written(messages: list[Any]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def test_looking_by_another_profile_and_back_changes_nothing() -> None:
    messages = history(12)
    messages[8]["content"][0]["tool_use_id"] = "toolu_lost"
    whole, long = both(written(messages), "anthropic", None, 4)
    assert long.conversation.fixes_are_local
    with judged_by(4):
        for session in (whole, long):
            session.set_profile("vertex-anthropic")
            assert not session.changed
            session.set_profile("openai-chat")
            session.set_profile("anthropic")
            assert not session.changed
            session.stage_recommended()
            session.set_profile("vertex-anthropic")
        assert_same(whole, long, len(messages), random.Random(1))
        long.undo()
        assert not long.changed


def test_an_error_text_leads_to_the_pair_with_the_id_that_it_names() -> None:
    messages = history(12)
    _, long = both(written(messages), "anthropic", None, 4)

    found = long.find("`tool_use` ids were found without `tool_result` blocks immediately after: toolu_007.")

    assert found is not None
    assert (found.pair, found.message) == (7, 15)


def test_problems_of_no_message_come_first() -> None:
    messages = history(12)
    messages[4]["content"][0]["tool_use_id"] = "toolu_lost"
    lines = written(messages).splitlines(keepends=True)
    lines[20] = lines[20][:-2] + b', "x": 1, "x": 2}\n'
    whole, long = both(b"".join(lines), "anthropic", None, 2)

    assert long.conversation.fixes_are_local
    assert [problem.rule for problem in long.problems] == [problem.rule for problem in whole.problems]
    assert long.problems[0].rule == "record.duplicate_key"


def test_what_cannot_be_read_is_counted() -> None:
    messages = history(12)
    lines = written(messages).splitlines(keepends=True)
    lines.insert(9, b"[1, 2]\n")
    _, long = both(b"".join(lines), "anthropic", None, 2)

    assert long.conversation.fixes_are_local
    assert long.conversation.damaged == 1


def test_a_list_that_holds_tuples_is_judged_as_what_is_sent() -> None:
    messages: list[Any] = history(40)
    messages[31]["content"] = tuple(messages[31]["content"])
    messages[32]["content"] = tuple(messages[32]["content"])
    assert toolpair.check(messages).problems == ()

    messages[32] = (1, 2)
    said = [problem.text for problem in toolpair.check(messages).problems]
    assert "This list element is not a message but a list, so the request is refused." in said


def test_an_answer_at_the_end_tells_of_what_stands_before() -> None:
    """What Claude Code does to a broken pair hangs on whether the session ends with results."""
    log = Log()
    log.user("u", "begin")
    for number in range(8):
        log.says(f"a{number}", f"m{number}", call(f"toolu_{number}"))
        log.result(f"r{number}", f"a{number}", "toolu_x" if number == 2 else f"toolu_{number}", f"out {number}")
    log.says("a8", "m8", call("toolu_8"), call("toolu_9"))
    data = written(log.values)
    whole, long = both(data, "claude-code", None, 1)
    assert long.conversation.fixes_are_local
    with judged_by(1):
        for session in (whole, long):
            last = [problem for problem in session.problems if problem.rule == "turn.trailing_call"]
            session.stage(last[0])
        assert_same(whole, long, len(log.values), random.Random(2))


def compacted() -> Log:
    """A session of which a compaction replaced the first half."""
    log = Log()
    log.user("u", "begin")
    for number in range(16):
        if number == 8:
            log.record("system", "c", None, subtype="compact_boundary", logicalParentUuid=log.last)
            log.user("y", "The summary.", isCompactSummary=True)
        log.says(f"a{number}", f"m{number}", call(f"toolu_{number:02d}"))
        log.result(f"r{number}", f"a{number}", f"toolu_{number:02d}", f"output {number}")
        log.says(f"d{number}", f"n{number}", {"type": "text", "text": "Done."})
        log.user(f"u{number}", "go on")
    return log


def test_what_a_compaction_replaced_can_be_asked_for() -> None:
    log = compacted()
    whole, long = both(written(log.values), "claude-code", None, 1)
    assert long.conversation.fixes_are_local
    assert long.conversation.reading.past > 0

    target = long.find("toolu_02")

    assert target is not None
    assert target.text == "The id toolu_02 stands on line 10, on a branch that is not sent."
    assert_same(whole, long, len(log.values), random.Random(3))


def test_bad_bytes_are_told_of_although_a_compaction_replaced_them() -> None:
    data = written(compacted().values).replace(b"output 2", b"output \xff")
    whole, long = both(data, "claude-code", None, 1)

    assert [problem.rule for problem in long.problems] == ["record.bad_utf8"]
    assert [problem.rule for problem in whole.problems] == ["record.bad_utf8"]


def test_dropping_the_thinking_behind_is_done_for_one_problem_after_the_other() -> None:
    messages = history(16)
    for at in (5, 9, 21, 27):
        messages[at]["content"].insert(0, {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
    for at in (4, 8):
        messages[at]["content"].insert(0, {"type": "text", "text": "wait"})
    whole, long = both(written(messages), "anthropic", None, 1)
    assert long.conversation.fixes_are_local

    def pick(problem: Any) -> Any:
        return next((fix for fix in problem.fixes if fix.id.endswith("+drop-thinking")), None)

    rows = [session.stage_where(pick) for session in (whole, long)]

    assert rows[0] is not None and rows[1] is not None
    assert (rows[0].title, rows[0].count) == (rows[1].title, rows[1].count)
    assert long.to_bytes() == whole.to_bytes()


def test_which_of_two_equal_images_is_gone_does_not_hang_on_how_it_is_read() -> None:
    messages = history(12)
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    for at in (6, 20):
        messages[at]["content"][0]["content"] = [{"type": "text", "text": "seen"}, image]
    messages[6]["content"][0]["is_error"] = True
    whole, long = both(written(messages), "anthropic", None, 2)
    assert long.conversation.fixes_are_local
    with judged_by(2):
        for session in (whole, long):
            problem = session.problems[0]
            session.stage(problem, next(fix for fix in problem.fixes if fix.id == "text-only"))
            session.set_profile("anthropic")
    assert (
        [lost.record for lost in whole.staging.losses.images]
        == [lost.record for lost in long.staging.losses.images]
        == [6]
    )
