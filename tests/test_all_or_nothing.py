"""What fails in its middle leaves a session as it was: the records that came, what is staged, the profile."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson
import pytest

import toolpair
from benchmarks.generate import generate, messages
from benchmarks.sessions.options import Options
from toolpair.history.conversation import Conversation
from toolpair.session.session import Session, SessionError, open_session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "session.jsonl"
    generate(Options(pairs=60, problems=3, kinds=("missing",), shape="small"), found)
    return found


def fails(*_: Any, **__: Any) -> Any:
    raise SessionError("the disk is gone")


def test_what_came_while_the_file_could_not_be_read_is_in_the_next_save(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    session = open_session(path)
    session.stage_recommended()
    with path.open("ab") as file:
        file.write(lines[-1])

    with patch.object(Session, "_state", fails), pytest.raises(SessionError):
        session.follow()
    assert session.staged
    session.save()

    assert path.read_bytes().endswith(lines[-1])
    assert not open_session(path).problems


def test_the_next_look_takes_up_what_could_not_be_read(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    session = open_session(path)
    with path.open("ab") as file:
        file.write(lines[-1])
    with patch.object(Session, "_state", fails), pytest.raises(SessionError):
        session.follow()

    news = session.follow()

    assert news is not None
    assert news.records == 1


def test_a_fix_that_cannot_be_taken_out_stays_with_all_others(path: Path) -> None:
    session = open_session(path)
    first = session.stage(session.problems[0])
    session.stage(session.problems[0])
    before = session.to_bytes()

    with patch.object(Conversation, "apply", fails), pytest.raises(SessionError):
        session.staging.unstage(first)

    assert sum(staged.problems for staged in session.staged) == 2
    assert session.to_bytes() == before
    assert session.undo() is not None


def test_what_is_staged_can_be_taken_out_by_what_stage_gave_back(path: Path) -> None:
    session = open_session(path)
    session.stage(session.problems[0])
    second = session.stage(session.problems[0])
    session.staging.unstage(second)
    assert sum(staged.problems for staged in session.staged) == 1


def test_a_profile_that_cannot_judge_changes_nothing(path: Path) -> None:
    session = open_session(path)
    session.stage(session.problems[0])
    with patch.object(Conversation, "by", fails), pytest.raises(SessionError):
        session.set_profile("openai-chat")
    assert session.profile.id == session.conversation.profile.id == "anthropic"
    assert session.undo() is not None
    assert not session.changed


def test_a_long_session_is_read_in_windows_again_after_a_look_at_it_by_another_profile(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    generate(Options(pairs=3000, problems=3, size=9_000_000), path)
    session = open_session(path)
    assert session.conversation.fixes_are_local
    verdict = session.conversation.verdict
    session.set_profile("openai-chat")
    session.set_profile("anthropic")
    assert session.conversation.fixes_are_local
    assert session.conversation.verdict == verdict


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_any_sequence_of_messages_is_judged(format: str) -> None:
    given = messages(Options(pairs=40, problems=2, kinds=("missing",), format=format))
    listed = toolpair.check(given)
    assert [problem.text for problem in toolpair.check(deque(given)).problems] == [p.text for p in listed.problems]
    assert listed.problems


@pytest.mark.parametrize("blank", [" " * 3000, "\n" * 2500, " "])
def test_a_long_blank_output_is_no_output(tmp_path: Path, blank: str) -> None:

    made = messages(Options(pairs=3000, format="anthropic", shape="small"))
    answer = next(
        part
        for message in made
        for part in message["content"]
        if isinstance(part, dict) and part["type"] == "tool_result"
    )
    answer["content"] = blank
    path = tmp_path / "messages.jsonl"
    path.write_bytes(b"".join(orjson.dumps(message) + b"\n" for message in made))
    session = open_session(path)
    assert session.conversation.fixes_are_local
    assert session.conversation.verdict == session.conversation.whole.verdict  # type: ignore[attr-defined]
