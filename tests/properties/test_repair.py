"""Random transcripts with planted defects, in every array format and container."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.properties.transcripts import Made, anthropic, chat, plant
from tests.rounds import tries
from toolpair.session.session import Session, open_session

SEEDS = st.integers(min_value=0, max_value=2**32)
MANY = settings(max_examples=tries(150), suppress_health_check=list(HealthCheck))


def spelled(rng: random.Random, value: Any) -> str:
    """JSON text with odd spacing, escapes and number spellings, so that rewriting would show."""
    if isinstance(value, dict):
        space = rng.choice(["", " ", "  "])
        inside = f",{space}".join(
            f"{spelled(rng, key)}{space}:{rng.choice(['', ' '])}{spelled(rng, item)}" for key, item in value.items()
        )
        return f"{{{space}{inside}{space}}}"
    if isinstance(value, list):
        space = rng.choice(["", " ", "\n  "])
        return f"[{space}{f',{space}'.join(spelled(rng, item) for item in value)}{space}]"
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        return text.replace("/", "\\/") if rng.random() < 0.3 else text
    return json.dumps(value)


def broken(seed: int, kind: str) -> tuple[random.Random, Made]:
    rng = random.Random(seed)
    whole = (chat if kind == "openai-chat" else anthropic)(rng, rng.randrange(1, 7))
    made = plant(rng, whole, rng.randrange(0, 5))
    if kind == "roo-code":
        for number, message in enumerate(made.messages):
            message["ts"] = 1000 + number * 10
    return rng, made


def written(rng: random.Random, messages: list[dict[str, Any]], container: str) -> bytes:
    if container == "lines":
        return "".join(
            spelled(rng, message).replace("\n  ", " ") + rng.choice(["\n", "\r\n"]) for message in messages
        ).encode()
    if container == "request":
        body = {"model": "m", "messages": messages, "max_tokens": 10}
        return spelled(rng, {"request": body, "ts": 1}).encode()
    if container == "embedded":
        return spelled(rng, {"body": spelled(rng, {"messages": messages})}).encode()
    return spelled(rng, messages).encode()


def errors(session: Session) -> list[str]:
    """The rules of errors, without the guesses: these are left to a person."""
    return [problem.rule for problem in session.problems if problem.severity == "error" and not problem.guess]


@pytest.mark.parametrize("container", ["array", "lines", "request", "embedded"])
@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "roo-code"])
@given(seed=SEEDS)
@MANY
def test_mended_to_valid_lossless_idempotent_and_undone(kind: str, container: str, seed: int) -> None:
    if kind == "roo-code" and container != "array":
        return
    rng, made = broken(seed, kind)
    if not made.messages:
        return
    data = written(rng, made.messages, container)
    session = open_session("session.json", data=data, format=kind)
    if not errors(session):
        assert session.stage_recommended() is None
        assert session.to_bytes() == data
        return
    bodies = {record.uid: record.body for record in session.conversation.document.records}

    session.stage_recommended()

    assert errors(session) == [], made.defects
    out = session.to_bytes()
    text = out.decode()
    for marker in made.markers:
        assert marker in text, (marker, made.defects)
    changed = {change.record for change in session.staging.changes()}
    for number, (uid, body) in enumerate(bodies.items()):
        if number not in changed:
            assert session.conversation.document.record(uid).body == body
    again = open_session("session.json", data=out, format=kind)
    assert errors(again) == []
    assert again.stage_recommended() is None
    assert again.to_bytes() == out
    while session.undo():
        pass
    assert session.to_bytes() == data
    while session.redo():
        pass
    assert session.to_bytes() == out


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat"])
@given(seed=SEEDS)
@MANY
def test_the_library_mends_as_the_file_does_and_never_touches_its_input(kind: str, seed: int) -> None:
    _, made = broken(seed, kind)
    if not made.messages:
        return
    before = json.dumps(made.messages)
    try:
        repaired = toolpair.repair(made.messages, profile=kind)
    except ValueError:
        assert "tool" not in before
        return
    assert json.dumps(made.messages) == before
    assert all(problem.guess for problem in repaired.left)
    if not repaired.changed:
        assert repaired.messages is made.messages
        return
    assert all(problem.guess for problem in toolpair.check(repaired.messages, profile=kind).errors)
    for given_message, message in zip(made.messages, repaired.messages, strict=False):
        if given_message != message:
            break
        assert message is given_message


@given(seed=SEEDS)
@MANY
def test_one_fix_at_a_time_also_ends_in_a_valid_transcript(seed: int) -> None:
    _, made = broken(seed, "anthropic")
    if not made.messages:
        return
    data = json.dumps(made.messages).encode()
    session = open_session("session.json", data=data, format="anthropic")
    for _ in range(60):
        problem = next((found for found in session.problems if found.severity == "error" and found.recommended), None)
        if problem is None:
            break
        session.stage(problem)
    assert errors(session) == []
    while session.undo():
        pass
    assert session.to_bytes() == data


@given(seed=SEEDS)
@MANY
def test_taking_one_row_out_leaves_the_others(seed: int) -> None:
    _, made = broken(seed, "anthropic")
    if not made.messages:
        return
    data = json.dumps(made.messages).encode()
    session = open_session("session.json", data=data, format="anthropic")
    session.stage_recommended()
    for _ in range(30):
        if not session.staged:
            break
        session.staging.unstage(session.staged[0])
    else:
        pytest.fail("rows come back")
    assert session.to_bytes() == data


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat"])
@given(seed=SEEDS)
@MANY
def test_every_fix_that_is_offered_can_be_put_on(kind: str, seed: int) -> None:
    """Any fix of any problem applies, and what is written reads back as what is shown."""
    _, made = broken(seed, kind)
    if not made.messages:
        return
    session = open_session("session.json", data=json.dumps(made.messages).encode(), format=kind)
    for problem in list(session.problems)[:6]:
        for fix in problem.fixes:
            if not fix.edits:
                continue
            session.stage(problem, fix)
            again = open_session("session.json", data=session.to_bytes(), format=kind)
            shown = [(found.rule, found.message, found.block) for found in session.problems]
            assert [(found.rule, found.message, found.block) for found in again.problems] == shown
            session.undo()


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat"])
@given(seed=SEEDS)
@MANY
def test_a_valid_transcript_has_no_error(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    made = (chat if kind == "openai-chat" else anthropic)(rng, rng.randrange(1, 12))
    session = open_session("session.json", data=json.dumps(made.messages).encode(), format=kind)
    assert errors(session) == []
