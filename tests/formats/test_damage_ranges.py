"""Consecutive lines with the same damage are one problem with a range and one fix, however many they are."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.history.opening import judged_by
from tests.hostile.sessions import anthropic, chat, claude_code, codex
from tests.rounds import ROUNDS, some, tries
from tests.source.test_floods import small
from toolpair.session.saving import set_aside
from toolpair.session.session import Problem, Session, open_session

SESSIONS = {
    "claude-code": claude_code,
    "codex": codex,
    "anthropic": lambda: anthropic()["messages"],
    "openai-chat": chat,
}
ALIKE: dict[str, list[bytes]] = {
    "words": [b"x", b"hello", b"}"],
    "torn": [b'{"a":', b'{"b"'],
    "bad": [b"{x}", b"{]}"],
    "nul": [b"\0\0"],
    "number": [b"7"],
    "null": [b"null"],
}


def lines_of(name: str) -> list[bytes]:
    return [json.dumps(record).encode() for record in SESSIONS[name]()]


def opened(name: str, lines: list[bytes], **how: Any) -> Session:
    return open_session("x.jsonl", data=b"\n".join(lines) + b"\n", format=name, **how)


def of_damage(session: Session) -> list[Problem]:
    return [problem for problem in session.problems if problem.rule.startswith("record.")]


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.parametrize("kind", ["words", "torn", "bad", "nul"])
@pytest.mark.parametrize("count", some([1, 2, 50, 2500, *([30_000] if ROUNDS else [])], 32))
def test_one_problem_with_a_range(name: str, kind: str, count: int) -> None:
    lines = lines_of(name)
    at = 2
    damaged = (ALIKE[kind] * count)[:count]
    session = opened(name, [*lines[:at], *damaged, *lines[at:]])
    (problem,) = of_damage(session)
    place = session.location(problem)
    assert (place.line, place.end_line, place.record) == (at + 1, at + count, at)
    data = session.to_bytes()
    assert place.bytes is not None and data[slice(*place.bytes)] == b"\n".join(damaged)
    assert session.conversation.damaged == count and session.conversation.counts.records == len(lines) + count
    words = f"Lines {at + 1:,} to {at + count:,} " if count > 1 else f"Line {at + 1} "
    assert problem.text.startswith(words)
    rows = [row for row in session.conversation.rows if row.kind == "damaged"]
    assert len(rows) == 1 and rows[0].record == problem.record
    if count > 1:
        assert rows[0].label.startswith(f"lines {at + 1:,} to {at + count:,}: ")
    # What follows them is counted as if each line were a record.
    behind = session.conversation.document.record(
        session.conversation.document.records[len(session.conversation.document.records) - 1].uid
    )
    assert (
        behind.line == len(lines) + count
        and session.conversation.document.number_of(behind.uid) == len(lines) + count - 1
    )
    fix = next(fix for fix in problem.fixes if fix.id == "set-aside")
    staged = session.stage(problem, fix)
    assert staged.problems == 1 and session.to_bytes() == b"\n".join(lines) + b"\n"
    assert b"\n".join(set_aside(session.conversations)) == b"\n".join(damaged) and not of_damage(session)
    session.undo()
    assert session.to_bytes() == data


def test_other_damage_is_another_problem() -> None:
    lines = lines_of("claude-code")
    session = opened("claude-code", [*lines[:3], b"x", b"y", b'{"a":', b'{"b":', lines[3], b"x", *lines[4:]])
    told = [
        (problem.rule, session.location(problem).line, session.location(problem).end_line)
        for problem in of_damage(session)
    ]
    assert told == [("record.bad_json", 4, 5), ("record.torn", 6, 7), ("record.bad_json", 9, 9)]


def test_lines_with_outputs_are_reported_one_by_one() -> None:
    """Each has its own output to restore."""
    lines = lines_of("claude-code")
    results = [number for number, line in enumerate(lines) if b'"tool_result"' in line and b'"user"' in line][1:3]
    text = b"\n".join(line[:-1] if number in results else line for number, line in enumerate(lines)) + b"\n"
    session = open_session("x", data=text, format="claude-code")
    assert all(session.location(problem).line == session.location(problem).end_line for problem in of_damage(session))


def test_torn_lines_are_fixed_together() -> None:
    lines = lines_of("openai-chat")
    torn = [b'{"role":"user","content":"hello %d' % number for number in range(5)]
    session = opened("openai-chat", [*lines[:2], *torn, *lines[2:]])
    (problem,) = of_damage(session)
    assert session.location(problem).end_line == 7
    assert [fix.id for fix in problem.fixes] == ["close", "set-aside"] and problem.fixes[
        0
    ].title == "write the missing ends"
    session.stage(problem)
    closed = session.to_bytes().split(b"\n")[2:7]
    assert [json.loads(line)["content"] for line in closed] == [f"hello {number}" for number in range(5)]


def test_thousands_of_torn_lines_with_words_are_closed_one_by_one() -> None:
    """None of them is set aside without being asked for."""
    lines = lines_of("openai-chat")
    torn = [b'{"role":"user","content":"hello %d' % number for number in range(tries(30_000, 6_000))]
    session = opened("openai-chat", [*lines[:2], *torn, *lines[2:]])
    (problem,) = of_damage(session)
    aside = next(fix for fix in problem.fixes if fix.id == "set-aside")
    assert not aside.recommended and aside.loses
    session.stage(problem)
    said = [json.loads(line) for line in session.to_bytes().splitlines()[2 : 2 + len(torn) - 1]]
    assert [message["content"] for message in said] == [f"hello {number}" for number in range(len(torn) - 1)]


def test_ids_in_thousands_of_torn_lines_are_found() -> None:
    lines = lines_of("claude-code")
    call = next(number for number, line in enumerate(lines) if b'"id": "toolu_6"' in line)
    torn = [b'{"type":"user","message":{"content":[{"tool_use_id":"toolu_6"'] * 25_000
    session = opened("claude-code", [*lines[: call + 1], *torn])
    named = [
        problem.cause.evidence for problem in session.problems if problem.cause and problem.cause.id == "unreadable"
    ]
    assert named == [f"line {call + 2:,}: cut off"]


@each("value", ["7", "null", "[]", "true", '"x"'])
@each("count", [1, 3, 2500])
def test_elements_that_are_not_messages(value: str, count: int) -> None:
    lines = lines_of("anthropic")
    session = opened("anthropic", [*lines[:2], *[value.encode()] * count, *lines[2:]])
    (problem,) = of_damage(session)
    place = session.location(problem)
    assert (place.line, place.end_line) == (3, 2 + count)
    assert problem.text.startswith(f"{count:,} list elements" if count > 1 else "This list element")
    session.stage(problem, problem.fixes[0])
    assert session.to_bytes() == b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("name", ["anthropic", "openai-chat"])
def test_thousands_of_empty_objects_are_not_messages(name: str) -> None:
    lines = lines_of(name)
    session = opened(name, [*lines[:2], *[b"{}"] * 30_000, *lines[2:]])
    assert [problem.rule for problem in of_damage(session)] == ["record.no_message"]
    assert not any(problem.rule in ("role.unknown", "content.null") for problem in session.problems)
    session.stage(of_damage(session)[0])
    assert session.to_bytes() == b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_agents_ignore_thousands_of_empty_objects(name: str) -> None:
    lines = lines_of(name)
    plain, session = opened(name, lines), opened(name, [*lines[:5], *[b"{}"] * 30_000, *lines[5:]])
    assert (
        len(session.problems) == len(plain.problems)
        and session.conversation.verdict.sentence == plain.conversation.verdict.sentence
    )
    assert session.conversation.damaged == 0 and session.conversation.counts.records == len(lines) + 30_000


@settings(max_examples=tries(60))
@given(st.integers(0, 2**32), st.sampled_from(sorted(SESSIONS)), st.sampled_from([None, 0, 3]))
def test_a_flood_gives_the_same_result_as_single_lines(seed: int, name: str, least: int | None) -> None:
    """Folded into one record or read line by line: the same problems, rows, fixes, bytes."""
    rng = random.Random(seed)
    lines = lines_of(name)
    for _ in range(rng.randrange(1, 4)):
        kind = rng.choice(list(ALIKE))
        at = rng.randrange(1, len(lines) + 1)
        lines[at:at] = [rng.choice(ALIKE[kind]) for _ in range(rng.choice((1, 3, 8, 30)))]

    def told(session: Session) -> Any:
        return (
            [(problem.rule, problem.text, session.location(problem), tuple((f.id, f.title, f.loses) for f in problem.fixes)) for problem in session.problems],
            [(row.kind, row.label, row.message) for row in session.conversation.rows],
            session.conversation.verdict,
            session.conversation.damaged,
            session.conversation.counts,
        )  # fmt: skip

    def mended(session: Session) -> bytes:
        session.stage_recommended()
        while (problem := next(iter(of_damage(session)), None)) is not None and problem.fixes:
            session.stage(problem, problem.fixes[-1])
        return session.to_bytes()

    with judged_by(least):
        with small(least=1 << 60, said=1 << 60):
            each = opened(name, lines)
            wanted, written = told(each), mended(each)
        with small(said=1 << 60):
            folded = opened(name, lines)
            assert told(folded) == wanted
            assert mended(folded) == written
            assert b"\n".join(set_aside(each.conversations)) == b"\n".join(set_aside(folded.conversations))


@pytest.mark.parametrize("count", [5, 2500])
def test_every_line_of_a_range_leads_to_it(count: int) -> None:
    lines = lines_of("claude-code")
    session = opened("claude-code", [*lines[:3], *[b"x"] * count, *lines[3:]])
    (problem,) = of_damage(session)
    for line in (4, 5, 3 + count // 2, 3 + count):
        found = session.find(f"line:{line}")
        assert found is not None and found.problem is problem
    found = session.find(f"record:{count + 3}")
    assert found is not None and found.problem is not problem
