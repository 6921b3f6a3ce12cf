"""docker-agent's sessions: read from its database, checked, fixed, written back, and what it would send."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.docker_agent_databases import Json, calls, database_of, gives, items_of, message
from tests.formats.fixing import errors, errors_but_guesses, told
from tests.rounds import tries
from toolpair.session.session import Session, open_session

OTHER = [message("user", "<other> & elsewhere"), calls("a"), gives("a", "OUT-other"), message("assistant", "so")]


def asked(words: str = "go on") -> Json:
    return message("user", words)


def said(words: str = "done") -> Json:
    return message("assistant", words)


SOUND = [asked("begin <now>"), calls("a", "b"), gives("a", "OUT-a"), gives("b", "OUT-b"), said(), asked(), said()]
BROKEN: dict[str, list[Json]] = {
    "missing": [asked(), calls("a"), asked(), said()],
    "one of two missing": [asked(), calls("a", "b"), gives("a", "OUT-a"), asked(), said()],
    "missing at the end": [asked(), calls("a")],
    "orphan": [asked(), gives("x", "OUT-x"), said()],
    "orphan at the start": [gives("x", "OUT-x"), asked(), said()],
    "twice the same": [asked(), calls("a"), gives("a", "OUT-a"), gives("a", "OUT-a"), said()],
    "twice, different": [asked(), calls("a"), gives("a", "OUT-a"), gives("a", "OUT-b"), said()],
    "placeholder beside it": [asked(), calls("a"), gives("a", "No result provided"), gives("a", "OUT-a"), said()],
    "after the user": [asked(), calls("a"), asked(), gives("a", "OUT-a"), said()],
    "after the next response": [asked(), calls("a"), said(), gives("a", "OUT-a"), asked()],
    "after the next calls": [asked(), calls("a"), calls("b"), gives("b", "OUT-b"), gives("a", "OUT-a"), said()],
    "before its call": [asked(), gives("a", "OUT-a"), calls("a"), asked(), said()],
    "sanitised on one side": [asked(), calls("shell_1"), gives("shell.1", "OUT-a"), said()],
    "another id": [asked(), calls("call_1"), gives("toolu_9", "OUT-a"), said()],
    "in another order": [asked(), calls("a", "b"), gives("b", "OUT-b"), gives("a", "OUT-a"), said()],
    "id used again": [asked(), calls("a"), gives("a", "OUT-a"), calls("a"), asked(), said()],
    "two calls, one id": [asked(), calls("a", "a"), gives("a", "OUT-a"), gives("a", "OUT-b"), said()],
    "empty ids": [asked(), calls(""), gives("", "OUT-a"), said()],
    "no ids": [asked(), calls(None), gives(None, "OUT-a"), said()],
    "an id that is a number": [asked(), calls(7), gives(7, "OUT-a"), said()],
    "a reminder between": [asked(), calls("a"), {**asked("mind it"), "implicit": 1}, gives("a", "OUT-a"), said()],
    "a system message between": [asked(), calls("a"), message("system", "x"), gives("a", "OUT-a"), said()],
    "a summary between": [
        asked("of old"),
        calls("a"),
        {"item_type": "summary", "summary_text": "We began."},
        gives("a", "OUT-a"),
        said(),
    ],
    "kept from a result on": [
        asked("of old"),
        calls("a"),
        gives("a", "OUT-a"),
        said(),
        {"item_type": "summary", "summary_text": "We began.", "first_kept_entry": 2},
        asked(),
        said(),
    ],
    "broken behind a summary": [
        asked("of old"),
        said(),
        {"item_type": "summary", "summary_text": "We began.", "first_kept_entry": 1},
        calls("b"),
        asked(),
        said(),
    ],
    "a sub-session between": [
        asked(),
        calls("a"),
        {"item_type": "subsession", "subsession_id": "other"},
        asked(),
        gives("a", "OUT-a"),
        said(),
    ],
    "a kind that is not known": [asked(), {"item_type": "termination"}, calls("a"), asked(), said()],
    "a result without words": [asked(), calls("a"), gives("a", ""), asked(), said()],
    "a result that says nothing happened": [asked(), calls("a"), gives("a", "(tool execution failed)"), said()],
    "calls of a legacy kind": [
        asked(),
        message("assistant", "", function_call={"name": "shell", "arguments": "{}"}),
        asked(),
        said(),
    ],
    "a result that the user writes": [asked(), calls("a"), message("user", "OUT-a", tool_call_id="a"), said()],
}
GUESSES = {"another id"}
"""Where only a person can say what belongs together."""


@pytest.fixture(params=BROKEN)
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return database_of(tmp_path / "session.db", it=BROKEN[request.param], other=OTHER)


def opened(path: Path) -> Session:
    return open_session(f"{path}::it")


def outputs(path: Path) -> set[str]:
    text = " ".join(str(row) for row in items_of(path, "it"))
    return {f"OUT-{letter}" for letter in "abx" if f"OUT-{letter}" in text}


def test_a_sound_session_has_no_problem_and_stays_as_it_is(tmp_path: Path) -> None:
    path = database_of(tmp_path / "session.db", it=SOUND, other=OTHER)
    before = path.read_bytes()
    session = opened(path)
    assert not session.problems and session.format.id == "docker-agent"
    assert session.stage_recommended() is None
    assert path.read_bytes() == before


def test_every_defect_is_found_fixed_and_saved(broken: Path, request: pytest.FixtureRequest) -> None:
    others, real = items_of(broken, "other"), outputs(broken)
    session = opened(broken)
    sent_before = {out for out in real if out in told(session)}
    old = {row[0]: row for row in items_of(broken, "it")}
    guessed = any(problem.guess for problem in session.problems)
    assert guessed == (request.node.callspec.params["broken"] in GUESSES)
    session.stage_recommended()
    assert not errors_but_guesses(session), errors(session)
    if session.changed:
        session.save()
    after = opened(broken)
    assert not errors_but_guesses(after)
    assert items_of(broken, "other") == others
    assert {out for out in real if out in told(after)} >= sent_before
    if guessed:
        assert outputs(broken) == real
    else:
        assert real - {out for out in real if out in told(after)} == set() or _is_before_a_summary(broken)
    now = items_of(broken, "it")
    places = [row[2] for row in now]
    assert places == sorted(set(places)), "each row has a place of its own"
    for row in now:
        if row[0] in old and old[row[0]][5] == row[5]:
            assert row[3:] == old[row[0]][3:] or row[9] != old[row[0]][9]
    assert after.stage_recommended() is None, "a second run finds nothing"


def _is_before_a_summary(path: Path) -> bool:
    return any(row[3] == "summary" for row in items_of(path, "it"))


def test_each_fix_of_each_problem_applies_and_is_undone(broken: Path) -> None:
    for number in range(len(opened(broken).problems)):
        session = opened(broken)
        before = session.to_bytes()
        problem = session.problems[number]
        for fix in problem.fixes:
            session.stage(problem, fix)
            assert session.changed
            session.undo()
            assert session.to_bytes() == before


def test_a_random_mixture_loses_nothing(tmp_path: Path) -> None:
    for seed in range(tries(60, 16)):
        dice = random.Random(seed)
        path = database_of(tmp_path / f"{seed}.db", it=list(_mixed(dice)), other=OTHER)
        real, others = outputs(path), items_of(path, "other")
        session = opened(path)
        sent_before = {out for out in real if out in told(session)}
        guessed = any(problem.guess for problem in session.problems)
        session.stage_recommended()
        assert not errors_but_guesses(session), (seed, errors(session))
        if session.changed:
            session.save()
        again = opened(path)
        assert not errors_but_guesses(again) and again.stage_recommended() is None, seed
        # Where only a guess tells whose an output is, it stays where it is: docker-agent leaves it out as before.
        assert all(out in told(again) for out in (sent_before if guessed else real)), seed
        assert outputs(path) == real, seed
        assert items_of(path, "other") == others


def _mixed(dice: random.Random) -> Iterator[Json]:
    for _ in range(dice.randint(4, 14)):
        id_ = dice.choice("ab")
        yield dice.choice([asked(), said(), calls(id_), calls("a", "b"), gives(id_, f"OUT-{id_}"), gives("x", "OUT-x")])


@pytest.mark.parametrize(
    "text", ['{"role":"user","content":"x', '{"role":"user"}}', "", "nothing", '[{"role":"user"}]', '"text"', "7"]
)
def test_a_row_that_cannot_be_read_stops_it(tmp_path: Path, text: str) -> None:
    path = database_of(tmp_path / "session.db", it=[*SOUND[:5], {"message_json": text}, asked()], other=OTHER)
    session = opened(path)
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is not None
    if not text.startswith(("[", '"t', "7")):
        assert any(problem.rule.startswith("record.") and problem.impact == "stops" for problem in session.problems)
    others = items_of(path, "other")
    session.stage_recommended()
    if session.changed:
        session.save()
    assert items_of(path, "other") == others


def test_what_a_row_says_stays_byte_for_byte(tmp_path: Path) -> None:
    odd = (
        '{ "role" : "assistant" , "content":"\\u003cx\\u003e \\ud83d\\ude00", "n": 1.50e+2, "n":12345678901234567890,'
        ' "tool_calls":[{"id":"a.1","type":"function","function":{"name":"shell","arguments":"{}"} }] }'
    )
    answer = '{"role":"tool" ,"tool_call_id":"a_1","content":"OUT-a",\n "x":0.10}'
    path = database_of(
        tmp_path / "session.db",
        it=[asked(), {"message_json": odd}, {"message_json": answer}, said()],
        other=OTHER,
    )
    session = opened(path)
    assert errors(session) == ["result.id_mismatch"]
    session.stage_recommended()
    session.save()
    texts = [row[5] for row in items_of(path, "it")]
    assert odd in texts
    assert '{"role":"tool" ,"tool_call_id":"a.1","content":"OUT-a",\n "x":0.10}' in texts


def test_a_kept_entry_moves_with_what_is_removed_before_it(tmp_path: Path) -> None:
    path = database_of(tmp_path / "session.db", it=BROKEN["kept from a result on"], other=OTHER)
    session = opened(path)
    problem = next(problem for problem in session.problems if problem.severity == "error")
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "drop"))
    session.save()
    (summary,) = (row for row in items_of(path, "it") if row[3] == "summary")
    assert summary[9] == 2, "the row behind the one that was removed"
    assert not errors(opened(path))


def test_a_sub_session_is_a_session_of_its_own(tmp_path: Path) -> None:
    path = database_of(tmp_path / "session.db", it=BROKEN["a sub-session between"], other=BROKEN["missing"])
    with closing(sqlite3.connect(path)) as opened_:
        opened_.execute("UPDATE sessions SET parent_id = 'it' WHERE id = 'other'")
        opened_.commit()
    assert errors(open_session(path)) == ["result.not_adjacent"], "the only one that is not another's"
    assert errors(open_session(f"{path}::other")) == ["result.missing"]


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("openai/gpt-5", "openai-chat"),
        ("anthropic/claude-sonnet-5", "anthropic"),
        ("claude-sonnet-4-20250514", "anthropic"),
        ("google/gemini-3-pro", "gemini"),
        ("amazon-bedrock/anthropic.claude", "bedrock-converse"),
        (None, "openai-chat"),
    ],
)
def test_it_is_checked_against_the_provider_of_its_model(tmp_path: Path, model: Any, profile: str) -> None:
    fields = {} if model is None else {"model": model}
    path = database_of(tmp_path / "session.db", it=[asked(), message("assistant", "yes", **fields)], other=OTHER)
    assert opened(path).profile.id == profile


def test_rows_as_lines_are_the_same_session(broken: Path) -> None:
    session = opened(broken)
    lines = broken.with_suffix(".jsonl")
    lines.write_bytes(session.to_bytes())
    read = open_session(lines)
    assert read.format.id == "docker-agent"
    assert [problem.rule for problem in read.problems] == [problem.rule for problem in session.problems]
    read.stage_recommended()
    session.stage_recommended()
    assert read.to_bytes() == session.to_bytes()
